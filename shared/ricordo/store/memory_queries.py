"""Queries of memories, history and counts for retrieval, and of what belongs to one memory."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from ricordo.language.annotations import EventTime
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.model import Memory, Progress
from ricordo.memory.spoken_turns import SpokenTurn
from ricordo.memory.style import RegisterPatterns, StyleCounts, TopicCount
from ricordo.messages.errors import ID_TAKEN, DeadLetterCode
from ricordo.messages.ids import memory_id
from ricordo.store import rows
from ricordo.store.database import Database, Store

_SQL = Database.queries("memory_queries")
_DETAILS = Database.queries("memory_details")
FORGOTTEN: Final = "forgotten"
"""Error code of a forgotten message."""
_HASHED: Final = 32
_HASH: Final = re.compile(r"[0-9a-f]{32}")
_PARTS: Final = ("morning", "afternoon", "evening", "night")
_COUNTS: Final = ("messages", "formal", "informal", "emoji", "questions", "sessions", "days")


class RankingRow(NamedTuple):
    """The fields of a memory that ranking reads; as in `Memory`, except for those described.

    Attributes:
        importance_beyond: what use would have added above the ceiling.
        key_topics: of a summary, as JSON; None for any other kind.
        text_or_hash: the text, or its hash if it has more than 300 characters.
        corrected_by: its corrections, direct or indirect, that are not archived; the latest first.
    """

    id: UUID
    created_at: datetime
    event_times: tuple[EventTime, ...]
    importance: float
    importance_beyond: float
    valence: float
    arousal: float
    access_count: int
    decay_factor: float
    confidence: float
    trust: float
    token_count: int
    archived: bool
    informative: bool
    role: str
    speaker: str
    kind: str
    conversation_id: str
    preceding_id: UUID | None
    asks: bool
    key_topics: str | None
    type: str = "episodic"
    participants: Sequence[str] = ()
    message_id: str | None = None
    text_or_hash: str = ""
    corrected_by: Sequence[UUID] = ()
    language: str = ""

    @property
    def text(self) -> str:
        """The text; empty if only its hash is known."""
        known = len(self.text_or_hash) != _HASHED or not _HASH.fullmatch(self.text_or_hash)
        return self.text_or_hash if known else ""


@dataclass(frozen=True, slots=True)
class MessageFailure:
    """Why a message was dead-lettered, or rejected as `forgotten`.

    Attributes:
        of_another: whether the rejected message had the id of a stored one, but another content.
    """

    code: str
    reason: str
    died_at: datetime
    of_another: bool = False

    @property
    def is_forgotten(self) -> bool:
        """Whether the message was forgotten."""
        return self.code == FORGOTTEN


@dataclass(frozen=True, slots=True, kw_only=True)
class UserCounts:
    """Counts of a user; `memories` includes archived ones, but no uninformative ones."""

    memories: int = 0
    archived: int = 0
    history: int = 0
    facts: int = 0
    reflections: int = 0
    summaries: int = 0
    pending: int = 0


@dataclass(frozen=True, slots=True)
class UserProfile:
    """Time zone and known names of a user.

    Attributes:
        timezone: the last one that a message named.
        utc_offset: of the last message, as `find_zone` reads it; None for that of UTC.
        names: in facts, of participants of the last memories, and of speakers.
    """

    timezone: str | None = None
    utc_offset: str | None = None
    names: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StyleStats:
    """Counts over the last messages of a user, the time of the last one, and the number of tombstones."""

    talk: StyleCounts
    until: datetime | None = None
    forgotten: int = 0


@dataclass(frozen=True, slots=True)
class StyleDelta:
    """Number of the user's messages since a count, and of all tombstones."""

    messages: int
    forgotten: int


