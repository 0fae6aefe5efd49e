"""All ports of the truth on one adapter, and the short ways by which the suites arrange and look at it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID, uuid4

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import Emotion, EventTime, MemoryKind, MemoryType
from ricordo.language.informative import TELLS
from ricordo.memory.enrichment import VERSION, Enrichment
from ricordo.memory.importance import Importance
from ricordo.memory.model import Memory, local_moment
from ricordo.memory.progress import Progress
from ricordo.messages.ids import memory_id
from ricordo.store.curation_store import CurationStore
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.intake import IntakeStore, NewMessage, RecordedMessage
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.memory_queries import MemoryQueries, StyleQueries
from ricordo.store.pass_store import PassLocks, PassRuns, RetentionStore
from ricordo.store.stages import EncodingStore, EnrichedMemory, EnrichmentStore, IndexingStore
from ricordo.store.working_memory_store import NoteStore, WorkingMemoryStore
from ricordo.testing.factories import unit_vector

Scope = Literal["message", "conversation", "user"]
MODEL = "model-a"
STORED = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
"""When the suites' messages came in, unless a test says otherwise."""


@dataclass(frozen=True)
class Stores:
    """The ports under test.

    Attributes:
        tenant: one that nobody else uses.
        another_ledger: opens one that remembers nothing yet, as another process has it.
        entomb: writes a tombstone: what is forgotten, its scope, whose it was.
    """

    tenant: str
    intake: IntakeStore
    encodings: EncodingStore
    enrichments: EnrichmentStore
    indexing: IndexingStore
    ledger: FactLedger
    another_ledger: Callable[[], FactLedger]
    recollection: MemoryQueries
    life: LifecycleStore
    retention: RetentionStore
    pass_runs: PassRuns
    pass_locks: PassLocks
    curating: CurationStore
    desks: WorkingMemoryStore
    notebook: NoteStore
    habits: StyleQueries
    entomb: Callable[[str, Scope, str, str], Awaitable[None]]

    def elsewhere(self) -> "Stores":
        """Return the same stores for another tenant."""
        return replace(self, tenant=f"t-{uuid4()}")

    def id(self, message_id: str) -> UUID:
        """Return the id of the memory of a message."""
        return memory_id(self.tenant, message_id)

    async def record(self, *messages: NewMessage, at: datetime = STORED) -> Sequence[RecordedMessage]:
        """Record messages as one batch."""
        return await self.intake.record(self.tenant, messages, at)

    async def encode(
        self, *message_ids: str, model: str = MODEL, at: datetime = STORED
    ) -> Sequence[Progress]:
        """Give each a vector that follows from its id, and set the stage."""
        ids = [self.id(one) for one in message_ids]
        vectors = [(one, vector_of(one)) for one in ids]
        return await self.encodings.save(self.tenant, model, vectors, ids, at)

    async def memory(self, message_id: str = "m-1", user_id: str = "u-1") -> Memory:
        """Read one memory, which must be there."""
        (found,) = await self.recollection.memories(self.tenant, user_id, [self.id(message_id)])
        return found

    async def progress(self, message_id: str = "m-1") -> Progress | None:
        """Read how far a message is."""
        return (await self.recollection.status(self.tenant, message_id))[0]


def vector_of(memory_id: UUID) -> NDArray[np.float32]:
    """Return the vector that `Stores.encode` gives a memory: float32 [16], unit norm."""
    return unit_vector(memory_id.int % 2**32)


FEELING = Emotion(valence=0.8, arousal=0.6, dominance=0.7, primary="joy", keywords=("yes", "!"))


def enriched(
    memory: Memory,
    *,
    importance: float = 0.4,
    emotion: Emotion = FEELING,
    kind: MemoryKind = MemoryKind.DECISION,
    participants: tuple[str, ...] = ("Davide", "Max"),
    topics: tuple[str, ...] = ("dogs",),
    title: str = "A dog",
    informative: float = TELLS,
    timezone: str | None = None,
    events: Sequence[tuple[datetime, datetime]] = (),
    version: str = VERSION,
) -> EnrichedMemory:
    """Return an enrichment of `memory` with these values."""
    return EnrichedMemory(
        memory_id=memory.id,
        enrichment=Enrichment(
            emotion=emotion,
            importance=Importance(value=importance, contributions=()),
            topics=topics,
            participants=participants,
            type=MemoryType.EMOTIONAL,
            kind=kind,
            title=title,
            informative=informative,
            version=version,
            rated_by=version,
        ),
        local=local_moment(memory.created_at, timezone or memory.timezone),
        event_times=tuple(EventTime(*one) for one in events),
        token_count=7,
        timezone=timezone,
    )
