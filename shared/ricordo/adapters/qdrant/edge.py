"""Qdrant's engine in this process: a shard per embedding model, in a folder, owned by one process at a time.

The engine's calls block, so they run on one thread of their own, each short. Its optimiser is never run here:
it would hold the whole interpreter for as long as it takes.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar
from uuid import UUID

import qdrant_edge as edge

from ricordo.adapters.qdrant import candidates
from ricordo.adapters.qdrant.conditions import (
    KEYWORDS,
    NUMBERS,
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
    corpus,
    in_scope,
    of_tenant,
    payload,
)
from ricordo.domain.bm25 import SparseVector
from ricordo.ports.vectors import Hit, IndexUnavailable, Point, Scope, Vector

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

_FLUSH_EVERY: Final = 2_000  # points: what a start after a crash has to read again stays short
_UNSAFE: Final = re.compile(r"[^a-zA-Z0-9._-]+")


class EdgeVectorIndex:
    """Implements `VectorIndex` on shards below `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="qdrant-edge")
        self._shards: dict[str, edge.EdgeShard] = {}
        self._unflushed = 0

    async def prepare(self, model: str, dimensions: int) -> None:
        """Load or create the shard of `model`.

        Raises:
            IndexUnavailable: the folder cannot be written, or another process has the shard.
        """
        await self._run(lambda: self._open(model, dimensions))

    async def upsert(self, tenant: str, model: str, points: Sequence[Point]) -> None:
        """Write points; see `VectorIndex.upsert`."""
        if points:
            await self._run(lambda: self._write(tenant, model, points))

    async def delete(self, tenant: str, model: str, ids: Sequence[UUID]) -> None:
        """Remove points of the tenant; see `VectorIndex.delete`."""
        if ids:
            wanted = _filter(of_tenant(tenant, ids))
            operation = edge.UpdateOperation.delete_points_by_filter(wanted)
            await self._run(lambda: self._shard(model).update(operation))

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
        if self._shards:
            await self._run(self._close)
        self._thread.shutdown(wait=False)

    async def _run(self, work: Callable[[], T]) -> T:
        """Run `work` on the engine's thread; its errors carry a sentence but no type of their own."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
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
        path = self._folder / _UNSAFE.sub("-", model)
        if (path / "segments").is_dir():
            self._shards[model] = edge.EdgeShard.load(str(path))
            return
        path.mkdir(parents=True, exist_ok=True)
        shard = edge.EdgeShard.create(str(path), _config(dimensions))
        for key, schema in _indexes():
            shard.update(edge.UpdateOperation.create_field_index(key, schema))
        self._shards[model] = shard

    def _write(self, tenant: str, model: str, points: Sequence[Point]) -> None:
        shard = self._shard(model)
        shard.update(edge.UpdateOperation.upsert_points([_point(tenant, point) for point in points]))
        self._unflushed += len(points)
        if self._unflushed >= _FLUSH_EVERY:
            shard.flush()
            self._unflushed = 0

    def _search(
        self, tenant: str, model: str, scope: Scope, probe: candidates.Probe, limit: int
    ) -> list[Hit]:
        shard = self._shard(model)
        names = probe.signals
        wanted = in_scope(tenant, scope)
        if not names:
            return candidates.hits(_latest(shard, wanted, limit), {})
        statistics = _filter(corpus(tenant, scope.user_id))

        def asked(within: AllOf, most: int) -> dict[str, candidates.Scores]:
            requests = [_query(name, probe, _filter(within), statistics, most) for name in names]
            answers = shard.query_batch(edge.QueryBatchRequest(requests))
            return {
                name: {UUID(str(one.id)): one.score for one in answer}
                for name, answer in zip(names, answers, strict=True)
            }

        first = asked(wanted, limit)
        ids = candidates.union(first)
        if not ids:
            return []
        known = AllOf((*wanted.conditions, HasId(tuple(ids))))
        return candidates.hits(ids, asked(known, len(ids)))

    def _close(self) -> None:
        for shard in self._shards.values():
            shard.flush()
            shard.close()
        self._shards.clear()


def _config(dimensions: int) -> edge.EdgeConfig:
    dense = edge.EdgeVectorParams(size=dimensions, distance=edge.Distance.Cosine)
    sparse = edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)
    return edge.EdgeConfig(
        vectors={TEXT: dense, WINDOW: dense}, sparse_vectors={TEXT_TERMS: sparse, WINDOW_TERMS: sparse}
    )


def _indexes() -> list[tuple[str, edge.PayloadSchemaType]]:
    return [
        *((key, edge.PayloadSchemaType.Keyword) for key in KEYWORDS),
        *((key, edge.PayloadSchemaType.Float) for key in NUMBERS),
    ]


def _point(tenant: str, point: Point) -> edge.Point:
    return edge.Point(
        point.id,
        {
            TEXT: point.text_vector.tolist(),
            WINDOW: point.window_vector.tolist(),
            TEXT_TERMS: _sparse(point.text_terms),
            WINDOW_TERMS: _sparse(point.window_terms),
        },
        payload(tenant, point),
    )


def _sparse(terms: SparseVector) -> edge.SparseVector:
    return edge.SparseVector(terms.indices.tolist(), terms.weights.tolist())


def _query(
    name: str, probe: candidates.Probe, within: edge.Filter, statistics: edge.Filter, limit: int
) -> edge.QueryRequest:
    if (vector := probe.dense(name)) is not None:
        return edge.QueryRequest(limit=limit, query=edge.Query.Nearest(vector, using=name), filter=within)
    return edge.QueryRequest(
        limit=limit,
        query=edge.Query.Nearest(_sparse(probe.terms), using=name),
        filter=within,
        params=edge.SearchParams(idf=edge.IdfParams(corpus=statistics)),
    )


def _latest(shard: edge.EdgeShard, within: AllOf, limit: int) -> list[UUID]:
    order = edge.OrderBy("created", direction=edge.Direction.Desc)
    request = edge.ScrollRequest(limit=limit, filter=_filter(within), order_by=order)
    return [UUID(str(record.id)) for record in shard.scroll(request)[0]]


def _filter(condition: AllOf | AnyOf) -> edge.Filter:
    parts: list[_Part] = [_condition(one) for one in condition.conditions]
    return edge.Filter(must=parts) if isinstance(condition, AllOf) else edge.Filter(should=parts)


def _condition(condition: Condition) -> _Part:
    match condition:
        case Match(key, values):
            return edge.FieldCondition(key=key, match=edge.MatchAny(any=list(values)))
        case Between(key, at_least, above, below):
            return edge.FieldCondition(key=key, range=edge.RangeFloat(gte=at_least, gt=above, lt=below))
        case HasId(ids):
            return edge.HasIdCondition(set(ids))
        case AllOf() | AnyOf():
            return _filter(condition)
