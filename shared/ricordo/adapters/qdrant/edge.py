"""Qdrant's engine in this process: a shard per embedding model, in a folder, owned by one process at a time.

The engine's calls block, and hold the interpreter while they last; they run on one thread of their own, in
portions short enough for the event loop to breathe. Its optimiser is never run here: it would hold the
interpreter for minutes.
"""

import asyncio
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, TypeVar
from uuid import UUID

import qdrant_edge as edge
import structlog

from ricordo.adapters.qdrant import candidates
from ricordo.adapters.qdrant.conditions import TENANT, collection, corpus, in_scope, of_tenant, payload
from ricordo.adapters.qdrant.edge_requests import (
    INDEXES,
    asked,
    config,
    filter_of,
    id_of,
    latest,
    point_of,
    query,
)
from ricordo.domain.bm25 import SparseVector
from ricordo.ports.vectors import Facets, Hit, IndexUnavailable, Point, Scope, Vector

_log = structlog.stdlib.get_logger(__name__)

T = TypeVar("T")

_PORTION: Final = 16  # points per call: some milliseconds, between which a search has its turn
# A flush takes up to a second, whatever there is to write; what is not flushed is read again from the
# engine's log by a start after a crash, some 4,000 points a second.
_FLUSH_EVERY: Final = 10_000
_FLUSH_AFTER_S: Final = 3.0  # of silence


class EdgeVectorIndex:
    """Implements `VectorIndex` on shards below `folder`.

    Attributes:
        unflushed: changes that so far stand in the engine's log only.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="qdrant-edge")
        self._shards: dict[str, edge.EdgeShard] = {}
        self.unflushed = 0
        self._silence: asyncio.TimerHandle | None = None

    async def prepare(self, model: str, dimensions: int) -> None:
        """Load or create the shard of `model`.

        Raises:
            IndexUnavailable: the folder cannot be written, another process has the shard, or it holds vectors
                of other dimensions.
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
        probe = candidates.Probe(vector, terms)
        return await self._run(lambda: self._search(tenant, model, scope, probe, limit))

    async def count(self, tenant: str, model: str, scope: Scope) -> int:
        """Count the points in `scope`."""
        request = edge.CountRequest(filter=filter_of(in_scope(tenant, scope)), exact=True)
        return await self._run(lambda: self._shard(model).count(request))

    async def close(self) -> None:
        """Flush to disk and release the shards; closing twice does nothing."""
        if self._silence is not None:
            self._silence.cancel()
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

    def _shard(self, model: str) -> edge.EdgeShard:
        shard = self._shards.get(model)
        if shard is None:
            raise IndexUnavailable(f"no collection is open for the model {model}")
        return shard

    def _open(self, model: str, dimensions: int) -> None:
        if model in self._shards:
            return
        path = self._folder / collection(model)
        if not path.exists():
            _create(path, config(dimensions))
        try:
            shard = edge.EdgeShard.load(str(path), config(dimensions))
        except Exception as error:
            if "WouldBlock" in str(error):
                raise IndexUnavailable(f"another process has the vector index in {path} open") from error
            raise
        missing = set(INDEXES) - set(shard.info().payload_schema)
        for key in sorted(missing):  # of a former version, or none yet
            shard.update(edge.UpdateOperation.create_field_index(key, INDEXES[key]))
        self._shards[model] = shard

    def _write(self, tenant: str, model: str, points: Sequence[Point]) -> None:
        shard = self._shard(model)
        shard.update(edge.UpdateOperation.upsert_points([point_of(tenant, point) for point in points]))
        self._changed(len(points))

    def _refilter(self, tenant: str, model: str, facets: Sequence[Facets]) -> None:
        """Write what differs: each key that is written is indexed anew, at a tenth of a millisecond."""
        shard = self._shard(model)
        held = shard.retrieve([one.id for one in facets], with_payload=True, with_vector=False)
        before = {id_of(record.id): record.payload or {} for record in held}
        for one in facets:
            old, new = before.get(one.id, {}), payload(tenant, one)
            if old.get(TENANT) != tenant:  # no point, or not of this tenant
                continue
            if changed := {key: value for key, value in new.items() if old.get(key) != value}:
                shard.update(edge.UpdateOperation.set_payload([one.id], changed))
            if gone := [key for key in old if key not in new]:
                shard.update(edge.UpdateOperation.delete_payload([one.id], gone))
        self._changed(len(facets))

    def _delete(self, tenant: str, model: str, ids: Sequence[UUID]) -> None:
        wanted = filter_of(of_tenant(tenant, ids))
        self._shard(model).update(edge.UpdateOperation.delete_points_by_filter(wanted))
        self._changed(len(ids))

    def _search(
        self, tenant: str, model: str, scope: Scope, probe: candidates.Probe, limit: int
    ) -> list[Hit]:
        shard = self._shard(model)
        within = in_scope(tenant, scope)
        if not probe.signals:
            return candidates.unscored(latest(shard, within, limit))
        statistics = filter_of(corpus(tenant, scope.user_id))
        wanted = filter_of(within)
        first = asked(shard, [query(name, probe, wanted, statistics, limit) for name in probe.naming])
        found = dict(zip(probe.naming, first, strict=True))
        ids = candidates.named(found)
        if again := probe.lacking(found, limit, len(ids)):
            chosen = edge.Filter(must=[edge.HasIdCondition(set(ids))])
            second = asked(shard, [query(name, probe, chosen, statistics, len(ids)) for name in again])
            found |= zip(again, second, strict=True)
        return candidates.hits(ids, found)

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
            for shard in self._shards.values():
                shard.flush()
            self.unflushed = 0

    def _close(self) -> None:
        for shard in self._shards.values():
            shard.flush()
            shard.close()
        self._shards.clear()


def _create(path: Path, config: edge.EdgeConfig) -> None:
    """Make a shard aside and move it in place, so that one half made is never used."""
    aside = path.with_name(f"{path.name}.partial")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    edge.EdgeShard.create(str(aside), config).close()
    aside.rename(path)
