"""Points, scopes and searches of the contract suite of the vector index."""

from collections.abc import Sequence

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from ricordo.index.port import Hit, Point, Scope, Vector, VectorIndex
from ricordo.memory.ranking.bm25 import SparseVector, query_terms
from ricordo.testing.factories import DIMENSIONS, at, point, unit_vector

MODEL, TENANT = "model/a", "acme"
ALL = Scope(user_id="u-1", include_archived=True, include_uninformative=True)
MINE = Scope(user_id="u-1")
NO_WORDS = query_terms("", ["en"])
WORDS = "red green blue cat dog bird house river mountain bread".split()
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
    expected = {entry.id for entry, letter in zip(points, "abcdefghij", strict=False) if letter in names}
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


@st.composite
def corpora(draw: st.DrawFn) -> list[Point]:
    """Draw points of two users, with few words and moments, so that they meet."""
    count = draw(st.integers(1, 14))
    texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
    users = st.sampled_from(("u-1", "u-1", "u-2"))
    return [
        point(
            f"p-{n}",
            user_id=draw(users),
            text=draw(texts),
            before=draw(texts),
            vector=unit_vector(n),
            window=unit_vector(n + 100),
            created_at=at(draw(st.integers(0, 5))),
            informative=draw(st.sampled_from((True, True, False))),
            archived=draw(st.booleans()),
            valence=draw(st.sampled_from((-0.9, 0.0, 0.9))),
        )
        for n in range(count)
    ]


SCOPES = st.builds(
    Scope,
    user_id=st.just("u-1"),
    start=st.sampled_from((None, at(1), at(3))),
    end=st.sampled_from((None, at(2), at(4))),
    above_valence=st.sampled_from((None, None, 0.0)),
    include_archived=st.booleans(),
    include_uninformative=st.booleans(),
)
