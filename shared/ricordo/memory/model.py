"""The memory record, its processing stages, and values that belong to it.

The row in PostgreSQL has these fields; projections are derived from them. The defaults are those of a new
memory.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, Literal, TypedDict
from uuid import NAMESPACE_OID, UUID, uuid5
from zoneinfo import ZoneInfoNotFoundError

from ricordo.language.annotations import (
    NEUTRAL,
    Emotion,
    EventTime,
    MemoryKind,
    MemorySource,
    MemoryType,
    Role,
)
from ricordo.language.temporal.moments import find_zone

TimeOfDay = Literal["morning", "afternoon", "evening", "night"]
DayOfWeek = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

_DAYS: tuple[DayOfWeek, ...] = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_UNSET_DATE = dt.date.min


DERIVED_KINDS: Final = frozenset({MemoryKind.SUMMARY, MemoryKind.REFLECTION, MemoryKind.SYNTHESIS})
"""Kinds that are derived from other memories."""
MADE_KINDS: Final = DERIVED_KINDS | {MemoryKind.EXTRACT}
"""Kinds of memories that are no messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyTopic:
    """A topic that a session summary marks for later recall."""

    topic: str
    importance: Literal["high", "medium", "low"] = "medium"
    user_emotion: str = "neutral"


@dataclass(frozen=True, slots=True)
class LocalMoment:
    """An instant as its user lived it."""

    date: dt.date
    time_of_day: TimeOfDay
    day_of_week: DayOfWeek


def local_moment(instant: dt.datetime, timezone: str) -> LocalMoment:
    """Return date, part of the day and weekday of `instant` in `timezone`.

    Morning is 06-12, afternoon 12-18, evening 18-23, night 23-06; hours after midnight belong to the new
    date.

    Raises:
        ValueError: the instant is naive or the zone unknown.
    """
    if instant.tzinfo is None:
        raise ValueError("an instant needs an offset")
    try:
        local = instant.astimezone(find_zone(timezone))
    except (ZoneInfoNotFoundError, OSError) as error:  # a folder's name, as "Europe", opens as a directory
        raise ValueError(f"unknown time zone: {timezone!r}") from error
    return LocalMoment(local.date(), time_of_day(local.hour), _DAYS[local.weekday()])


