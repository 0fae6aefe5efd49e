"""The truth: what the writing workers need of the relational store. Each port is what one worker owns.

All writes are idempotent: repeating one leaves the same rows, and returns the state after it, so that a
redelivered event produces the same events again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ricordo.documents.port import NewDocument
from ricordo.language.annotations import EventTime
from ricordo.memory.enrichment import Enrichment
from ricordo.memory.model import LocalMoment, Memory
from ricordo.store.types.stages import Progress, Stage
from ricordo.unavailable import Unavailable

Vector = NDArray[np.float32]


class StoreUnavailable(Unavailable):
    """The store cannot be asked now: a transient failure."""

    server = "PostgreSQL"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A validated message, ready to be recorded.

    Attributes:
        content: the text to keep, recalled spans removed.
        digest: hash of what makes the message itself; a repeated id with another digest is a conflict.
        memorable: False for a message that belongs to the history only.
        metadata: the bot's own values, a JSON object.
        document: what it brings along, whose bytes are kept already.
        kind, importance, expires_at: what the bot set, which wins over what is inferred; None where unset.
    """

    message_id: str
    memory_id: UUID
    user_id: str
    conversation_id: str
    role: str
    content: str
    digest: bytes
    timestamp: datetime
    speaker: str = ""
    participants: tuple[str, ...] = ()
    timezone: str | None = None
    language: str = ""
    location: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    kind: str | None = None
    importance: float | None = None
    tags: tuple[str, ...] = ()
    expires_at: datetime | None = None
    trust: float = 0.0
    source: str = "conversation"
    memorable: bool = True
    document: NewDocument | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of one message.

    Attributes:
        status: `kept` (new, or a repeat of what is kept), `conflict` (the id is taken by another content),
            `forgotten` (a tombstone stands before it), `too_many` or `too_many_today` (its user has as many
            as the quota allows).
        progress: the stage row, for `kept`.
        displaced: memories that come right after this one and are indexed already: their points may show them
            behind another memory, or none. It follows from the state, so that a repeat says it again.
        rezoned: messages that lie in another zone since this one, which names it, is there: enrichment has to
            see them again. Said once; whoever misses it finds that they lack a stage.
        deferred: whether it waits to be admitted: its user has many under way.
    """

    status: Literal["kept", "conflict", "forgotten", "too_many", "too_many_today"]
    progress: Progress | None = None
    displaced: tuple[UUID, ...] = ()
    rezoned: tuple[Progress, ...] = ()
    deferred: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeLimits:
    """What a user may have.

    Attributes:
        under_way: messages on their way to being remembered at once; the rest is deferred. None for any
            number.
        kept: messages that are kept at once; what is forgotten frees room. None for any number.
        kept_a_day: of these, messages that are taken in on one day, by UTC; None for any number.
    """

    under_way: int | None = None
    kept: int | None = None
    kept_a_day: int | None = None


class Intake(Protocol):
    """What ingest owns: history, the memory row's identity and its links in time."""

    async def record(self, tenant: str, messages: Sequence[NewMessage], at: datetime) -> Sequence[Recorded]:
        """Write history, memory and stage rows of `messages` in one transaction; one result each, in order.

        Raises:
            StoreUnavailable: nothing was written.
        """
        ...


class Deferred(Protocol):
    """The messages that wait to be admitted: recorded, and part of the history already."""

    async def admit(self, tenant: str, behind: str, limit: int, at: datetime) -> Sequence[Progress]:
        """Have the oldest of one user deferred no more, and return them.

        Each is returned once: who ends before telling of it leaves it to reconciliation.

        Args:
            tenant: whose they are.
            behind: the user whose turn was last; the next one in order has the turn now.
            limit: how many at the most.
            at: the instant, from which on they have their time.

        Returns:
            None where no user behind that one has any, or another process has just taken them.

        Raises:
            StoreUnavailable: nothing was changed.
        """
        ...


@dataclass(frozen=True, slots=True)
class TextToEncode:
    """The text of a memory that has no vector of the asked model, or the vector it has."""

    memory_id: UUID
    text: str
    vector: Vector | None = None


