"""Writing the vector index anew: the worker that owns it is told of all memories again, some at a time."""

from dataclasses import dataclass
from uuid import UUID

from ricordo.clock import Clock
from ricordo.messages.events import MemoryEnriched
from ricordo.runtime.event_publishing import Emitter
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.reprocessing import ReindexingStore
from ricordo_services.backpressure import Backlog, wait_for_room
from ricordo_services.job_progress import ReindexOrder, ReindexProgress, ReindexReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexing:
    """Has the index write the points of all memories, from their rows and the vectors that are kept.

    Nothing is encoded. An interrupted run is simply repeated; should the index not have been
    told of a memory, its missing stage tells the reconciliation. Until a point is written, its memory is
    found as before.
    """

    memories: ReindexingStore
    life: LifecycleStore
    emitter: Emitter
    index: Backlog
    clock: Clock
    batch: int = 256

    async def run(self, order: ReindexOrder, report: ReindexReport = lambda _: None) -> ReindexProgress:
        """Tell the index of all memories, one tenant after the other.

        Raises:
            BusUnavailable, StoreUnavailable: a server does not answer; what was told of follows.
            IndexStuck: the points did not follow for a minute; the others are told of by the next run.
        """
        began, done = self.clock.monotonic(), ReindexProgress("vectors")
        tenants = await self.life.tenants() if order.tenant is None else [order.tenant]
        for tenant in tenants:
            done.found += await self.memories.count(tenant, order.user_id)
        report(done)
        for tenant in tenants:
            await self._tenant(tenant, order.user_id, done, report)
        done.seconds = self.clock.monotonic() - began
        return done

    async def _tenant(
        self, tenant: str, user_id: str | None, done: ReindexProgress, report: ReindexReport
    ) -> None:
        after: UUID | None = None
        while True:
            await wait_for_room(self.index, self.clock)
            released, after = await self.memories.release(tenant, user_id, after, self.batch)
            if released:
                events = [MemoryEnriched(**one.ids, version="points") for one in released]
                await self.emitter.emit(tenant, events)
            done.written += len(released)
            report(done)
            if after is None:
                return
