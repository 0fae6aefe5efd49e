"""Qdrant's engine in this process: a shard per embedding model, in a folder, owned by one process at a time.

The engine's calls block, and hold the interpreter while they last; they run on one thread of their own, in
portions short enough for the event loop to breathe. Its optimiser is never run here: it would hold the
interpreter for minutes.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, TypeVar
from uuid import UUID

import structlog

from ricordo.adapters.qdrant.candidates import Probe
from ricordo.adapters.qdrant.conditions import collection
from ricordo.adapters.qdrant.edge_shard import COUNTED_FROM, Shard, opened
from ricordo.adapters.qdrant.room import Room
from ricordo.domain.bm25 import SparseVector
from ricordo.ports.vectors import Facets, Hit, IndexUnavailable, Point, Scope, Vector

_log = structlog.stdlib.get_logger(__name__)

T = TypeVar("T")

LEAST_FREE_MB: Final = 256
"""Some 30,000 memories; an empty shard takes 30 of it, and as much again while it is made."""

_PORTION: Final = 16  # points per call: some milliseconds, between which a search has its turn
# A flush takes up to a second, whatever there is to write; what is not flushed is read again from the
# engine's log by a start after a crash, some 4,000 points a second.
_FLUSH_EVERY: Final = 10_000
_FLUSH_AFTER_S: Final = 3.0  # of silence
_BREATH_S: Final = 0.005  # between two portions of counting, which nobody waits for


class EdgeVectorIndex:
    """Implements `VectorIndex` on shards below `folder`.

    Args:
        folder: made where it is missing.
        counted_from: memories of a user from which on the frequencies of the user's words are kept.
        least_free_mb: megabytes on the folder's volume that have to be free for a shard to be opened, half of
            them for it to be changed; see `Room`. What is open is searched all the same.

    Attributes:
        unflushed: changes that so far stand in the engine's log only.
        counting: users whose words are being counted just now.
    """

    def __init__(
        self, folder: Path, *, counted_from: int = COUNTED_FROM, least_free_mb: int = LEAST_FREE_MB
    ) -> None:
        self._folder = folder
        self._room = Room(folder, least_free_mb)
        self._counted_from = counted_from
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="qdrant-edge")
        self._shards: dict[str, Shard] = {}
        self.unflushed = 0
        self._silence: asyncio.TimerHandle | None = None
        self.counting: dict[tuple[str, str, str], asyncio.Task[None]] = {}

    async def prepare(self, model: str, dimensions: int) -> None:
        """Load or create the shard of `model`.

        Raises:
            IndexUnavailable: the folder cannot be written, its volume is nearly full, another process has the
                shard, or it holds vectors of other dimensions.
        """
        await self._run(lambda: self._open(model, dimensions))

    async def upsert(self, tenant: str, model: str, points: Sequence[Point]) -> None:
        """Write points; see `VectorIndex.upsert`."""
        for start in range(0, len(points), _PORTION):
            portion = points[start : start + _PORTION]
            await self._run(partial(self._write, tenant, model, portion))
        if points:
            self._flush_in_silence()

    async def refilter(self, tenant: str, model: str, facets: Sequence[Facets]) -> None:
        """Replace payloads; see `VectorIndex.refilter`."""
        for start in range(0, len(facets), _PORTION):
            portion = facets[start : start + _PORTION]
            await self._run(partial(self._refilter, tenant, model, portion))
        if facets:
            self._flush_in_silence()

    async def delete(self, tenant: str, model: str, ids: Sequence[UUID]) -> None:
        """Remove points of the tenant; see `VectorIndex.delete`."""
        if ids:
            await self._run(lambda: self._delete(tenant, model, ids))
            self._flush_in_silence()

    async def search(
        self,
        tenant: str,
        model: str,
        scope: Scope,
        *,
        vector: Vector | None,
        terms: SparseVector,
        limit: int,
    ) -> Sequence[Hit]:
        """Find candidates with all their scores; see `VectorIndex.search`."""
        probe = Probe(vector, terms)
        hits, uncounted = await self._run(lambda: self._search(tenant, model, scope, probe, limit))
        if uncounted:
            self._count_words(tenant, model, scope.user_id)
        return hits

    async def rarities(
        self, tenant: str, model: str, user_id: str, terms: SparseVector
    ) -> Mapping[int, float]:
        """Return the IDF of terms over the texts of a user; see `VectorIndex.rarities`."""
        return await self._run(lambda: self._shard(model).rarities(tenant, user_id, terms))

    async def count(self, tenant: str, model: str, scope: Scope) -> int:
        """Count the points in `scope`."""
        return await self._run(lambda: self._shard(model).count(tenant, scope))

    async def close(self) -> None:
        """Flush to disk and release the shards; closing twice does nothing."""
        if self._silence is not None:
            self._silence.cancel()
        counting = list(self.counting.values())
        for task in counting:
            task.cancel()
        await asyncio.gather(*counting, return_exceptions=True)
        if self._shards:
            await self._run(self._close)
        self._thread.shutdown(wait=False)

    async def _run(self, work: Callable[[], T]) -> T:
        """Run `work` on the engine's thread; its errors carry a sentence but no type of their own."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except IndexUnavailable:
            raise
        except Exception as error:
            raise IndexUnavailable(f"the vector index failed: {error}") from error

    def _shard(self, model: str) -> Shard:
        shard = self._shards.get(model)
        if shard is None:
            raise IndexUnavailable(f"no collection is open for the model {model}")
        return shard

    def _open(self, model: str, dimensions: int) -> None:
        if model not in self._shards:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._room.require()  # opening writes, too: what a crash has left in the log
            shard = opened(self._folder / collection(model), dimensions)
            self._shards[model] = Shard(shard, counted_from=self._counted_from)

    def _write(self, tenant: str, model: str, points: Sequence[Point]) -> None:
        self._room.require_to_finish()
        self._shard(model).write(tenant, points)
        self._changed(len(points))

    def _refilter(self, tenant: str, model: str, facets: Sequence[Facets]) -> None:
        self._room.require_to_finish()
        self._shard(model).refilter(tenant, facets)
        self._changed(len(facets))

    def _delete(self, tenant: str, model: str, ids: Sequence[UUID]) -> None:
        self._room.require_to_finish()
        self._shard(model).delete(tenant, ids)
        self._changed(len(ids))

    def _search(
        self, tenant: str, model: str, scope: Scope, probe: Probe, limit: int
    ) -> tuple[list[Hit], bool]:
        shard = self._shard(model)
        return shard.search(tenant, scope, probe, limit), shard.uncounted(tenant, scope.user_id)

    def _count_words(self, tenant: str, model: str, user_id: str) -> None:
        """Count beside what is asked meanwhile."""
        key = (model, tenant, user_id)
        if key not in self.counting:
            task = asyncio.create_task(self._all_words(tenant, model, user_id))
            self.counting[key] = task
            task.add_done_callback(lambda _: self.counting.pop(key, None))

    async def _all_words(self, tenant: str, model: str, user_id: str) -> None:
        try:
            more = True
            while more:
                more = await self._run(lambda: self._shard(model).count_words(tenant, user_id))
                await asyncio.sleep(_BREATH_S)
        except IndexUnavailable as error:
            _log.warning("the words of a user could not be counted", error=str(error))

    def _changed(self, points: int) -> None:
        self.unflushed += points
        if self.unflushed >= _FLUSH_EVERY:
            self._flush()

    def _flush_in_silence(self) -> None:
        """Flush once nothing was written for a while."""
        if self._silence is not None:
            self._silence.cancel()
        self._silence = asyncio.get_running_loop().call_later(
            _FLUSH_AFTER_S, self._thread.submit, self._flush_or_tell
        )

    def _flush_or_tell(self) -> None:
        try:
            self._flush()
        except Exception as error:  # noqa: BLE001 - the engine's errors have no type of their own
            _log.error("the vector index could not be flushed", error=str(error))

    def _flush(self) -> None:
        if self.unflushed:
            self._room.require_to_finish()
            for shard in self._shards.values():
                shard.flush()
            self.unflushed = 0

    def _close(self) -> None:
        for model, shard in self._shards.items():
            try:
                self._room.require_to_finish()
                shard.flush()
            except Exception as error:  # noqa: BLE001 - the engine's errors have no type of their own
                # Nothing is lost: the engine's log has it, and is read at the next start.
                _log.error("the vector index could not be flushed", model=model, error=str(error))
            shard.close()
        self._shards.clear()
