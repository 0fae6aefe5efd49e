"""Writing to and searching a vector index, as its contract suite does."""

from collections.abc import Sequence

import numpy as np
from hypothesis import HealthCheck, settings

from ricordo.index.port import Hit, Point, Scope, Vector, VectorIndex
from ricordo.memory.ranking.bm25 import SparseVector, query_terms
from ricordo.testing.factories import DIMENSIONS, unit_vector

MODEL, TENANT = "model/a", "acme"
ALL = Scope(user_id="u-1", include_archived=True, include_uninformative=True)
MINE = Scope(user_id="u-1")
NO_WORDS = query_terms("", ["en"])
# A suite runs in as many classes as there are adapters; each example takes a tenant of its own.
LAWS = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)


def words(text: str) -> SparseVector:
    """Return the query of an English text."""
    return query_terms(text, ["en"])


async def filled(index: VectorIndex, *points: Point, tenant: str = TENANT) -> None:
    """Write points into the collection of the suite's model."""
    await index.prepare(MODEL, DIMENSIONS)
    await index.upsert(tenant, MODEL, points)


async def searched(
    index: VectorIndex,
    scope: Scope = ALL,
    *,
    vector: Vector | None = None,
    terms: SparseVector = NO_WORDS,
    limit: int = 100,
    tenant: str = TENANT,
) -> Sequence[Hit]:
    """Search the collection of the suite's model."""
    return await index.search(tenant, MODEL, scope, vector=vector, terms=terms, limit=limit)


async def named(index: VectorIndex, points: Sequence[Point], names: str, scope: Scope) -> bool:
    """Whether exactly the points with these names, one letter each, are in `scope`, asked in every way."""
    expected = {point.id for point, letter in zip(points, "abcdefghij", strict=False) if letter in names}
    by_scope = {hit.id for hit in await searched(index, scope)}
    by_vector = {hit.id for hit in await searched(index, scope, vector=unit_vector(1))}
    by_words = {hit.id for hit in await searched(index, scope, terms=words("word"))}
    counted = await index.count(TENANT, MODEL, scope)
    return by_scope == by_vector == by_words == expected and counted == len(expected)


def same(found: Hit, expected: Hit) -> None:
    """Assert that the scores of two hits agree to three digits."""
    scores = (found.dense, found.dense_window, found.bm25, found.bm25_window)
    exact = (expected.dense, expected.dense_window, expected.bm25, expected.bm25_window)
    assert np.allclose(scores, exact, atol=1e-3), (scores, exact)