class Encodings(Protocol):
    """What embedding (encode) owns: a vector per memory and model, kept beside the rows."""

    async def load(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Sequence[TextToEncode]:
        """Return texts, with the vector where it is known; memories without a row are left out."""
        ...

    async def save(
        self,
        tenant: str,
        model: str,
        vectors: Sequence[tuple[UUID, Vector]],
        done: Sequence[UUID],
        at: datetime,
        *,
        texts: Mapping[UUID, bytes] | None = None,
    ) -> Sequence[Progress]:
        """Keep new `vectors` and set the stage of all of `done`, which includes them.

        Args:
            tenant: whose memories.
            model: of the vectors.
            vectors: those that are new.
            done: the memories whose stage is to be set.
            at: now.
            texts: hashes (`ricordo.language.text.text_hash`) of the texts that the vectors are of. Of a
                memory that says something else by now, as after a correction, nothing is written; None does
                not look.
        """
        ...

    async def followers(self, tenant: str, memory_ids: Sequence[UUID]) -> Sequence[tuple[UUID, str]]:
        """Return memories, each with its user, that were indexed and come right after one of `memory_ids`.

        Their window was made without the vector of their predecessor. To be asked after `save`.
        """
        ...

    async def models(self, tenant: str) -> Mapping[str, int]:
        """Return the models that memories have vectors of, each with the length of these.

        One that all memories have moved away from may be among them until that is noted: see
        `FormerVectors.retire`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Unenriched:
    """A memory as enrichment needs it.

    Attributes:
        stated_participants: whom the bot named.
    """

    memory: Memory
    vector: Vector | None
    stated_participants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrichedMemory:
    """The columns that enrichment owns.

    Attributes:
        timezone: the zone that the times were derived in. Where it is the memory's zone no longer, as after a
            late message that names another one, nothing is written and the stage stays as it is; None does
            not look.
        text_hash: of the text that all was derived from; as `timezone`, where the memory says something else
            by now.
    """

    memory_id: UUID
    enrichment: Enrichment
    local: LocalMoment
    event_times: tuple[EventTime, ...] = ()
    token_count: int = 0
    timezone: str | None = None
    text_hash: bytes | None = None


@dataclass(frozen=True, slots=True)
class SavedEnrichment:
    """What a write of derived columns has come to.

    Attributes:
        progress: the stages of the message as they stand.
        version: of what derived the columns as they stand, which may be what was there before.
    """

    progress: Progress
    version: str


class Enrichments(Protocol):
    """What enrichment owns."""

    async def load(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Sequence[Unenriched]:
        """Return memories with their vectors of `model`; those without a row are left out."""
        ...

    async def save(
        self, tenant: str, enriched: Sequence[EnrichedMemory], at: datetime
    ) -> Sequence[SavedEnrichment]:
        """Write the derived columns with the version of what derived them, and set the stage.

        What the bot stated stays, and so does what use has added, and what was derived with a language
        model where rules come without one. The forgotten, and those whose zone or text has changed
        meanwhile, are left out.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexable:
    """A memory with what its point is made of: its vector, and its predecessor's text and vector.

    Attributes:
        version: another one after every change to any of it.
    """

    memory: Memory
    vector: Vector
    version: str
    preceding_text: str = ""
    preceding_language: str = ""
    preceding_vector: Vector | None = None


class Indexing(Protocol):
    """What embedding (index) reads, and the stage that it sets."""

    async def load(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Sequence[Indexable]:
        """Return memories that have a vector of `model`; others are left out."""
        ...

    async def mark(self, tenant: str, memory_ids: Sequence[UUID], at: datetime) -> Sequence[Progress]:
        """Set the stage, after the points are written."""
        ...

    async def versions(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Mapping[UUID, str]:
        """Return what `load` would give as `version` now, of all that have a row, with a vector or without.

        For the look after a projection's write: whose version differs was changed meanwhile, who is missing
        was erased.
        """
        ...


@dataclass(frozen=True, slots=True)
class Lagging:
    """A message that has lacked a stage for too long, and the stages that it lacks.

    Attributes:
        derived: the memory, where no message is behind it; else None.
    """

    progress: Progress
    lacks: tuple[Stage, ...]
    derived: Memory | None = None