def time_of_day(hour: int) -> TimeOfDay:
    """Return the part of the day of `hour` (0-23)."""
    if 6 <= hour < 12:
        return "morning"
    if 12 <= hour < 18:
        return "afternoon"
    return "evening" if 18 <= hour < 23 else "night"


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One memory.

    Instants are aware and in UTC; `date`, `time_of_day` and `day_of_week` are the user's own, and
    derived from `created_at` and `timezone` when `date` is left out.

    Attributes:
        id: UUIDv5 of tenant and message id, or of kind and sources (`derived_id`).
        message_id: the bot's id of the message; None for what the system made itself.
        created_at: when it was said.
        stored_at: when it came into this system: an import is not born faded.
        event_times: times of the events in the text, in its order.
        importance: [0, 1].
        informative: [0, 1]; from 0.5 on it is informative; below, it is recalled only on request.
        reinforcement: what retrievals have added, >= 0.
        trust: 0-5, how close the speaker is.
        confidence: [0, 1], how sure the system is of it.
        corrects: what it puts right, memories of its user.
        corrected_by: what puts it right, the latest first.
        source_ids: the memories that it was made of.
        source_message_ids: the bot's ids of the messages among these.

    Raises:
        ValueError: `created_at` is naive, or `timezone` unknown where it is needed.
    """

    id: UUID
    tenant: str
    user_id: str
    content: str
    created_at: dt.datetime
    type: MemoryType = MemoryType.EPISODIC
    kind: MemoryKind = MemoryKind.MESSAGE
    message_id: str | None = None

    title: str = ""
    summary: str = ""
    token_count: int = 0
    language: str = ""
    role: Role = Role.USER
    speaker: str = ""

    timezone: str = "UTC"
    date: dt.date = _UNSET_DATE
    time_of_day: TimeOfDay = "night"
    day_of_week: DayOfWeek = "monday"
    event_times: tuple[EventTime, ...] = ()
    expires_at: dt.datetime | None = None

    participants: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    conversation_id: str = ""
    location: str = ""
    preceding_id: UUID | None = None
    following_id: UUID | None = None

    emotion: Emotion = NEUTRAL

    importance: float = 0.0
    informative: float = 1.0
    access_count: int = 0
    last_accessed: dt.datetime | None = None
    reinforcement: float = 0.0
    pinned: bool = False
    trust: float = 0.0

    corrects: tuple[UUID, ...] = ()
    corrected_by: tuple[UUID, ...] = ()
    source_ids: tuple[UUID, ...] = ()
    source_message_ids: tuple[str, ...] = ()
    questions_addressed: tuple[str, ...] = ()
    key_topics: tuple[KeyTopic, ...] = ()

    source: MemorySource = MemorySource.CONVERSATION
    confidence: float = 1.0
    verified: bool = False
    tags: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    compressed: bool = False
    archived_at: dt.datetime | None = None
    stored_at: dt.datetime | None = None

    @property
    def event_start(self) -> dt.datetime | None:
        """Start of the first event time."""
        return self.event_times[0].start if self.event_times else None

    @property
    def event_end(self) -> dt.datetime | None:
        """End of the first event time, exclusive."""
        return self.event_times[0].end if self.event_times else None

    def __post_init__(self) -> None:
        if self.created_at.tzinfo is None:
            raise ValueError("created_at needs an offset")
        if self.date != _UNSET_DATE:
            return
        local = local_moment(self.created_at, self.timezone)
        object.__setattr__(self, "date", local.date)
        object.__setattr__(self, "time_of_day", local.time_of_day)
        object.__setattr__(self, "day_of_week", local.day_of_week)


def derived_id(tenant: str, kind: MemoryKind, sources: Iterable[UUID], *, about: str = "") -> UUID:
    """Return the id of a memory without a message: UUIDv5 of its kind and the set of its sources.

    Args:
        about: distinguishes several of the same sources, as the insights of one reflection.
    """
    names = ",".join(sorted(str(source) for source in set(sources)))
    return uuid5(NAMESPACE_OID, f"{tenant}/{kind}/{about}/{names}")


@dataclass(frozen=True, slots=True)
class Successor:
    """A memory to be written, and the ids of those that it replaces."""

    memory: Memory
    former: tuple[UUID, ...] = ()


def is_held_by_user(memory: Memory) -> bool:
    """Whether the user confirmed or corrected a memory, so that nothing replaces it."""
    return memory.verified or memory.source == MemorySource.USER_CORRECTION


def is_user_statement(memory: Memory) -> bool:
    """Whether a memory is a message of the user, neither derived nor from a document."""
    return memory.role is Role.USER and memory.kind not in MADE_KINDS


def inherit_use(memory: Memory, former: Sequence[Memory]) -> Memory:
    """Return a memory with the use of those that it replaces: accesses, reinforcement, pinning, tags.

    Its importance stays; what use adds to it follows from the access count.
    """
    if not former:
        return memory
    used = [one.last_accessed for one in former if one.last_accessed is not None]
    return replace(
        memory,
        access_count=max(one.access_count for one in former),
        reinforcement=max(one.reinforcement for one in former),
        last_accessed=max(used, default=None),
        pinned=any(one.pinned for one in former),
        tags=tuple(dict.fromkeys(tag for one in (memory, *former) for tag in one.tags)),
    )


class Stage(StrEnum):
    """A step that every message takes."""

    INGESTED = "ingested"
    ENCODED = "encoded"
    ENRICHED = "enriched"
    INDEXED = "indexed"
    EXTRACTED = "extracted"


class MessageIds(TypedDict):
    """By what names a message is known: what every event about it carries.

    Of a memory that no message is behind, the message's id is None; of one that belongs to no conversation,
    the conversation's too.
    """

    memory_id: UUID
    message_id: str | None
    user_id: str
    conversation_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The stage row of one message, or of a memory without one, as it stands after a write."""

    memory_id: UUID
    message_id: str | None
    user_id: str
    conversation_id: str | None
    ingested: datetime
    encoded: datetime | None = None
    enriched: datetime | None = None
    indexed: datetime | None = None
    extracted: datetime | None = None

    @property
    def ids(self) -> MessageIds:
        """Which message it is."""
        return {
            "memory_id": self.memory_id,
            "message_id": self.message_id,
            "user_id": self.user_id,
            "conversation_id": self.conversation_id,
        }

    @property
    def remembered(self) -> bool:
        """Whether all stages are done."""
        return None not in (self.encoded, self.enriched, self.indexed, self.extracted)
