"""A vector index in memory: exact, small, and the reference for the others."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from uuid import UUID

import numpy as np

from ricordo.index.port import Facets, Hit, IndexUnavailable, Neighbour, Point, Scope, Vector
from ricordo.language.annotations import EventTime
from ricordo.memory.ranking.bm25 import SparseVector


class MemoryVectorIndex:
    """Implements `VectorIndex` by looking at every point.

    Attributes:
        away: while set, nothing answers.
    """

    def __init__(self) -> None:
        self.away = False
        self._collections: dict[str, dict[tuple[str, UUID], Point]] = {}
        self._dimensions: dict[str, int] = {}

    async def prepare(self, model: str, dimensions: int) -> None:
        """Create the collection of `model` where it is missing."""
        if self.away:
            raise IndexUnavailable("the index is away")
        if self._dimensions.setdefault(model, dimensions) != dimensions:
            raise IndexUnavailable(f"the collection of {model} has vectors of other dimensions")
        self._collections.setdefault(model, {})

    async def upsert(self, tenant: str, model: str, points: Sequence[Point]) -> None:
        """Write points."""
        collection = self._collection(model)
        vectors = (point.text_vector for point in points if point.text_vector is not None)
        if any(len(vector) != self._dimensions[model] for vector in vectors):
            raise IndexUnavailable("a vector has other dimensions than the collection")
        collection |= {(tenant, point.id): point for point in points}

    async def refilter(self, tenant: str, model: str, facets: Sequence[Facets]) -> None:
        """Replace what points are filtered by."""
        collection = self._collection(model)
        for item in facets:
            if (point := collection.get((tenant, item.id))) is not None:
                collection[tenant, item.id] = replace(point, facets=item)

    async def delete(self, tenant: str, model: str, ids: Sequence[UUID]) -> None:
        """Remove points of the tenant."""
        for item in ids:
            self._collection(model).pop((tenant, item), None)

    async def search(
        self, tenant: str, model: str, scope: Scope, *, vector: Vector | None, terms: SparseVector, limit: int
    ) -> Sequence[Hit]:
        """Find candidates with all their scores."""
        found = self._found(tenant, model, scope)
        if vector is None and not len(terms.indices):
            latest = sorted(found, key=lambda point: point.facets.created_at, reverse=True)[:limit]
            return [Hit(point.id, 0.0, 0.0, 0.0, 0.0) for point in latest]
        owned = [
            point
            for (whose, _), point in self._collection(model).items()
            if (whose, point.facets.user_id) == (tenant, scope.user_id)
        ]
        by_text = _frequencies(terms, [point.text_terms for point in owned])
        by_window = _frequencies(terms, [point.window_terms for point in owned])
        hits = [
            Hit(
                point.id,
                dense=_cosine(vector, point.text_vector),
                dense_window=_cosine(vector, point.window_vector),
                bm25=score(terms, point.text_terms, by_text),
                bm25_window=score(terms, point.window_terms, by_window),
            )
            for point in found
        ]
        return sorted(_best(hits, limit, by_vector=vector is not None), key=lambda hit: hit.id)

    async def neighbours(
        self, tenant: str, model: str, user_id: str, ids: Sequence[UUID], *, limit: int, threshold: float
    ) -> Mapping[UUID, Sequence[Neighbour]]:
        """Return the nearest memories of each of `ids`."""
        points = {point.id: point for point in self._found(tenant, model, Scope(user_id=user_id))}
        near = {}
        for memory_id in points.keys() & set(ids):
            text = points[memory_id].text_vector
            cosines = [Neighbour(other, _cosine(text, point.text_vector)) for other, point in points.items()]
            similar = [item for item in cosines if item.id != memory_id and item.cosine >= threshold]
            near[memory_id] = sorted(similar, key=lambda item: (-item.cosine, item.id))[:limit]
        return near

    async def rarities(
        self, tenant: str, model: str, user_id: str, terms: SparseVector
    ) -> Mapping[int, float]:
        """Return the IDF of terms over the texts of a user."""
        every = Scope(user_id=user_id, include_archived=True, include_uninformative=True)
        texts = [point.text_terms for point in self._found(tenant, model, every)]
        present = {int(term) for text in texts for term in text.indices}
        return {term: rarity for term, rarity in _frequencies(terms, texts).items() if term in present}

    async def present_terms(
        self, tenant: str, model: str, user_id: str, terms: Sequence[int]
    ) -> Collection[int]:
        """Return those terms that an informative memory of the user contains."""
        found = self._found(tenant, model, Scope(user_id=user_id, include_archived=True))
        return set(terms) & {int(term) for point in found for term in point.text_terms.indices}

    async def count(self, tenant: str, model: str, scope: Scope) -> int:
        """Count the points in `scope`."""
        return len(self._found(tenant, model, scope))

    async def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _collection(self, model: str) -> dict[tuple[str, UUID], Point]:
        if self.away or model not in self._collections:
            raise IndexUnavailable(f"no collection is open for the model {model}")
        return self._collections[model]

    def _found(self, tenant: str, model: str, scope: Scope) -> list[Point]:
        collection = self._collection(model)
        return [
            point
            for (whose, _), point in collection.items()
            if whose == tenant and in_scope(point.facets, scope)
        ]


def in_scope(facets: Facets, scope: Scope) -> bool:
    """Whether a search in `scope` may find such a point."""
    return (
        facets.user_id == scope.user_id
        and scope.conversation_id in {None, facets.conversation_id}
        and (scope.ids is None or facets.id in scope.ids)
        and _shares(scope.participants, facets.participants)
        and _shares(scope.topics, facets.topics)
        and _shares(scope.about, (*facets.participants, *facets.topics))
        and _shares(scope.types, (facets.type,))
        and _shares(scope.kinds, (facets.kind,))
        and (scope.above_valence is None or facets.valence > scope.above_valence)
        and (scope.below_valence is None or facets.valence < scope.below_valence)
        and (scope.min_importance is None or facets.importance >= scope.min_importance)
        and (scope.include_archived or not facets.archived)
        and (scope.include_uninformative or facets.informative)
        and _in_time(facets, scope)
    )


def _shares(wanted: Sequence[str], values: Sequence[str]) -> bool:
    return not wanted or not {item.casefold() for item in wanted}.isdisjoint(
        item.casefold() for item in values
    )


def _in_time(facets: Facets, scope: Scope) -> bool:
    """Said in the half-open range, or telling of an event that lies within it."""
    after = scope.start is None or facets.created_at >= scope.start
    if after and (scope.end is None or facets.created_at < scope.end):
        return True
    return any(_lies_in(item, scope) for item in facets.events)


def _lies_in(item: EventTime, scope: Scope) -> bool:
    begins = (scope.start is None or item.start >= scope.start) and (
        scope.end is None or item.start < scope.end
    )
    return begins and (scope.end is None or item.end <= scope.end)


def _frequencies(terms: SparseVector, documents: Sequence[SparseVector]) -> dict[int, float]:
    """Return the IDF of each asked term over the user's documents."""
    return {
        int(term): idf(len(documents), sum(int(term) in document.indices for document in documents))
        for term in terms.indices
    }


