"""A Qdrant server: a collection per embedding model, shared by all tenants and separated by filters."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final, TypeVar
from uuid import UUID

import httpx
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

from ricordo.index.port import Facets, Hit, IndexUnavailable, Neighbour, Point, Scope, Vector
from ricordo.index.qdrant import candidates
from ricordo.index.qdrant.candidates import Scores
from ricordo.index.qdrant.conditions import (
    KEYWORDS,
    NUMBERS,
    ONE_LENGTH,
    OWNER,
    TEXT,
    TEXT_TERMS,
    WINDOW,
    WINDOW_TERMS,
    Condition,
    collection,
    corpus,
    dense_vectors,
    in_scope,
    informative,
    of_tenant,
    payload,
)
from ricordo.memory.ranking.bm25 import SparseVector, one_term

Key = TypeVar("Key", str, UUID)

_CONFLICT: Final = 409


class ServerVectorIndex:
    """Implements `VectorIndex` on a Qdrant server."""

    def __init__(self, client: AsyncQdrantClient) -> None:
        self._client = client
        self._prepared: set[str] = set()

    async def prepare(self, model: str, dimensions: int) -> None:
        """Create the collection of `model` and its payload indexes if missing."""
        name = _collection(model)
        with _errors():
            if not await self._client.collection_exists(name):
                await self._create(name, dimensions)
            await self._check(name, dimensions)
            # Also for an existing collection: its creator may have been stopped before the indexes.
            for key, schema in _INDEXES.items():
                await self._client.create_payload_index(name, field_name=key, field_schema=schema, wait=True)
        self._prepared.add(model)

    async def upsert(self, tenant: str, model: str, points: Sequence[Point]) -> None:
        """Write points."""
        with self._opened(model) as name:
            if points:
                await self._client.upsert(name, points=[_point(tenant, point) for point in points], wait=True)

    async def refilter(self, tenant: str, model: str, facets: Sequence[Facets]) -> None:
        """Replace payloads."""
        changes = [
            models.OverwritePayloadOperation(
                overwrite_payload=models.SetPayload(
                    payload=payload(tenant, item), filter=_filter(of_tenant(tenant, [item.id]))
                )
            )
            for item in facets
        ]
        with self._opened(model) as name:
            if changes:
                await self._client.batch_update_points(name, changes, wait=True)

    async def delete(self, tenant: str, model: str, ids: Sequence[UUID]) -> None:
        """Remove points of the tenant."""
        with self._opened(model) as name:
            if ids:
                selector = models.FilterSelector(filter=_filter(of_tenant(tenant, ids)))
                await self._client.delete(name, points_selector=selector, wait=True)

    async def search(
        self, tenant: str, model: str, scope: Scope, *, vector: Vector | None, terms: SparseVector, limit: int
    ) -> Sequence[Hit]:
        """Find candidates with all their scores."""
        probe = candidates.IndexQuery(vector, terms)
        within, statistics = _filter(in_scope(tenant, scope)), _filter(corpus(tenant, scope.user_id))

        with self._opened(model) as name:

            async def scores(signals: Sequence[str], within: models.Filter, limit: int) -> dict[str, Scores]:
                queries = {signal: _query(signal, probe, within, statistics, limit) for signal in signals}
                return await self._batch(name, queries)

            if not probe.naming:
                return list(map(Hit, await self._latest(name, within, limit)))
            found = await scores(probe.naming, within, limit)
            ids = candidates.named(found)
            if again := probe.lacking(found, limit, len(ids)):
                found |= await scores(again, _filter(of_tenant(tenant, ids)), len(ids))
        return candidates.hits(ids, found)

    async def neighbours(
        self, tenant: str, model: str, user_id: str, ids: Sequence[UUID], *, limit: int, threshold: float
    ) -> Mapping[UUID, Sequence[Neighbour]]:
        """Return the nearest memories of each of `ids`."""
        within = Scope(user_id=user_id)
        chosen = _filter(in_scope(tenant, replace(within, ids=ids)))
        with self._opened(model) as name:
            records, _ = await self._client.scroll(
                name, scroll_filter=chosen, limit=len(ids) + 1, with_payload=False, with_vectors=[TEXT]
            )
            requests = {
                UUID(str(record.id)): models.QueryRequest(
                    query=record.vector[TEXT],
                    using=TEXT,
                    filter=_filter(in_scope(tenant, within)),
                    limit=limit + 1,  # itself among them
                    params=models.SearchParams(exact=True),
                    score_threshold=threshold,
                )
                for record in records
                if isinstance(record.vector, dict) and TEXT in record.vector  # a refused text has none
            }
            scores = await self._batch(name, requests)
        return {one: candidates.others(one, found.items(), limit) for one, found in scores.items()}

    async def rarities(
        self, tenant: str, model: str, user_id: str, terms: SparseVector
    ) -> Mapping[int, float]:
        """Return the IDF of terms over the texts of a user.

        The score of a memory for one term is its IDF times the term's weight in the memory.
        """
        found = await self._one_per_term(model, corpus(tenant, user_id), terms.indices.tolist())
        return {term: candidates.idf_of(point, term) for term, point in found.items()}

    async def present_terms(
        self, tenant: str, model: str, user_id: str, terms: Sequence[int]
    ) -> Collection[int]:
        """Return those terms that an informative memory of the user contains."""
        return set(await self._one_per_term(model, informative(tenant, user_id), terms))

    async def _one_per_term(
        self, model: str, within: Condition, terms: Sequence[int]
    ) -> Mapping[int, models.ScoredPoint]:
        """Return a memory for each term that any contains, scored by the statistics of these memories."""
        all_of_them = _filter(within)
        queries = [candidates.IndexQuery(None, one_term(item)) for item in terms]
        requests = [_query(TEXT_TERMS, query, all_of_them, all_of_them, 1) for query in queries]
        for request in requests:
            request.with_vector = [TEXT_TERMS]
        with self._opened(model) as name:
            answers = await self._client.query_batch_points(name, requests) if requests else []
        found = zip(terms, answers, strict=True)
        return {term: answer.points[0] for term, answer in found if answer.points}

    async def count(self, tenant: str, model: str, scope: Scope) -> int:
        """Count the points in `scope`."""
        within = _filter(in_scope(tenant, scope))
        with self._opened(model) as name:
            return (await self._client.count(name, count_filter=within, exact=True)).count

    async def close(self) -> None:
        """Close the connection; the server needs no flush."""
        self._prepared.clear()
        await self._client.close()

    @contextmanager
    def _opened(self, model: str) -> Iterator[str]:
        """Yield the name of a model's collection, for calls that may fail."""
        if model not in self._prepared:
            raise IndexUnavailable(f"no collection is open for the model {model}")
        with _errors():
            yield _collection(model)

    async def _create(self, name: str, dimensions: int) -> None:
        dense = models.VectorParams(size=dimensions, distance=models.Distance.COSINE)
        sparse = models.SparseVectorParams(modifier=models.Modifier.IDF)
        try:
            await self._client.create_collection(
                name,
                vectors_config={TEXT: dense, WINDOW: dense},
                sparse_vectors_config={TEXT_TERMS: sparse, WINDOW_TERMS: sparse},
            )
        except UnexpectedResponse as error:
            if error.status_code != _CONFLICT:  # created by another process meanwhile
                raise

    async def _check(self, name: str, dimensions: int) -> None:
        vectors = (await self._client.get_collection(name)).config.params.vectors
        params = vectors.get(TEXT) if isinstance(vectors, dict) else None
        if params is None or params.size != dimensions:
            found = "other vectors" if params is None else f"vectors of {params.size} dimensions"
            raise IndexUnavailable(f"the collection {name} has {found}, not of {dimensions}: {ONE_LENGTH}")

    async def _batch(self, name: str, requests: Mapping[Key, models.QueryRequest]) -> dict[Key, Scores]:
        """Send all requests at once, and return the scores of each, best first."""
        answers = await self._client.query_batch_points(name, list(requests.values())) if requests else []
        return {
            key: {UUID(str(item.id)): item.score for item in answer.points}
            for key, answer in zip(requests, answers, strict=True)
        }

    async def _latest(self, name: str, within: models.Filter, limit: int) -> list[UUID]:
        order = models.OrderBy(key="created", direction=models.Direction.DESC)
        records, _ = await self._client.scroll(
            name, scroll_filter=within, limit=limit, order_by=order, with_payload=False
        )
        return [UUID(str(record.id)) for record in records]


