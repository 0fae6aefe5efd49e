"""Points, scopes and searches of the contract suite of the vector index."""

import random
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import combinations_with_replacement
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import strategies as st
from tests.fixtures.examples import laws
from tests.support.factories import DIMENSIONS, at, point, unit_vector
from tests.support.memory_index import in_scope

from ricordo.index.port import Hit, Point, Scope, Vector, VectorIndex
from ricordo.memory.ranking.bm25 import SparseVector, query_terms

MODEL, TENANT = "model/a", "acme"
ALL = Scope(user_id="u-1", include_archived=True, include_uninformative=True)
MINE = Scope(user_id="u-1")
NO_WORDS = query_terms("", ["en"])
WORDS = "red green blue cat dog bird house river mountain bread".split()
LAWS = laws(25)


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


async def found_by_all(index: VectorIndex, scope: Scope, expected: Collection[UUID]) -> bool:
    """Whether exactly the points of these ids are in `scope`, asked in every way; all say "word"."""
    hits = [
        await searched(index, scope, vector=vector, terms=terms, limit=1_000)
        for vector, terms in ((None, NO_WORDS), (unit_vector(1), NO_WORDS), (None, words("word")))
    ]
    counted = await index.count(TENANT, MODEL, scope)
    return all({hit.id for hit in found} == set(expected) for found in hits) and counted == len(expected)


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


MOMENTS = (*map(at, range(6)), at(3) + timedelta(microseconds=1))
SPANS = list(combinations_with_replacement(MOMENTS[:-1], 2))
CONDITIONS: Sequence[dict[str, Any]] = [
    *({"participants": names} for names in (("anna",), ("DAVIDE", "nobody"))),
    *({"topics": names} for names in (("MONTE", "mare"), ("mare",), ("mar",))),
    *({"about": names} for names in (("mare", "Anna"), ("davide",))),
    *({"kinds": kinds} for kinds in (("note",), ("note", "message"))),
    *({"types": types} for types in (("semantic",), ("episodic", "semantic"))),
    {"conversation_id": "c-2"},
    {"ids": [point("p-3").id, point("p-4").id, point("unknown").id]},
    {"ids": []},
    *({"above_valence": bound} for bound in (-0.5, 0.0, 0.5)),
    *({"below_valence": bound} for bound in (-0.5, 0.0, 0.5)),
    *({"min_importance": bound} for bound in (0.5, 0.7)),
    *({"start": start, "end": end} for start in (None, *MOMENTS) for end in (None, *MOMENTS)),
]


def scopes() -> list[Scope]:
    """Return a scope for each condition alone, for some with one more, and for what is asked for besides."""
    alone = [replace(ALL, **condition) for condition in CONDITIONS]
    pairs = zip(CONDITIONS, CONDITIONS[7:], strict=False)
    besides = [
        Scope(user_id="u-1", include_archived=archived, include_uninformative=uninformative)
        for archived in (False, True)
        for uninformative in (False, True)
    ]
    return [*alone, *(replace(ALL, **(first | second)) for first, second in pairs), *besides]


def points_alike(count: int = 150) -> list[Point]:
    """Return points with few names, numbers and moments among them, so that conditions cut between them."""
    draw = random.Random(7)

    def some(*values: str) -> tuple[str, ...]:
        return tuple(draw.sample(values, draw.randrange(3)))

    return [
        point(
            f"p-{n}",
            text="word",
            user_id=draw.choice(("u-1", "u-1", "u-2")),
            created_at=draw.choice(MOMENTS),
            later=[draw.choice(SPANS) for _ in range(draw.randrange(3))],
            participants=some("davide", "Anna", "ANNA"),
            topics=some("mare", "Mare", "MONTE"),
            type=draw.choice(("episodic", "semantic")),
            kind=draw.choice(("message", "note")),
            conversation_id=draw.choice(("c-1", "c-2")),
            informative=draw.random() < 0.7,
            archived=draw.random() < 0.5,
            valence=draw.choice((-0.9, -0.5, 0.0, 0.5, 0.9)),
            importance=draw.choice((0.1, 0.5, 0.7, 1.0)),
        )
        for n in range(count)
    ]


class VectorScopeContract:
    """Laws of what a search may find."""

    async def test_exactly_what_fulfils_all_conditions_is_in_scope(self, index: VectorIndex) -> None:
        points = points_alike()
        await filled(index, *points)
        for scope in scopes():
            expected = [one.id for one in points if in_scope(one.facets, scope)]
            assert await found_by_all(index, scope, expected), scope

    async def test_users_and_tenants_never_see_each_other(self, index: VectorIndex) -> None:
        await filled(index, point("a", text="cat"), point("b", text="cat", user_id="u-2"))
        await filled(index, point("c", text="cat"), tenant="other")
        for tenant, user, name in ((TENANT, "u-1", "a"), (TENANT, "u-2", "b"), ("other", "u-1", "c")):
            hits = await searched(
                index, Scope(user_id=user), vector=unit_vector(1), terms=words("cat"), tenant=tenant
            )
            assert [hit.id for hit in hits] == [point(name).id]
        assert list(await searched(index, tenant="third")) == []
        assert list(await searched(index, Scope(user_id="nobody"), vector=unit_vector(1))) == []

    async def test_words_name_what_its_window_hides(self, index: VectorIndex) -> None:
        about, away = unit_vector(1), unit_vector(2)
        hidden = point("a", text="word", before="much else " * 20, vector=about, window=away)
        others = [point(f"b-{n}", text="so", before="word", vector=away, window=about) for n in range(9)]
        await filled(index, hidden, *others)
        found = await searched(index, vector=about, terms=words("word"), limit=5)
        [hit] = [hit for hit in found if hit.id == hidden.id]
        assert hit.dense == pytest.approx(1, abs=1e-3)

    async def test_what_points_are_filtered_by_changes_and_their_vectors_stay(
        self, index: VectorIndex
    ) -> None:
        a = point("a", text="word one", topics=("sea",), event=(at(20), at(21)))
        b, c = point("b", text="word", archived=True), point("c", text="word", informative=False)
        await filled(index, a, b, c)
        before = {hit.id: hit for hit in await searched(index, vector=a.text_vector, terms=words("word one"))}
        changed = (
            replace(a.facets, topics=(), importance=0.9, events=()),
            replace(b.facets, archived=False),
            replace(c.facets, informative=True),
        )
        await index.refilter(TENANT, MODEL, changed)
        await index.refilter(TENANT, MODEL, changed)
        await index.refilter(TENANT, MODEL, [])
        after = await searched(index, vector=a.text_vector, terms=words("word one"))
        assert {hit.id for hit in after} == set(before)
        for hit in after:
            same(hit, before[hit.id])
        assert await found_by_all(index, MINE, {a.id, b.id, c.id})
        assert await found_by_all(index, replace(MINE, min_importance=0.8), {a.id})
        assert await found_by_all(index, replace(MINE, start=at(20), end=at(31)), set())
        assert not await searched(index, replace(MINE, topics=("sea",)), terms=words("word one"))

    async def test_a_filter_makes_no_point_and_changes_no_other_tenants(self, index: VectorIndex) -> None:
        a = point("a", text="word")
        await filled(index, a)
        archived = replace(a.facets, archived=True)
        await index.refilter("other", MODEL, [archived])
        await index.refilter(TENANT, MODEL, [point("b").facets])
        assert await found_by_all(index, MINE, {a.id})
        assert await index.count(TENANT, MODEL, ALL) == 1
        assert await index.count("other", MODEL, ALL) == 0