def idf(documents: int, containing: int) -> float:
    """Return ln(1 + (N - df + 0.5)/(df + 0.5)), which is positive also for a term of every document."""
    return math.log1p((documents - containing + 0.5) / (containing + 0.5))


def score(query: SparseVector, document: SparseVector, idf_by_term: Mapping[int, float]) -> float:
    """Return the BM25 score of a document; a term without an IDF counts nothing."""
    shared, at_query, at_document = np.intersect1d(query.indices, document.indices, return_indices=True)
    weights = query.weights[at_query] * document.weights[at_document]
    return float(sum(idf_by_term.get(int(i), 0.0) * float(w) for i, w in zip(shared, weights, strict=True)))


def _cosine(vector: Vector | None, other: Vector | None) -> float:
    if vector is None or other is None:
        return 0.0
    return float(np.dot(vector, other) / (np.linalg.norm(vector) * np.linalg.norm(other)))


def _best(hits: Sequence[Hit], limit: int, *, by_vector: bool) -> Iterable[Hit]:
    """Return the best windows by meaning, and texts and windows by words, where they occur."""
    chosen = sorted(hits, key=lambda hit: -hit.dense_window)[:limit] if by_vector else []
    for words in (attrgetter("bm25"), attrgetter("bm25_window")):
        matching = [hit for hit in hits if words(hit) > 0]
        chosen += sorted(matching, key=words, reverse=True)[:limit]
    return {hit.id: hit for hit in chosen}.values()
