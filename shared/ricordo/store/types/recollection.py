"""What retrieval reads of the truth."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple, Protocol
from uuid import UUID

from ricordo.language.annotations import EventTime
from ricordo.memory.model import Memory
from ricordo.store.types.stages import Progress

FORGOTTEN: Final = "forgotten"
"""The code of a message that is kept out, as it was asked to be forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A message of the history."""

    message_id: str
    memory_id: UUID
    conversation_id: str
    role: str
    speaker: str
    content: str
    timestamp: datetime
    language: str = ""
    participants: tuple[str, ...] = ()


class Standing(NamedTuple):
    """The part of a memory that a ranking looks at; the fields are those of `Memory`, but for five.

    Attributes:
        importance_beyond: what use would have added above its ceiling; see `MemoryStrength`.
        informative: whether it tells something.
        asks: whether it asks something.
        key_topics: of a summary, as JSON; None for any other kind.
        instructing: whether it tells a model what to do.
        type: as in `MemoryType`.
        participants: speaker, those present, those mentioned.
        corrected_by: what puts it right, be it by way of others, and is not archived; the latest first.
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
    instructing: bool
    type: str = "episodic"
    participants: Sequence[str] = ()
    corrected_by: Sequence[UUID] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a message was dead-lettered, or, by the code `forgotten`, kept out.

    Attributes:
        of_another: whether it is another body that was sent under the same id, and not the message on record.
    """

    code: str
    reason: str
    died_at: datetime
    of_another: bool = False

    @property
    def is_forgotten(self) -> bool:
        """Whether the message was asked to be forgotten."""
        return self.code == FORGOTTEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much is held about a user; `memories` includes the archived ones, and none that tell nothing."""

    memories: int = 0
    archived: int = 0
    history: int = 0
    facts: int = 0
    reflections: int = 0
    summaries: int = 0
    pending: int = 0


@dataclass(frozen=True, slots=True)
class Profile:
    """What the analyser needs to know of a user.

    Attributes:
        timezone: the last that was stated.
        names: those met so far: in facts, of whom the last memories are about, and of who speaks.
        speakers: what those are called who speak in the user's conversations.
    """

    timezone: str | None = None
    names: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()


class Recollection(Protocol):
    """Reads of a user's memories, history and facts. An unknown user has none."""

    async def memories(self, tenant: str, user_id: str, ids: Sequence[UUID]) -> Sequence[Memory]:
        """Return the rows of `ids` that belong to the user; order is not kept, the missing are left out."""
        ...

    async def standings(self, tenant: str, user_id: str, ids: Sequence[UUID]) -> Sequence[Standing]:
        """Return what a ranking looks at, for those of `ids` that belong to the user; order is not kept."""
        ...

    async def history(
        self,
        tenant: str,
        user_id: str,
        *,
        conversation_id: str | None,
        before: tuple[datetime, str] | None,
        limit: int,
    ) -> Sequence[Turn]:
        """Return the last `limit` turns before the (timestamp, message id) given, oldest first."""
        ...

    async def timeline(
        self, tenant: str, user_id: str, start: datetime, end: datetime, limit: int
    ) -> Sequence[Memory]:
        """Return memories created in [start, end) that tell something, oldest first."""
        ...

    async def status(self, tenant: str, message_id: str) -> tuple[Progress | None, Failure | None]:
        """Return the stages of a message, and its last dead letter; of nothing, whether it was forgotten."""
        ...

    async def counts(self, tenant: str, user_id: str) -> Counts:
        """Count what is held about the user."""
        ...

    async def profile(self, tenant: str, user_id: str) -> Profile:
        """Return the user's zone and the names met so far."""
        ...