class MemoryQueries(Store):
    """Reads memories and history of a user. An unknown user has none."""

    async def memories(self, tenant: str, user_id: str, ids: Sequence[UUID]) -> Sequence[Memory]:
        """Return the memories of `ids` that belong to the user, in any order."""
        return [rows.memory(row) for row in await self._database.read(_SQL["memories"], tenant, user_id, ids)]

    async def ranking_rows(
        self, tenant: str, user_id: str, ids: Sequence[UUID], now: datetime, *, floors: bool = True
    ) -> Sequence[RankingRow]:
        """Return the ranking rows of `ids` that belong to the user, with decay factors as of `now`."""
        found = await self._database.read("ranking_rows", tenant, user_id, ids, now, floors)
        return [
            RankingRow(one, sent, rows.event_times(times) if times else (), *rest)
            for one, sent, times, *rest in found
        ]

    async def history(
        self,
        tenant: str,
        user_id: str,
        *,
        conversation_id: str | None,
        before: tuple[datetime, str] | None,
        limit: int,
    ) -> Sequence[SpokenTurn]:
        """Return the last `limit` turns before the (timestamp, message id) given, oldest first."""
        instant, message_id = before or (None, None)
        found = await self._fetch(
            _SQL["history"], tenant, user_id, conversation_id, instant, message_id, limit
        )
        return [
            SpokenTurn(
                message_id=row["message_id"],
                memory_id=row["memory_id"],
                conversation_id=row["conversation_id"],
                role=row["role"],
                speaker=row["speaker"],
                content=row["content"],
                timestamp=row["sent_at"],
                language=row["language"] or "",
                participants=tuple(row["participants"]),
            )
            for row in reversed(found)
        ]

    async def timeline(
        self, tenant: str, user_id: str, start: datetime, end: datetime, limit: int
    ) -> Sequence[Memory]:
        """Return informative memories created in [start, end), oldest first."""
        return [
            rows.memory(row)
            for row in await self._fetch(_SQL["timeline"], tenant, user_id, start, end, limit)
        ]

    async def status(
        self, tenant: str, message_id: str, digest: str | None = None, user_id: str | None = None
    ) -> tuple[Progress | None, MessageFailure | None]:
        """Return the stages of a message, and its last failure.

        Args:
            digest: of the message in hex; if another one has the id, its failure is the conflict.
            user_id: whose deletion of the message counts; None for anybody's.
        """
        async with self._database.transaction(tenant) as connection:
            stages = await connection.fetchrow(_SQL["status"], tenant, memory_id(tenant, message_id))
            # After the stages: what is stored between the two statements is compared, too.
            if digest is not None:
                taken = await connection.fetchrow(_SQL["taken"], tenant, message_id, bytes.fromhex(digest))
                if taken is not None:
                    reason = ID_TAKEN.format(message_id)
                    return None, MessageFailure(DeadLetterCode.ID_CONFLICT, reason, **dict(taken))
            failure = await connection.fetchrow(_SQL["failure"], tenant, message_id, stages is not None)
            if stages is None:
                failure = await connection.fetchrow(_SQL["forgotten"], tenant, message_id, user_id) or failure
        return (
            None if stages is None else rows.progress(stages),
            None if failure is None else MessageFailure(**dict(failure)),
        )

    async def counts(self, tenant: str, user_id: str) -> UserCounts:
        """Count the rows of the user."""
        [row] = await self._fetch(_SQL["counts"], tenant, user_id)
        return UserCounts(**dict(row))

    async def profile(self, tenant: str, user_id: str) -> UserProfile:
        """Return the user's time zone and known names."""
        [row] = await self._database.read("profile_of_user", tenant, user_id)
        return UserProfile(
            timezone=row["timezone"],
            utc_offset=row["utc_offset"],
            names=_each_once((*row["names"], *row["people"], *row["speakers"])),
            speakers=tuple(row["speakers"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedChange:
    """A change of a memory, as its rows tell; see `MemoryChange` of the wire."""

    change: str
    at: datetime | None = None
    recall_id: UUID | None = None
    verdict: str | None = None
    memory_id: UUID | None = None
    content: str | None = None
    decay_factor: float | None = None
    reason: str | None = None


class MemoryDetailQueries(Store):
    """Reads what belongs to one memory. Raises `StoreUnavailable`."""

    async def details(
        self, tenant: str, memory: Memory, decay_factor: float
    ) -> tuple[Sequence[Fact], Sequence[RecordedChange], dict[str, Any]]:
        """Return the facts that a memory supports, its changes, oldest first, and its metadata."""
        async with self._database.transaction(tenant) as connection:
            of_memory = tenant, memory.user_id, memory.id
            of_message = tenant, memory.user_id, memory.message_id
            facts = await connection.fetch(_DETAILS["facts"], *of_message)
            changes = await connection.fetch(_DETAILS["changes"], *of_memory, decay_factor)
            metadata = await connection.fetchval(_DETAILS["metadata"], *of_message)
        changed = [RecordedChange(**dict(row)) for row in changes]
        return [rows.fact_of(row) for row in facts], changed, json.loads(metadata or "{}")


def _each_once(names: Iterable[str]) -> tuple[str, ...]:
    """Return names in order; of those that differ in case only, the first."""
    kept: dict[str, str] = {}
    for name in names:
        kept.setdefault(name.casefold(), name)
    return tuple(kept.values())


class StyleQueries(Store):
    """Counts over the messages of a user; an unknown one has none. Raises `StoreUnavailable`."""

    async def stats(
        self, tenant: str, user_id: str, *, before: datetime, manners: RegisterPatterns
    ) -> StyleStats:
        """Return counts over the last messages of the user before `before`, at most 200."""
        patterns = manners.formal, manners.informal, manners.emoji
        row = await self._fetchrow(_SQL["style"], tenant, user_id, before, *patterns)
        if row is None or not row["messages"]:
            return StyleStats(StyleCounts(), None, 0 if row is None else row["forgotten"])
        low, median, high = row["lengths"]
        talk = StyleCounts(
            lengths=(low, median, high),
            lately=median if row["lately"] is None else row["lately"],
            earlier=median if row["earlier"] is None else row["earlier"],
            parts_of_day={part: row[part] for part in _PARTS},
            span_days=row["span_days"] or 0,
            topics=tuple(
                TopicCount(one["topic"], one["messages"], one["valence"])
                for one in json.loads(row["topics"] or "[]")
            ),
            **{name: row[name] for name in _COUNTS},
        )
        return StyleStats(talk, row["until"], row["forgotten"])

    async def delta(
        self, tenant: str, user_id: str, *, since: datetime, before: datetime, most: int
    ) -> StyleDelta:
        """Count what has changed since; at most `most` messages."""
        row = await self._fetchrow(_SQL["style_delta"], tenant, user_id, since, before, most)
        return StyleDelta(0, 0) if row is None else StyleDelta(row["messages"], row["forgotten"])