def _collection(model: str) -> str:
    return f"ricordo-{collection(model)}"


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except (ApiException, httpx.HTTPError, OSError, TimeoutError) as error:
        raise IndexUnavailable(f"Qdrant could not answer: {type(error).__name__}: {error}") from error


_INDEXES: Final[Mapping[str, models.PayloadSchemaType | models.KeywordIndexParams]] = {
    **dict.fromkeys(KEYWORDS, models.PayloadSchemaType.KEYWORD),
    **dict.fromkeys(NUMBERS, models.PayloadSchemaType.FLOAT),
    OWNER: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
}


def _point(tenant: str, point: Point) -> models.PointStruct:
    return models.PointStruct(
        id=str(point.id),
        vector={
            **dense_vectors(point),
            TEXT_TERMS: _sparse(point.text_terms),
            WINDOW_TERMS: _sparse(point.window_terms),
        },
        payload=payload(tenant, point.facets),
    )


def _sparse(terms: SparseVector) -> models.SparseVector:
    return models.SparseVector(indices=terms.indices.tolist(), values=terms.weights.tolist())


def _query(
    name: str, probe: candidates.IndexQuery, within: models.Filter, statistics: models.Filter, limit: int
) -> models.QueryRequest:
    if (vector := probe.dense(name)) is not None:
        return models.QueryRequest(query=vector.tolist(), using=name, filter=within, limit=limit)
    return models.QueryRequest(
        query=_sparse(probe.terms),
        using=name,
        filter=within,
        limit=limit,
        params=models.SearchParams(idf=models.IdfCorpusParams(corpus=statistics)),
    )


def _filter(condition: Condition) -> models.Filter:
    return models.Filter.model_validate(condition)
