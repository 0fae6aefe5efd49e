"""Index: the only writer of points. A memory's row becomes its point."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from ricordo.domain.bm25 import terms, window_terms
from ricordo.domain.memory import Memory
from ricordo.domain.topics import topic_keys
from ricordo.messages.events import (
    MemoryArchived,
    MemoryChanged,
    MemoryDecayed,
    MemoryEnriched,
    MemoryIndexed,
)
from ricordo.ports.clock import Clock
from ricordo.ports.memories import Indexable, Indexing, Vector
from ricordo.ports.stages import MessageIds
from ricordo.ports.vectors import Facets, Point, VectorIndex
from ricordo.runtime.beside import Beside
from ricordo.runtime.handling import Done, Envelope, Outcome, Retry
from ricordo_services.receipts import stage_events

_PREDECESSOR_SHARE = 0.5  # what the turn before adds to the window vector


# Columns that no vector and no term depends on. Use and time touch them, which is most of what ever changes.
_BESIDE_VECTORS = frozenset(
    {"access_count", "last_accessed", "reinforcement", "importance", "decay_factor", "archived_at"}
)

Changed = MemoryChanged | MemoryDecayed | MemoryArchived
Put = Callable[[str, str, Sequence[Indexable]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Written:
    """A point: in which model's collection it is, and of which version of its row it was made."""

    model: str
    version: str


@dataclass(frozen=True, slots=True)
class Projection:
    """Writes points of rows, in the collection of the model that each row has a vector of."""

    indexing: Indexing
    vectors: VectorIndex
    models: tuple[str, ...]  # the primary first
    beside: Beside

    async def project(self, tenant: str, memory_ids: Sequence[UUID]) -> None:
        """Make the points what the rows are now."""
        await self.settle(tenant, memory_ids, await self.write(tenant, memory_ids))

    async def refilter(self, tenant: str, memory_ids: Sequence[UUID]) -> None:
        """Make what points are filtered by what the rows are now: their vectors have not changed."""
        await self.settle(tenant, memory_ids, await self._put(tenant, memory_ids, self._refilter))

    async def write(self, tenant: str, memory_ids: Sequence[UUID]) -> dict[UUID, Written]:
        """Write the points of all that have a vector, and return those; `settle` has to follow."""
        return await self._put(tenant, memory_ids, self._upsert)

    async def _put(self, tenant: str, memory_ids: Sequence[UUID], put: Put) -> dict[UUID, Written]:
        """Put each memory into the collection of the first model that it has a vector of."""
        written: dict[UUID, Written] = {}
        for model in self.models:
            wanted = [one for one in memory_ids if one not in written]
            if not wanted:
                break
            if indexable := await self.indexing.load(tenant, model, wanted):
                await put(tenant, model, indexable)
            written |= {one.memory.id: Written(model, one.version) for one in indexable}
        return written

    async def _upsert(self, tenant: str, model: str, indexable: Sequence[Indexable]) -> None:
        await self.vectors.upsert(tenant, model, await self.beside.each(point, indexable))

    async def _refilter(self, tenant: str, model: str, indexable: Sequence[Indexable]) -> None:
        await self.vectors.refilter(tenant, model, [facets(one.memory) for one in indexable])

    async def settle(
        self, tenant: str, memory_ids: Sequence[UUID], written: Mapping[UUID, Written]
    ) -> "Settled":
        """Look at the rows again, after the write, until it is the last of each that was written.

        Whatever changes a row while its point is being made loses no race: a point made of a former version,
        which may have come after another worker's of the present one, is written again; one whose row has
        gone is taken back, also when an earlier attempt left it.
        """
        settled, waiting = dict(written), set[UUID]()
        unsure = list(memory_ids)
        while unsure:
            versions = await self._versions(tenant, unsure, settled)
            await self._withdraw(tenant, [one for one in unsure if one not in versions])
            waiting |= {one for one in unsure if one in versions and one not in settled}
            changed = [one for one in unsure if one in settled and settled[one].version != versions.get(one)]
            for one in changed:
                del settled[one]
            unsure = [one for one in changed if one in versions]
            settled |= await self.write(tenant, unsure)
        return Settled(settled, frozenset(waiting))

    async def _versions(
        self, tenant: str, memory_ids: Sequence[UUID], written: Mapping[UUID, Written]
    ) -> dict[UUID, str]:
        of_model: dict[str, list[UUID]] = {}
        for one in memory_ids:
            of_model.setdefault(written[one].model if one in written else self.models[0], []).append(one)
        versions: dict[UUID, str] = {}
        for model, ids in of_model.items():
            versions |= await self.indexing.versions(tenant, model, ids)
        return versions

    async def _withdraw(self, tenant: str, gone: Sequence[UUID]) -> None:
        if gone:
            for model in self.models:
                await self.vectors.delete(tenant, model, gone)


