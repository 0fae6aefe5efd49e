"""Qdrant's engine in this process: a shard per embedding model, in a folder owned by one process.

The engine's calls block and hold the interpreter lock; they run on one thread, in portions short enough for
the event loop. Its optimiser is never run, as it would hold the lock for minutes.

A shard that cannot be flushed is opened again; a damaged one is set aside, and its points are to be written
again from PostgreSQL by the owner of the index (`rebuild_wanted`, `rebuilt`).
"""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, TypeVar
from uuid import UUID

from ricordo.index.port import Facets, Hit, IndexUnavailable, Neighbour, Point, Scope, Vector
from ricordo.index.qdrant.candidates import COMPARED_AT_ONCE, IndexQuery
from ricordo.index.qdrant.conditions import collection
from ricordo.index.qdrant.edge_folder import FreeSpace, ShardFolder, is_engine_error
from ricordo.index.qdrant.edge_shard import Shard
from ricordo.index.qdrant.owned_shard import OwnedShard, ShardFailures
from ricordo.memory.ranking.bm25 import SparseVector

T = TypeVar("T")

LEAST_FREE_MB: Final = 256
"""Room for some 30,000 memories; an empty shard takes 30 MB, and as much again while it is created."""

_PORTION: Final = 16  # points per call: some milliseconds, between which a search can run
# A flush takes up to a second, however little there is to write; the rest is read again from the
# engine's log by a start after a crash, some 4,000 points a second.
_FLUSH_EVERY: Final = 10_000
_FLUSH_AFTER_S: Final = 3.0  # of silence
_FLUSH_AGAIN_S: Final = 30.0  # after a flush that failed


