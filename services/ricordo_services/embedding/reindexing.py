"""Rebuilds the vector index from PostgreSQL: its worker gets events of all memories, in batches."""

from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

import structlog

from ricordo.clock import Clock
from ricordo.messages.events import IndexRequested
from ricordo.runtime.event_publishing import Emitter
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.reprocessing import ReindexingStore
from ricordo_services.backpressure import Backlog, wait_for_room
from ricordo_services.job_progress import ReindexOrder, ReindexProgress, Report
from ricordo_services.stage_events import requests

if TYPE_CHECKING:  # the engine is in the `local` extra
    from ricordo.index.qdrant.edge import EdgeVectorIndex

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexing:
    """Publishes events of all memories, so that the index writes their points from rows and vectors.

    Nothing is encoded. An interrupted run is simply repeated; if an event is lost,
    reconciliation finds the missing stage. Until a point is written, its memory is found as before.
    """

    memories: ReindexingStore
    lifecycle_store: LifecycleStore
    emitter: Emitter
    index: Backlog
    clock: Clock
    batch: int = 256

    async def run(
        self, order: ReindexOrder, report: Report[ReindexProgress] = lambda _: None
    ) -> ReindexProgress:
        """Publish events of all memories, tenant by tenant.

        Raises:
            BusUnavailable, StoreUnavailable: a server does not answer; published events are handled.
            IndexStuck: the index made no progress for a minute; the next run does the rest.
        """
        began, done = self.clock.monotonic(), ReindexProgress("vectors")
        tenants = await self.lifecycle_store.tenants() if order.tenant is None else [order.tenant]
        for tenant in tenants:
            done.found += await self.memories.count(tenant, order.user_id)
        report(done)
        for tenant in tenants:
            await self._tenant(tenant, order.user_id, done, report)
        done.seconds = self.clock.monotonic() - began
        return done

    async def _tenant(
        self, tenant: str, user_id: str | None, done: ReindexProgress, report: Report[ReindexProgress]
    ) -> None:
        after: UUID | None = None
        while True:
            await wait_for_room(self.index, self.clock)
            released, after = await self.memories.release(tenant, user_id, after, self.batch)
            if released:
                await self.emitter.emit(tenant, requests(IndexRequested, released, "reindex"), bulk=True)
            done.written += len(released)
            report(done)
            if after is None:
                return


@dataclass(frozen=True, slots=True)
class IndexRebuild:
    """Rebuilds all points when the index requests it; an interrupted run starts again."""

    vectors: "EdgeVectorIndex"
    reindexing: Reindexing
    index: Backlog
    clock: Clock

    async def run(self) -> None:
        """Return once no points are missing.

        Raises:
            BusUnavailable, StoreUnavailable, IndexStuck: see `Reindexing.run`.
        """
        while self.vectors.rebuild_wanted.is_set():
            replaced = self.vectors.replaced
            done = await self.reindexing.run(ReindexOrder(projection="vectors"))
            await wait_for_room(self.index, self.clock)
            if await self.vectors.rebuilt(replaced):
                _log.info("vector index rebuilt", memories=done.written, seconds=round(done.seconds, 1))
