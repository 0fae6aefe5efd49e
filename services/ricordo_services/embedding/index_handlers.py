"""Writes the points of memories from their rows; the only writer of the vector index."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from ricordo.clock import Clock
from ricordo.memory.model import MessageIds, Progress
from ricordo.messages.events import (
    IndexRequested,
    MemoryArchived,
    MemoryChanged,
    MemoryCompressed,
    MemoryEnriched,
    MemoryForgotten,
    MemoryIndexed,
)
from ricordo.runtime.handling import Done, Envelope, Outcome, Retry
from ricordo.store.stages import Indexable, IndexingStore
from ricordo_services.embedding.index_projection import Projection
from ricordo_services.stage_events import stage_events

# Columns that no vector or term depends on; most changes, by recalls, touch only these.
_WITHOUT_VECTORS = frozenset(
    {
        *(
            "access_count",
            "last_accessed",
            "reinforcement",
            "importance",
            "archived_at",
            "pinned",
            "verified",
        ),
        *("kind", "informative", "tags", "expires_at"),
    }
)

Changed = MemoryChanged | MemoryArchived | MemoryCompressed | MemoryForgotten


@dataclass(frozen=True, slots=True)
class IndexHandler:
    """Handles `memory.enriched` and `index.requested`."""

    projection: Projection
    indexing: IndexingStore
    clock: Clock

    async def __call__(
        self, tenant: str, events: Sequence[Envelope[MemoryEnriched | IndexRequested]]
    ) -> Sequence[Outcome]:
        """Write points and set the stage; one outcome each."""
        ids = list(dict.fromkeys(event.body.memory_id for event in events))
        written: Mapping[UUID, Indexable] = await self.projection.write(tenant, ids)
        mark, known = self.indexing.mark, self.projection.models
        progress, models, waiting = dict[UUID, Progress | None](), dict[UUID, str](), set[UUID]()
        while True:
            versions = {one: row.version for one, row in written.items()}
            marked = await mark(tenant, known, versions, self.clock.now()) if written else {}
            progress |= marked
            models |= {one: written[one].model for one in marked}
            ids = [one for one in ids if one not in marked]
            # What has changed since it was read is written again, and what has gone is deleted.
            settled = await self.projection.settle(tenant, ids, written)
            waiting |= settled.waiting
            written = {one: settled.written[one] for one in ids if one in settled.written}
            if not written:
                break

        def indexed(ids: MessageIds) -> MemoryIndexed:
            return MemoryIndexed(**ids, model=models[ids["memory_id"]])

        return [
            Retry(reason="the memory has no vector yet")
            if event.body.memory_id in waiting
            else Done(stage_events(tenant, progress.get(event.body.memory_id), indexed))
            for event in events
        ]


@dataclass(frozen=True, slots=True)
class IndexChangeHandler:
    """Handles changes of memories: updates their points."""

    projection: Projection

    async def __call__(self, tenant: str, events: Sequence[Envelope[Changed]]) -> Sequence[Outcome]:
        """Write the points of all changed memories once; one outcome each."""
        whole = _memories(event for event in events if not _vectors_stay(event.body))
        rest = [one for one in _memories(events) if one not in set(whole)]
        await self.projection.project(tenant, whole)
        await self.projection.refilter(tenant, rest)
        return [Done()] * len(events)


def _memories(events: Iterable[Envelope[Changed]]) -> list[UUID]:
    """Return the ids of changed memories; a single event may name several."""
    ids: dict[UUID, None] = {}
    for body in (event.body for event in events):
        if isinstance(body, MemoryForgotten | MemoryCompressed):
            ids |= dict.fromkeys(body.memory_ids)
        else:
            ids[body.memory_id] = None
    return list(ids)


def _vectors_stay(event: Changed) -> bool:
    """Whether vectors and terms are unchanged; an event without columns may mean any."""
    if isinstance(event, MemoryChanged):
        return bool(event.fields) and _WITHOUT_VECTORS.issuperset(event.fields)
    return True
