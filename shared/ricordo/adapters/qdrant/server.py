"""A Qdrant server: a collection per embedding model, shared by all tenants, each kept apart by its filter."""

import re
from collections.abc import Sequence
from typing import Final
from uuid import UUID

import httpx
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.http.exceptions import ApiException

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

_UNSAFE: Final = re.compile(r"[^a-zA-Z0-9._-]+")
_AWAY: Final = (
    ApiException,
    httpx.HTTPError,
    OSError,
    TimeoutError,
    ValueError,
)  # the last: no such collection


class ServerVectorIndex:
    """Implements `VectorIndex` on a Qdrant server."""

    def __init__(self, client: AsyncQdrantClient, prefix: str = "ricordo") -> None:
        self._client = client
        self._prefix = prefix

    async def prepare(self, model: str, dimensions: int) -> None:
        """Create the collection of `model` and its payload indexes where they are missing.

        Raises:
            IndexUnavailable: the server does not answer, or holds a collection of other dimensions.
        """
        name = self._collection(model)
        try:
            if not await self._client.collection_exists(name):
                await self._create(name, dimensions)
        except _AWAY as error:
            raise _unavailable(error) from error

    async def upsert(self, tenant: str, model: str, points: Sequence[Point]) -> None:
        """Write points; see `VectorIndex.upsert`."""
        if not points:
            return
        try:
            await self._client.upsert(
                self._collection(model), points=[_point(tenant, point) for point in points], wait=True
            )
        except _AWAY as error:
            raise _unavailable(error) from error

    async def delete(self, tenant: str, model: str, ids: Sequence[UUID]) -> None:
        """Remove points of the tenant; see `VectorIndex.delete`."""
        if not ids:
            return
        selector = models.FilterSelector(filter=_filter(of_tenant(tenant, ids)))
        try:
            await self._client.delete(self._collection(model), points_selector=selector, wait=True)
        except _AWAY as error:
            raise _unavailable(error) from error

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
        names = probe.signals
        wanted = in_scope(tenant, scope)
        statistics = _filter(corpus(tenant, scope.user_id))

        async def asked(within: AllOf, most: int) -> dict[str, candidates.Scores]:
            requests = [_query(name, probe, _filter(within), statistics, most) for name in names]
            answers = await self._client.query_batch_points(self._collection(model), requests)
            return {
                name: {UUID(str(one.id)): one.score for one in answer.points}
                for name, answer in zip(names, answers, strict=True)
            }

        try:
            if not names:
                return candidates.hits(await self._latest(model, wanted, limit), {})
            ids = candidates.union(await asked(wanted, limit))
            if not ids:
                return []
            known = AllOf((*wanted.conditions, HasId(tuple(ids))))
            return candidates.hits(ids, await asked(known, len(ids)))
        except _AWAY as error:
            raise _unavailable(error) from error

    async def count(self, tenant: str, model: str, scope: Scope) -> int:
        """Count the points in `scope`."""
        try:
            counted = await self._client.count(
                self._collection(model), count_filter=_filter(in_scope(tenant, scope)), exact=True
            )
        except _AWAY as error:
            raise _unavailable(error) from error
        return counted.count

    async def close(self) -> None:
        """Close the connection; the server needs no flush."""
        await self._client.close()

    def _collection(self, model: str) -> str:
        return f"{self._prefix}-{_UNSAFE.sub('-', model)}"

    async def _create(self, name: str, dimensions: int) -> None:
        dense = models.VectorParams(size=dimensions, distance=models.Distance.COSINE)
        sparse = models.SparseVectorParams(modifier=models.Modifier.IDF)
        await self._client.create_collection(
            name,
            vectors_config={TEXT: dense, WINDOW: dense},
            sparse_vectors_config={TEXT_TERMS: sparse, WINDOW_TERMS: sparse},
        )
        for key, schema in _indexes():
            await self._client.create_payload_index(name, field_name=key, field_schema=schema, wait=True)

    async def _latest(self, model: str, within: AllOf, limit: int) -> list[UUID]:
        order = models.OrderBy(key="created", direction=models.Direction.DESC)
        records, _ = await self._client.scroll(
            self._collection(model),
            scroll_filter=_filter(within),
            limit=limit,
            order_by=order,
            with_payload=False,
        )
        return [UUID(str(record.id)) for record in records]


def _unavailable(error: Exception) -> IndexUnavailable:
    return IndexUnavailable(f"Qdrant could not answer: {type(error).__name__}: {error}")


def _indexes() -> list[tuple[str, models.PayloadSchemaType | models.KeywordIndexParams]]:
    by_tenant = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
    return [
        (KEYWORDS[0], by_tenant),
        *((key, models.PayloadSchemaType.KEYWORD) for key in KEYWORDS[1:]),
        *((key, models.PayloadSchemaType.FLOAT) for key in NUMBERS),
    ]


def _point(tenant: str, point: Point) -> models.PointStruct:
    return models.PointStruct(
        id=str(point.id),
        vector={
            TEXT: point.text_vector.tolist(),
            WINDOW: point.window_vector.tolist(),
            TEXT_TERMS: _sparse(point.text_terms),
            WINDOW_TERMS: _sparse(point.window_terms),
        },
        payload=payload(tenant, point),
    )


def _sparse(terms: SparseVector) -> models.SparseVector:
    return models.SparseVector(indices=terms.indices.tolist(), values=terms.weights.tolist())


def _query(
    name: str, probe: candidates.Probe, within: models.Filter, statistics: models.Filter, limit: int
) -> models.QueryRequest:
    if (vector := probe.dense(name)) is not None:
        return models.QueryRequest(query=vector, using=name, filter=within, limit=limit)
    return models.QueryRequest(
        query=_sparse(probe.terms),
        using=name,
        filter=within,
        limit=limit,
        params=models.SearchParams(idf=models.IdfCorpusParams(corpus=statistics)),
    )


def _filter(condition: AllOf | AnyOf) -> models.Filter:
    parts = [_condition(one) for one in condition.conditions]
    return models.Filter(must=parts) if isinstance(condition, AllOf) else models.Filter(should=parts)


def _condition(condition: Condition) -> models.Condition:
    match condition:
        case Match(key, values):
            return models.FieldCondition(key=key, match=models.MatchAny(any=list(values)))
        case Between(key, at_least, above, below):
            return models.FieldCondition(key=key, range=models.Range(gte=at_least, gt=above, lt=below))
        case HasId(ids):
            return models.HasIdCondition(has_id=[str(one) for one in ids])
        case AllOf() | AnyOf():
            return _filter(condition)
