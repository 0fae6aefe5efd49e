"""Index: the only writer of vectors. A memory's row becomes its point."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from ricordo.domain.bm25 import terms, window_terms
from ricordo.domain.topics import topic_key
from ricordo.messages.events import (
    DerivedEvent,
    MemoryArchived,
    MemoryChanged,
    MemoryDecayed,
    MemoryEnriched,
    MemoryIndexed,
)
from ricordo.ports.clock import Clock
from ricordo.ports.memories import Indexable, Indexing, Vector
from ricordo.ports.stages import Progress
from ricordo.ports.vectors import Point, VectorIndex
from ricordo.runtime.beside import Beside
from ricordo.runtime.handling import Done, Envelope, Outcome, Retry
from ricordo_services.receipts import receipt

_PREDECESSOR_SHARE = 0.5  # what the turn before adds to the window vector


@dataclass(frozen=True, slots=True)
class Projection:
    """Writes points of rows, in the collection of the model that each row has a vector of."""

    indexing: Indexing
    vectors: VectorIndex
    models: tuple[str, ...]  # the primary first
    beside: Beside

    async def project(self, tenant: str, memory_ids: Sequence[UUID]) -> "Projected":
        """Write the points of all that have a vector."""
        written: dict[UUID, str] = {}
        incomplete: list[UUID] = []
        for model in self.models:
            wanted = [one for one in memory_ids if one not in written]
            if not wanted:
                break
            indexable = await self.indexing.load(tenant, model, wanted)
            await self.vectors.upsert(tenant, model, await self.beside.each(point, indexable))
            written |= dict.fromkeys((one.memory.id for one in indexable), model)
            incomplete += [one.memory.id for one in indexable if _lacks_predecessor(one)]
        await self._withdraw_forgotten(tenant, written)
        return Projected(written, tuple(incomplete))

    async def _withdraw_forgotten(self, tenant: str, written: dict[UUID, str]) -> None:
        """Take back points whose rows went while they were written: an erasure must not lose that race."""
        if not written:
            return
        gone = set(written) - set(await self.indexing.existing(tenant, list(written)))
        for model in self.models:
            ids = sorted(one for one in gone if written[one] == model)
            if ids:
                await self.vectors.delete(tenant, model, ids)


@dataclass(frozen=True, slots=True)
class Projected:
    """What was written.

    Attributes:
        models: the model of each point.
        incomplete: those whose predecessor had no vector yet.
    """

    models: dict[UUID, str]
    incomplete: tuple[UUID, ...]


def _lacks_predecessor(one: Indexable) -> bool:
    return one.memory.preceding_id is not None and one.preceding_vector is None


@dataclass(frozen=True, slots=True)
class Index:
    """Handles `memory.enriched`."""

    projection: Projection
    indexing: Indexing
    clock: Clock

    async def __call__(self, tenant: str, events: Sequence[Envelope[MemoryEnriched]]) -> Sequence[Outcome]:
        """Write points and set the stage; one outcome each."""
        ids = list(dict.fromkeys(event.body.memory_id for event in events))
        projected = await self.projection.project(tenant, ids)
        written = projected.models
        marked = await self.indexing.mark(tenant, list(written), self.clock.now())
        progress = {one.memory_id: one for one in marked}
        # The predecessor may have got its vector in between. Encode looks for indexed followers after its
        # write, we look for encoded predecessors after ours: one of the two sees the other.
        if projected.incomplete:
            await self.projection.project(tenant, projected.incomplete)
        left = [one for one in ids if one not in written]
        existing = set(await self.indexing.existing(tenant, left)) if left else set[UUID]()
        return [
            Retry(reason="the memory has no vector yet")
            if event.body.memory_id in existing
            else Done(_events(tenant, progress.get(event.body.memory_id), written))
            for event in events
        ]


@dataclass(frozen=True, slots=True)
class IndexChanges:
    """Handles what others changed about memories: their points follow their rows."""

    projection: Projection

    async def __call__(
        self, tenant: str, events: Sequence[Envelope[MemoryChanged | MemoryDecayed | MemoryArchived]]
    ) -> Sequence[Outcome]:
        """Write the points of all changed memories once; one outcome each."""
        ids = list(dict.fromkeys(one for event in events for one in event.body.memory_ids))
        await self.projection.project(tenant, ids)
        return [Done()] * len(events)


def point(one: Indexable) -> Point:
    """Make the point of a memory: its vectors, its terms, and what it is filtered by."""
    memory = one.memory
    before = (one.preceding_text, one.preceding_language)
    here = (memory.content, memory.language)
    return Point(
        id=memory.id,
        user_id=memory.user_id,
        conversation_id=memory.conversation_id,
        text_vector=one.vector,
        window_vector=window_vector(one.vector, one.preceding_vector),
        text_terms=terms(*here),
        window_terms=window_terms([before, here] if one.preceding_text else [here]),
        type=memory.type.value,
        kind=memory.kind.value,
        created_at=memory.created_at,
        event_start=memory.event_start,
        event_end=memory.event_end,
        participants=tuple(name.casefold() for name in memory.participants),
        topics=tuple(sorted({topic_key(topic, memory.language) for topic in memory.topics})),
        valence=memory.emotion.valence,
        importance=memory.importance,
        archived=memory.archived_at is not None,
    )


def window_vector(vector: Vector, preceding: Vector | None) -> Vector:
    """Return the vector of a text in the light of the one before it: normalise(v + 0.5 · v_before).

    Args:
        vector: float32 [d], unit norm.
        preceding: the same of the text before it; None for the first of its conversation.

    Returns:
        float32 [d], unit norm.
    """
    if preceding is None:
        return vector
    both = vector + np.float32(_PREDECESSOR_SHARE) * preceding
    norm = float(np.linalg.norm(both))
    return (both / norm).astype(np.float32) if norm > 0 else vector


def _events(tenant: str, progress: Progress | None, written: dict[UUID, str]) -> tuple[DerivedEvent, ...]:
    if progress is None:
        return ()
    indexed = MemoryIndexed(
        user_id=progress.user_id,
        conversation_id=progress.conversation_id,
        message_id=progress.message_id,
        memory_id=progress.memory_id,
        model=written[progress.memory_id],
    )
    return (indexed, *receipt(tenant, progress))
