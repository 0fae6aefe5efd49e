"""A damaged index is rebuilt until nothing of it is missing."""

import asyncio
from typing import cast

from tests.support.manual_clock import ManualClock

from ricordo.index.qdrant.edge import EdgeVectorIndex
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.periodic import Periodic
from ricordo_services.backpressure import Backlog
from ricordo_services.embedding.reindexing import IndexRebuild, Reindexing
from ricordo_services.job_progress import ReindexOrder, ReindexProgress


class Index:
    """An index that has replaced a shard, and replaces more of them while it is written anew."""

    def __init__(self, *, more: int) -> None:
        self.rebuild_wanted = asyncio.Event()
        self.rebuild_wanted.set()
        self.replaced = 1
        self.more = more

    async def rebuilt(self, replaced: int) -> bool:
        if replaced != self.replaced:
            return False
        self.rebuild_wanted.clear()
        return True


class Rewriting:
    """Stands in for the job that has all points written."""

    def __init__(self, index: Index, *, failures: int = 0) -> None:
        self.index, self.failures, self.runs = index, failures, 0

    async def run(self, order: ReindexOrder) -> ReindexProgress:
        assert order == ReindexOrder(projection="vectors")
        if self.failures:
            self.failures -= 1
            raise ConnectionError("away")
        self.runs += 1
        if self.index.more:
            self.index.more -= 1
            self.index.replaced += 1
        return ReindexProgress("vectors", found=1, written=1)


class Idle:
    """A worker with nothing before it."""

    async def waiting(self) -> int:
        return 0


def rebuild(index: Index, rewriting: Rewriting, clock: ManualClock) -> IndexRebuild:
    return IndexRebuild(
        cast(EdgeVectorIndex, index), cast(Reindexing, rewriting), cast(Backlog, Idle()), clock
    )


async def test_what_is_replaced_meanwhile_is_written_too() -> None:
    index = Index(more=2)
    rewriting = Rewriting(index)
    await rebuild(index, rewriting, ManualClock()).run()
    assert rewriting.runs == 3


async def test_a_server_that_is_away_puts_it_off() -> None:
    index, clock = Index(more=0), ManualClock()
    rewriting = Rewriting(index, failures=3)
    job = Periodic(
        name="rebuild-index",
        job=rebuild(index, rewriting, clock).run,
        interval=3600,
        clock=clock,
        backoff=Backoff(first=1, jitter=0),
        woken=index.rebuild_wanted,
    )
    stopping = asyncio.Event()
    running = asyncio.create_task(job.run(stopping, lambda: None))
    await clock.advance(10)
    assert (rewriting.runs, index.rebuild_wanted.is_set(), job.health.failed) == (1, False, 3)
    stopping.set()
    await running
