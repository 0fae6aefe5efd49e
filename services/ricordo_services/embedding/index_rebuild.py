"""What a damaged vector index has lost is written anew from PostgreSQL, beside the work of the index."""

import asyncio
from dataclasses import dataclass
from typing import Protocol

import structlog

from ricordo.clock import Clock
from ricordo_services.backpressure import Backlog, wait_for_room
from ricordo_services.embedding.reindexing import Reindexing
from ricordo_services.job_progress import ReindexOrder

_log = structlog.stdlib.get_logger(__name__)


class ReplacedIndex(Protocol):
    """An index that may replace a damaged part of itself by an empty one."""

    rebuild_wanted: asyncio.Event

    @property
    def replaced(self) -> int:
        """How often it has done so."""
        ...

    async def rebuilt(self, replaced: int) -> bool:
        """Note that all are written, unless `replaced` has changed."""
        ...


@dataclass(frozen=True, slots=True)
class IndexRebuild:
    """Has all points written anew where the index asks for it; a run that is cut off is begun again."""

    vectors: ReplacedIndex
    repoint: Reindexing
    index: Backlog
    clock: Clock

    async def run(self) -> None:
        """Return once no points are missing.

        Raises:
            BusUnavailable, StoreUnavailable, IndexStuck: see `Repoint.run`.
        """
        while self.vectors.rebuild_wanted.is_set():
            replaced = self.vectors.replaced
            done = await self.repoint.run(ReindexOrder(projection="vectors"))
            await wait_for_room(self.index, self.clock)
            if await self.vectors.rebuilt(replaced):
                _log.info(
                    "the vector index is written anew", memories=done.written, seconds=round(done.seconds, 1)
                )
