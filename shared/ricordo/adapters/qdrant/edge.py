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

from ricordo.adapters.qdrant import candidates
from ricordo.adapters.qdrant.conditions import (
    KEYWORDS,
    NUMBERS,
    TENANT,
    TEXT,
    TEXT_TERMS,
    WINDOW,
    WINDOW_TERMS,
    AllOf,
    AnyOf,
    Between,
    Condition,
    HasId,
    Match,
    collection,
    corpus,
    in_scope,
    of_tenant,
    payload,
)
from ricordo.domain.bm25 import SparseVector
from ricordo.ports.vectors import Facets, Hit, IndexUnavailable, Point, Scope, Vector

T = TypeVar("T")

_Part = (
    edge.FieldCondition
    | edge.IsEmptyCondition
    | edge.IsNullCondition
    | edge.HasIdCondition
    | edge.HasVectorCondition
    | edge.NestedCondition
    | edge.Filter
)

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
        request = edge.CountRequest(filter=_filter(in_scope(tenant, scope)), exact=True)
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
            _create(path, _config(dimensions))
        try:
            shard = edge.EdgeShard.load(str(path), _config(dimensions))
        except Exception as error:
            if "WouldBlock" in str(error):
                raise IndexUnavailable(f"another process has the vector index in {path} open") from error
            raise
        missing = set(_INDEXES) - set(shard.info().payload_schema)
        for key in sorted(missing):  # of a former version, or none yet
            shard.update(edge.UpdateOperation.create_field_index(key, _INDEXES[key]))
        self._shards[model] = shard

    def _write(self, tenant: str, model: str, points: Sequence[Point]) -> None:
        shard = self._shard(model)
        shard.update(edge.UpdateOperation.upsert_points([_point(tenant, point) for point in points]))
        self.unflushed += len(points)
        if self.unflushed >= _FLUSH_EVERY:
            self._flush()

    def _refilter(self, tenant: str, model: str, facets: Sequence[Facets]) -> None:
        """Write what differs: each key that is written is indexed anew, at a tenth of a millisecond."""
        shard = self._shard(model)
        held = shard.retrieve([one.id for one in facets], with_payload=True, with_vector=False)
        before = {_id(record.id): record.payload or {} for record in held}
        for one in facets:
            old, new = before.get(one.id, {}), payload(tenant, one)
            if old.get(TENANT) != tenant:  # no point, or not of this tenant
                continue
            if changed := {key: value for key, value in new.items() if old.get(key) != value}:
                shard.update(edge.UpdateOperation.set_payload([one.id], changed))
            if gone := [key for key in old if key not in new]:
                shard.update(edge.UpdateOperation.delete_payload([one.id], gone))
            self.unflushed += 1

    def _delete(self, tenant: str, model: str, ids: Sequence[UUID]) -> None:
        wanted = _filter(of_tenant(tenant, ids))
        self._shard(model).update(edge.UpdateOperation.delete_points_by_filter(wanted))
        self.unflushed += len(ids)

    def _search(
        self, tenant: str, model: str, scope: Scope, probe: candidates.Probe, limit: int
    ) -> list[Hit]:
        shard = self._shard(model)
        within = in_scope(tenant, scope)
        if not probe.signals:
            return candidates.unscored(_latest(shard, within, limit))
        statistics = _filter(corpus(tenant, scope.user_id))
        wanted = _filter(within)
        first = _asked(shard, [_query(name, probe, wanted, statistics, limit) for name in probe.naming])
        found = dict(zip(probe.naming, first, strict=True))
        ids = candidates.named(found)
        if again := probe.lacking(found, limit, len(ids)):
            chosen = edge.Filter(must=[edge.HasIdCondition(set(ids))])
            second = _asked(shard, [_query(name, probe, chosen, statistics, len(ids)) for name in again])
            found |= zip(again, second, strict=True)
        return candidates.hits(ids, found)

    def _flush_in_silence(self) -> None:
        """Flush once nothing was written for a while."""
        if self._silence is not None:
            self._silence.cancel()
        self._silence = asyncio.get_running_loop().call_later(
            _FLUSH_AFTER_S, self._thread.submit, self._flush
        )

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


def _config(dimensions: int) -> edge.EdgeConfig:
    dense = edge.EdgeVectorParams(size=dimensions, distance=edge.Distance.Cosine)
    sparse = edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)
    return edge.EdgeConfig(
        vectors={TEXT: dense, WINDOW: dense}, sparse_vectors={TEXT_TERMS: sparse, WINDOW_TERMS: sparse}
    )


_INDEXES: Final = {
    **dict.fromkeys(KEYWORDS, edge.PayloadSchemaType.Keyword),
    **dict.fromkeys(NUMBERS, edge.PayloadSchemaType.Float),
}


def _point(tenant: str, point: Point) -> edge.Point:
    return edge.Point(
        point.id,
        {
            TEXT: point.text_vector.tolist(),
            WINDOW: point.window_vector.tolist(),
            TEXT_TERMS: _sparse(point.text_terms),
            WINDOW_TERMS: _sparse(point.window_terms),
        },
        payload(tenant, point.facets),
    )


def _sparse(terms: SparseVector) -> edge.SparseVector:
    return edge.SparseVector(terms.indices.tolist(), terms.weights.tolist())


def _query(
    name: str, probe: candidates.Probe, within: edge.Filter, statistics: edge.Filter, limit: int
) -> edge.QueryRequest:
    if (vector := probe.dense(name)) is not None:
        nearest = edge.Query.Nearest(vector.tolist(), using=name)
        return edge.QueryRequest(limit=limit, query=nearest, filter=within)
    return edge.QueryRequest(
        limit=limit,
        query=edge.Query.Nearest(_sparse(probe.terms), using=name),
        filter=within,
        params=edge.SearchParams(idf=edge.IdfParams(corpus=statistics)),
    )


def _asked(shard: edge.EdgeShard, requests: list[edge.QueryRequest]) -> list[candidates.Scores]:
    answers = shard.query_batch(edge.QueryBatchRequest(requests))
    return [{_id(one.id): one.score for one in answer} for answer in answers]


def _latest(shard: edge.EdgeShard, within: AllOf, limit: int) -> list[UUID]:
    order = edge.OrderBy("created", direction=edge.Direction.Desc)
    request = edge.ScrollRequest(limit=limit, filter=_filter(within), order_by=order)
    return [_id(record.id) for record in shard.scroll(request)[0]]


def _id(found: int | UUID | str) -> UUID:
    return found if isinstance(found, UUID) else UUID(str(found))


def _filter(condition: AllOf | AnyOf) -> edge.Filter:
    parts: list[_Part] = [_condition(one) for one in condition.conditions]
    return edge.Filter(must=parts) if isinstance(condition, AllOf) else edge.Filter(should=parts)


def _condition(condition: Condition) -> _Part:
    match condition:
        case Match(key, (value,)):
            return edge.FieldCondition(key=key, match=edge.MatchValue(value=value))
        case Match(key, values):
            return edge.FieldCondition(key=key, match=edge.MatchAny(any=list(values)))
        case Between(key, at_least, above, below):
            return edge.FieldCondition(key=key, range=edge.RangeFloat(gte=at_least, gt=above, lt=below))
        case HasId(ids):
            return edge.HasIdCondition(set(ids))
        case AllOf() | AnyOf():
            return _filter(condition)
