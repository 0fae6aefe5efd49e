"""What every `VectorIndex` promises: a subclass gives the fixture `index` and runs every law on its adapter.

    class TestMine(VectorIndexContract): ...

with a fixture named `index` that yields an empty index, closed again at the end.
"""

# ruff: noqa: D102 - the name of a law says what it states

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ricordo.domain.bm25 import SparseVector, query_terms
from ricordo.ports.vectors import Hit, IndexUnavailable, Point, Scope, Vector, VectorIndex
from ricordo.testing.corpora import SCOPES, WORDS, corpora
from ricordo.testing.factories import DIMENSIONS, at, point, unit_vector, unit_vectors
from ricordo.testing.fakes.vectors import MemoryVectorIndex

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


async def _held_against(index: VectorIndex, points: Sequence[Point]) -> MemoryVectorIndex:
    reference = MemoryVectorIndex()
    for one in (index, reference):
        await filled(one, *points)
    return reference


class VectorIndexContract:
    """Laws of `VectorIndex`."""

    async def test_an_upsert_replaces_the_whole_point(self, index: VectorIndex) -> None:
        await filled(index, point("a", text="cat", topics=("pets",), vector=unit_vector(1)))
        await filled(index, point("a", text="dog", vector=unit_vector(2)), point("b", text="bird"))
        assert await index.count(TENANT, MODEL, ALL) == 2
        (hit,) = await searched(index, vector=None, terms=words("dog"))
        assert hit.id == point("a").id
        assert list(await searched(index, terms=words("cat"))) == []
        assert await index.count(TENANT, MODEL, replace(ALL, topics=("pets",))) == 0
        best = max(await searched(index, vector=unit_vector(2)), key=lambda one: one.dense)
        assert best.dense == pytest.approx(1, abs=1e-3)

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

    async def test_the_archived_are_found_when_asked_for(self, index: VectorIndex) -> None:
        points = [point("a", text="word"), point("b", text="word", archived=True)]
        await filled(index, *points)
        assert await named(index, points, "a", MINE)
        assert await named(index, points, "ab", ALL)
        await filled(index, point("a", text="word", archived=True), point("b", text="word", archived=False))
        assert await named(index, points, "b", MINE)

    async def test_what_tells_nothing_is_found_when_asked_for(self, index: VectorIndex) -> None:
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
            _same(hit, before[hit.id])
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

    async def test_every_hit_carries_all_four_scores(self, index: VectorIndex) -> None:
        """Whoever is a candidate by one signal is scored by all, however far down it stands in the others."""
        vectors = unit_vectors(40, seed=7)
        points = [
            point(f"p-{n}", text=WORDS[n % 10], before=WORDS[n % 7], vector=vectors[n], window=vectors[-n])
            for n in range(40)
        ]
        reference = await _held_against(index, points)
        query = unit_vector(3)
        hits = await searched(index, vector=query, terms=words("cat river"), limit=4)
        expected = await searched(reference, vector=query, terms=words("cat river"), limit=40)
        exact = {hit.id: hit for hit in expected}
        assert len(hits) > 4
        for hit in hits:
            _same(hit, exact[hit.id])

    @LAWS
    @given(points=corpora(), asked=st.lists(st.sampled_from(WORDS), max_size=4), scope=SCOPES)
    async def test_scores_equal_the_reference_with_the_users_own_statistics(
        self, index: VectorIndex, points: list[Point], asked: list[str], scope: Scope
    ) -> None:
        """Cosine as NumPy has it; BM25 with frequencies over that user's memories, archived ones too."""
        tenant, reference = f"t-{uuid4()}", MemoryVectorIndex()
        for one in (index, reference):
            await filled(one, *points, tenant=tenant)
        for vector in (None, unit_vector(5)):
            query = words(" ".join(asked))
            found = await searched(index, scope, vector=vector, terms=query, tenant=tenant)
            expected = await searched(reference, scope, vector=vector, terms=query, tenant=tenant)
            by_id = {hit.id: hit for hit in expected}
            assert {hit.id for hit in found} == set(by_id)
            for hit in found:
                _same(hit, by_id[hit.id])

    @LAWS
    @given(points=corpora(), asked=st.lists(st.sampled_from(WORDS), max_size=4))
    async def test_rarities_are_of_the_users_own_memories(
        self, index: VectorIndex, points: list[Point], asked: list[str]
    ) -> None:
        tenant, reference = f"t-{uuid4()}", MemoryVectorIndex()
        for one in (index, reference):
            await filled(one, *points, tenant=tenant)
        terms = words(" ".join((*asked, "unheard")))
        found = await index.rarities(tenant, MODEL, "u-1", terms)
        assert found == pytest.approx(await reference.rarities(tenant, MODEL, "u-1", terms), rel=1e-4)
        assert await index.rarities("another", MODEL, "u-1", terms) == {}
        assert await index.rarities(tenant, MODEL, "u-1", NO_WORDS) == {}

    async def test_the_nearest_of_many_windows_are_found(self, index: VectorIndex) -> None:
        """An index may look at all of them roughly first."""
        windows = unit_vectors(600, seed=11)
        await filled(index, *(point(f"p-{n}", window=one) for n, one in enumerate(windows)))
        for asked in unit_vectors(5, seed=12):
            found = {hit.id for hit in await searched(index, vector=asked, limit=40)}
            nearest = {point(f"p-{n}").id for n in np.argsort(-(windows @ asked))[:40]}
            assert len(found) == 40
            assert len(found & nearest) >= 38

    async def test_with_nothing_asked_the_latest_come_first(self, index: VectorIndex) -> None:
        await filled(index, *(point(f"p-{n}", created_at=at(n * 7 % 10)) for n in range(10)))
        hits = await searched(index, limit=3)
        assert [hit.id for hit in hits] == [point(f"p-{n}").id for n in (7, 4, 1)]
        assert {(hit.dense, hit.dense_window, hit.bm25, hit.bm25_window) for hit in hits} == {(0, 0, 0, 0)}

    async def test_the_limit_holds_for_each_signal(self, index: VectorIndex) -> None:
        await filled(index, *(point(f"p-{n}", text="word", vector=unit_vector(n)) for n in range(30)))
        assert len(await searched(index, terms=words("word"), limit=5)) >= 5
        dense = await searched(index, vector=unit_vector(3), limit=1)
        assert [hit.id for hit in dense] == [point("p-3").id]

    async def test_a_deletion_is_the_tenants_own(self, index: VectorIndex) -> None:
        await filled(index, point("a"), point("b"))
        ids = [point("a").id, uuid4()]
        await index.delete("other", MODEL, ids)
        assert await index.count(TENANT, MODEL, ALL) == 2
        for _ in range(2):
            await index.delete(TENANT, MODEL, ids)
            assert [hit.id for hit in await searched(index)] == [point("b").id]
        await index.delete(TENANT, MODEL, [])

    async def test_models_are_kept_apart(self, index: VectorIndex) -> None:
        await filled(index, point("a"))
        for other, dimensions in (("model-a", 8), ("model a", 4)):
            await index.prepare(other, dimensions)
            await index.upsert(TENANT, other, [point("b", vector=unit_vector(1, dimensions))])
            assert await index.count(TENANT, other, ALL) == 1
        assert await index.count(TENANT, MODEL, ALL) == 1

    async def test_an_unknown_model_is_unavailable_in_every_way(self, index: VectorIndex) -> None:
        for asked in (
            index.upsert(TENANT, "unknown", [point("a")]),
            index.delete(TENANT, "unknown", [uuid4()]),
            index.search(TENANT, "unknown", ALL, vector=None, terms=NO_WORDS, limit=1),
            index.count(TENANT, "unknown", ALL),
        ):
            with pytest.raises(IndexUnavailable, match="unknown"):
                await asked

    async def test_preparing_again_keeps_what_is_there(self, index: VectorIndex) -> None:
        await filled(index, point("a"))
        await asyncio.gather(*(index.prepare(MODEL, DIMENSIONS) for _ in range(3)))
        assert await index.count(TENANT, MODEL, ALL) == 1

    async def test_searching_while_others_write_finds_whole_points(self, index: VectorIndex) -> None:
        points = [point(f"p-{n}", text="word", before="word") for n in range(120)]
        await filled(index, *points[:20])

        async def write() -> None:
            for start in range(20, 120, 20):
                await index.upsert(TENANT, MODEL, points[start : start + 20])

        async def read() -> None:
            seen = 20
            for _ in range(8):
                hits = await searched(index, vector=points[0].text_vector, terms=words("word"), limit=200)
                assert len(hits) >= seen
                assert all(hit.bm25 > 0 and hit.bm25_window > 0 for hit in hits)
                seen = len(hits)

        await asyncio.gather(write(), read(), read())
        assert await index.count(TENANT, MODEL, ALL) == 120

    async def test_closing_twice_is_fine(self, index: VectorIndex) -> None:
        await filled(index, point("a"))
        await index.close()
        await index.close()


def _same(found: Hit, expected: Hit) -> None:
    scores = (found.dense, found.dense_window, found.bm25, found.bm25_window)
    exact = (expected.dense, expected.dense_window, expected.bm25, expected.bm25_window)
    assert np.allclose(scores, exact, atol=1e-3), (scores, exact)