@dataclass(frozen=True, slots=True)
class Settled:
    """What has become of the memories that were to be written.

    Attributes:
        written: those whose point is that of their row.
        waiting: those that have no vector yet.
    """

    written: Mapping[UUID, Written]
    waiting: frozenset[UUID]


@dataclass(frozen=True, slots=True)
class Index:
    """Handles `memory.enriched`."""

    projection: Projection
    indexing: Indexing
    clock: Clock

    async def __call__(self, tenant: str, events: Sequence[Envelope[MemoryEnriched]]) -> Sequence[Outcome]:
        """Write points and set the stage; one outcome each."""
        ids = list(dict.fromkeys(event.body.memory_id for event in events))
        written = await self.projection.write(tenant, ids)
        marked = await self.indexing.mark(tenant, list(written), self.clock.now())
        # Only now: a predecessor that is recorded or encoded meanwhile either sees that its follower is
        # indexed, and says that it has changed, or is seen here. One of the two sees the other.
        settled = await self.projection.settle(tenant, ids, written)
        progress = {one.memory_id: one for one in marked if one.memory_id in settled.written}

        def indexed(ids: MessageIds) -> MemoryIndexed:
            return MemoryIndexed(**ids, model=settled.written[ids["memory_id"]].model)

        return [
            Retry(reason="the memory has no vector yet")
            if event.body.memory_id in settled.waiting
            else Done(stage_events(tenant, progress.get(event.body.memory_id), indexed))
            for event in events
        ]


@dataclass(frozen=True, slots=True)
class IndexChanges:
    """Handles what others changed about memories: their points follow their rows."""

    projection: Projection

    async def __call__(self, tenant: str, events: Sequence[Envelope[Changed]]) -> Sequence[Outcome]:
        """Write the points of all changed memories once; one outcome each."""
        whole = _memories(event for event in events if not _vectors_stay(event.body))
        rest = [one for one in _memories(events) if one not in set(whole)]
        await self.projection.project(tenant, whole)
        await self.projection.refilter(tenant, rest)
        return [Done()] * len(events)


def _memories(events: Iterable[Envelope[Changed]]) -> list[UUID]:
    return list(dict.fromkeys(one for event in events for one in event.body.memory_ids))


def _vectors_stay(event: Changed) -> bool:
    """Whether nothing changed that a vector or a term is made of; who names no columns may mean any."""
    if isinstance(event, MemoryChanged):
        return bool(event.fields) and _BESIDE_VECTORS.issuperset(event.fields)
    return True


def point(one: Indexable) -> Point:
    """Make the point of a memory: its vectors, its terms, and what it is filtered by."""
    before = (one.preceding_text, one.preceding_language)
    here = (one.memory.content, one.memory.language)
    return Point(
        facets=facets(one.memory),
        text_vector=one.vector,
        window_vector=window_vector(one.vector, one.preceding_vector),
        text_terms=terms(*here),
        window_terms=window_terms([before, here] if one.preceding_text else [here]),
    )


def facets(memory: Memory) -> Facets:
    """Say what a memory is filtered by."""
    return Facets(
        id=memory.id,
        user_id=memory.user_id,
        conversation_id=memory.conversation_id,
        type=memory.type.value,
        kind=memory.kind.value,
        created_at=memory.created_at,
        event_start=memory.event_start,
        event_end=memory.event_end,
        participants=tuple(name.casefold() for name in memory.participants),
        topics=tuple(sorted({key for topic in memory.topics for key in topic_keys(topic, memory.language)})),
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