class EdgeVectorIndex:
    """Implements `VectorIndex` on shards below `folder`.

    Args:
        least_free_mb: free megabytes on the volume that opening a shard requires; changing it requires half
            of them. An open shard can be searched with less.

    Attributes:
        unflushed: number of changes in the engine's log only.
        failures: what has failed since the start.
        rebuild_wanted: set while a damaged shard is replaced by an empty one; see `rebuilt`.
    """

    def __init__(self, folder: Path, *, least_free_mb: int = LEAST_FREE_MB) -> None:
        self._folder = folder
        self._free_space = FreeSpace(folder, least_free_mb)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="qdrant-edge")
        self._shards: dict[str, OwnedShard] = {}
        self.unflushed = 0
        self._flush_at = _FLUSH_EVERY
        self.failures = ShardFailures()
        self._idle_timer: asyncio.TimerHandle | None = None
        self._flushing: asyncio.Task[None] | None = None
        self.rebuild_wanted = asyncio.Event()

    async def prepare(self, model: str, dimensions: int) -> None:
        """Load or create the shard of `model`.

        Raises:
            IndexUnavailable: the folder cannot be written, its volume is nearly full, another process has the
                shard, or it has vectors of other dimensions.
        """
        if await self._run(lambda: self._open(model, dimensions)):
            self.rebuild_wanted.set()

    async def upsert(self, tenant: str, model: str, points: Sequence[Point]) -> None:
        """Write points."""
        await self._change(model, _portions(points), lambda shard, some: shard.write(tenant, some))

    async def refilter(self, tenant: str, model: str, facets: Sequence[Facets]) -> None:
        """Replace payloads."""
        await self._change(model, _portions(facets), lambda shard, some: shard.refilter(tenant, some))

    async def delete(self, tenant: str, model: str, ids: Sequence[UUID]) -> None:
        """Remove points of the tenant."""
        at_once = [ids] if ids else []
        await self._change(model, at_once, lambda shard, some: shard.delete(tenant, some))

    async def search(
        self, tenant: str, model: str, scope: Scope, *, vector: Vector | None, terms: SparseVector, limit: int
    ) -> Sequence[Hit]:
        """Find candidates with all their scores."""
        probe = IndexQuery(vector, terms)
        return await self._run(lambda: self._shard(model).search(tenant, scope, probe, limit))

    async def neighbours(
        self, tenant: str, model: str, user_id: str, ids: Sequence[UUID], *, limit: int, threshold: float
    ) -> Mapping[UUID, Sequence[Neighbour]]:
        """Return the nearest memories of each of `ids`."""

        def search(portion: Sequence[UUID]) -> Mapping[UUID, Sequence[Neighbour]]:
            return self._shard(model).neighbours(tenant, user_id, portion, limit, threshold)

        near: dict[UUID, Sequence[Neighbour]] = {}
        for start in range(0, len(ids), COMPARED_AT_ONCE):
            near |= await self._run(partial(search, ids[start : start + COMPARED_AT_ONCE]))
        return near

    async def rarities(
        self, tenant: str, model: str, user_id: str, terms: SparseVector
    ) -> Mapping[int, float]:
        """Return the IDF of terms over the texts of a user."""
        return await self._run(lambda: self._shard(model).rarities(tenant, user_id, terms))

    async def present_terms(
        self, tenant: str, model: str, user_id: str, terms: Sequence[int]
    ) -> Collection[int]:
        """Return those terms that an informative memory of the user contains."""
        return await self._run(lambda: self._shard(model).present_terms(tenant, user_id, terms))

    async def count(self, tenant: str, model: str, scope: Scope) -> int:
        """Count the points in `scope`."""
        return await self._run(lambda: self._shard(model).count(tenant, scope))

    @property
    def problem(self) -> str:
        """What is wrong with the index and what to do, as sentences; empty if nothing."""
        if self.rebuild_wanted.is_set():
            return (
                "the vector index was damaged and is being rebuilt from PostgreSQL: recall finds less "
                "until that is done; no action is required"
            )
        if not (reason := self.failures.flush_error):
            return ""
        return (
            f"the vector index could not be flushed ({reason}). No memory is lost, and the flush is retried: "
            f"check the volume of {self._folder}; if this lasts, restart the process"
        )

    @property
    def replaced(self) -> int:
        """Number of damaged shards replaced by this process."""
        return self.failures.replaced

    async def rebuilt(self, replaced: int) -> bool:
        """Record that all points are written again.

        Args:
            replaced: value of `replaced` before the rebuild.

        Returns:
            False if another shard was replaced meanwhile.
        """
        if self.replaced != replaced:
            return False
        for shard in tuple(self._shards.values()):  # the engine's thread may add one at any time
            await self._run(shard.folder.rebuilt)
        self.rebuild_wanted.clear()
        return True

    async def close(self) -> None:
        """Flush to disk and release the shards; closing twice has no effect."""
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        if self._flushing is not None:
            await asyncio.gather(self._flushing, return_exceptions=True)
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        if self._shards:
            await self._run(self._close)
        self._thread.shutdown(wait=False)

    async def _run(self, work: Callable[[], T]) -> T:
        """Run `work` on the engine's thread; its errors have a text but no type of their own."""
        replaced = self.replaced
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except IndexUnavailable:
            raise
        except BaseException as error:
            if not is_engine_error(error):
                raise
            raise IndexUnavailable(f"the vector index failed: {error}") from error
        finally:
            if self.replaced != replaced:
                self.rebuild_wanted.set()

    def _shard(self, model: str) -> Shard:
        owned = self._shards.get(model)
        if owned is None:
            raise IndexUnavailable(f"no collection is open for the model {model}")
        return owned.open()

    def _open(self, model: str, dimensions: int) -> bool:
        """Return whether the points of the shard have yet to be written again."""
        if model not in self._shards:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._free_space.require()  # opening also writes: it replays the log after a crash
            folder = ShardFolder(self._folder / collection(model))
            shard = OwnedShard(folder, dimensions, self.failures)
            shard.open()
            self._shards[model] = shard
        return self._shards[model].folder.awaits_rebuild

    async def _change(
        self, model: str, portions: Sequence[Sequence[T]], change: Callable[[Shard, Sequence[T]], None]
    ) -> None:
        """Change points of a shard, and flush once nothing was written for a while."""

        def work(portion: Sequence[T]) -> None:
            self._free_space.require(to_finish=True)
            change(self._shard(model), portion)
            self.unflushed += len(portion)
            if self.unflushed >= self._flush_at:
                self._try_flush()  # the points are in the engine's log: a failure does not affect the writer

        for portion in portions:
            await self._run(partial(work, portion))
        if portions:
            self._flush_after(_FLUSH_AFTER_S)

    def _flush_after(self, seconds: float) -> None:
        """Flush after so many seconds, unless this is called again in them."""
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        self._idle_timer = asyncio.get_running_loop().call_later(seconds, self._begin_flush)

    def _begin_flush(self) -> None:
        if self._flushing is None or self._flushing.done():
            self._flushing = asyncio.create_task(self._flush_with_retry())

    async def _flush_with_retry(self) -> None:
        """Flush; retry after a while if that fails."""
        if not await self._run(self._try_flush):
            self._flush_after(_FLUSH_AGAIN_S)

    def _try_flush(self) -> bool:
        """Flush; return whether nothing is left to be flushed."""
        if not self.unflushed:
            return True
        try:
            self._free_space.require(to_finish=True)
            for shard in self._shards.values():
                shard.flush()
        except (IndexUnavailable, OSError) as error:
            self.failures.flush_failed(error, self._folder)
            self._flush_at = self.unflushed + _FLUSH_EVERY
            return False
        self.unflushed, self._flush_at, self.failures.flush_error = 0, _FLUSH_EVERY, ""
        return True

    def _close(self) -> None:
        try:
            self._free_space.require(to_finish=True)
        except (IndexUnavailable, OSError) as error:
            self.failures.flush_failed(error, self._folder)
            for shard in self._shards.values():
                shard.abandon()
        else:
            for shard in self._shards.values():
                shard.close()
        self._shards.clear()


def _portions(items: Sequence[T]) -> Sequence[Sequence[T]]:
    """Return items in portions that are short enough for a call."""
    return [items[start : start + _PORTION] for start in range(0, len(items), _PORTION)]
