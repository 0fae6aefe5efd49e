"""Points, scopes and searches of the contract suite of the vector index."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import strategies as st
from tests.fixtures.examples import laws
from tests.support.factories import DIMENSIONS, at, point, unit_vector

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


class VectorScopeContract:
    """Laws of what a search may find."""

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

    async def test_lists_match_any_of_their_values_case_folded(self, index: VectorIndex) -> None:
        points = [
            point("a", text="word", participants=("davide", "Anna"), topics=("mare",)),
            point("b", text="word", participants=("ANNA",), kind="note"),
            point("c", text="word", topics=("Mare", "MONTE"), conversation_id="c-2"),
            point("d", text="word"),
        ]
        await filled(index, *points)
        for scope, names in (
            (replace(ALL, participants=("anna",)), "ab"),
            (replace(ALL, participants=("DAVIDE", "nobody")), "a"),
            (replace(ALL, topics=("monte", "mare")), "ac"),
            (replace(ALL, topics=("mare",), participants=("davide",)), "a"),
            (replace(ALL, topics=("mar",)), ""),
            (replace(ALL, about=("mare", "Anna")), "abc"),
            (replace(ALL, about=("davide",), topics=("mare",)), "a"),
            (replace(ALL, kinds=("note",)), "b"),
            (replace(ALL, kinds=("note", "message")), "abcd"),
            (replace(ALL, types=("semantic",)), ""),
            (replace(ALL, types=("episodic", "semantic")), "abcd"),
            (replace(ALL, conversation_id="c-2"), "c"),
        ):
            assert await named(index, points, names, scope), scope

    async def test_numbers_valence_exclusive_importance_inclusive(self, index: VectorIndex) -> None:
        values = ((-0.9, 0.1), (-0.5, 0.5), (0.0, 0.7), (0.5, 0.7), (0.9, 1.0))
        points = [
            point(letter, text="word", valence=valence, importance=importance)
            for letter, (valence, importance) in zip("abcde", values, strict=True)
        ]
        await filled(index, *points)
        for scope, names in (
            (replace(ALL, above_valence=0.5), "e"),
            (replace(ALL, below_valence=-0.5), "a"),
            (replace(ALL, above_valence=-0.5, below_valence=0.5), "c"),
            (replace(ALL, min_importance=0.7), "cde"),
            (replace(ALL, min_importance=0.7, above_valence=0.1), "de"),
        ):
            assert await named(index, points, names, scope), scope

    async def test_the_archived_and_the_uninformative_are_found_on_request(self, index: VectorIndex) -> None:
        told, idle = point("a", text="word"), point("b", text="word", informative=False)
        points = [
            told,
            idle,
            point("c", text="word", archived=True),
            point("d", text="word", informative=False, archived=True),
        ]
        await filled(index, *points)
        for names, archived, uninformative in (
            ("a", False, False),
            ("ab", False, True),
            ("ac", True, False),
            ("abcd", True, True),
        ):
            scope = replace(MINE, include_archived=archived, include_uninformative=uninformative)
            assert await named(index, points, names, scope), scope
        changed = replace(told.facets, informative=False), replace(idle.facets, informative=True)
        await index.refilter(TENANT, MODEL, changed)
        assert await named(index, points, "b", MINE)

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
        a, b = point("a", text="word one", topics=("sea",)), point("b", text="word", archived=True)
        await filled(index, a, b)
        before = {hit.id: hit for hit in await searched(index, vector=a.text_vector, terms=words("word one"))}
        changed = replace(a.facets, topics=(), importance=0.9), replace(b.facets, archived=False)
        await index.refilter(TENANT, MODEL, changed)
        await index.refilter(TENANT, MODEL, changed)
        await index.refilter(TENANT, MODEL, [])
        after = await searched(index, vector=a.text_vector, terms=words("word one"))
        assert {hit.id for hit in after} == set(before)
        for hit in after:
            same(hit, before[hit.id])
        assert await named(index, [a, b], "ab", MINE)
        assert await named(index, [a, b], "a", replace(MINE, min_importance=0.8))
        assert not await searched(index, replace(MINE, topics=("sea",)), terms=words("word one"))

    async def test_a_filter_makes_no_point_and_changes_no_other_tenants(self, index: VectorIndex) -> None:
        a = point("a", text="word")
        await filled(index, a)
        archived = replace(a.facets, archived=True)
        await index.refilter("other", MODEL, [archived])
        await index.refilter(TENANT, MODEL, [point("b").facets])
        assert await named(index, [a], "a", MINE)
        assert await index.count(TENANT, MODEL, ALL) == 1
        assert await index.count("other", MODEL, ALL) == 0

    async def test_a_range_holds_what_has_one_of_several_times_in_it(self, index: VectorIndex) -> None:
        points = [
            point("a", text="word", created_at=at(90), event=(at(0), at(1)), later=[(at(20), at(30))]),
            point("b", text="word", created_at=at(90), event=(at(20), at(21)), later=[(at(5), at(6))]),
            # It begins before the range and ends in it, and begins in it and ends behind it.
            point("c", text="word", created_at=at(90), event=(at(8), at(12)), later=[(at(14), at(18))]),
        ]
        await filled(index, *points)
        for start, end, names in (
            (at(0), at(2), "a"),
            (at(20), at(31), "ab"),
            (at(2), at(19), "bc"),
            (at(10), at(16), ""),
            (at(13), None, "abc"),
            (None, at(6), "ab"),
            (at(31), at(80), ""),
        ):
            assert await named(index, points, names, replace(ALL, start=start, end=end)), (start, end)
        once = [replace(point.facets, events=point.facets.events[:1]) for point in points]
        await index.refilter(TENANT, MODEL, once)
        assert await named(index, points, "b", replace(ALL, start=at(20), end=at(31)))

    async def test_a_range_holds_what_was_said_in_it_and_what_it_tells_of_in_whole(
        self, index: VectorIndex
    ) -> None:
        points = [
            point("a", text="word", created_at=at(0)),
            point("b", text="word", created_at=at(10)),
            point("c", text="word", created_at=at(20)),
            point("d", text="word", created_at=at(90), event=(at(-5), at(0))),
            point("e", text="word", created_at=at(90), event=(at(5), at(15))),
            point("f", text="word", created_at=at(90), event=(at(10), at(10))),
            point("g", text="word", created_at=at(90) + timedelta(microseconds=1)),
        ]
        await filled(index, *points)
        for start, end, names in (
            (at(0), at(10), "a"),
            (at(10), at(20), "bf"),
            (at(-9), at(-1), ""),
            (at(-9), at(0), "d"),
            (at(-5), at(0), "d"),
            (at(0), at(20), "abef"),
            (at(15), None, "cdefg"),
            (None, at(0), "d"),
            (None, at(5), "ad"),
            (at(90), at(90) + timedelta(microseconds=1), "def"),
        ):
            assert await named(index, points, names, replace(ALL, start=start, end=end)), (start, end)
