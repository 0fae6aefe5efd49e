"""What every `VectorIndex` promises: a subclass gives the fixture `index` and runs every law on its adapter.

    class TestMine(VectorIndexContract): ...

with a fixture named `index` that yields an empty index, closed again at the end.
"""

import asyncio
from dataclasses import replace
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.factories import DIMENSIONS, at, point, unit_vector, unit_vectors
from tests.support.memory_index import MemoryVectorIndex
from tests.support.vector_searches import (
    ALL,
    LAWS,
    MODEL,
    NO_WORDS,
    SCOPES,
    TENANT,
    WORDS,
    VectorScopeContract,
    corpora,
    filled,
    same,
    searched,
    words,
)

from ricordo.index.port import IndexUnavailable, Point, Scope, VectorIndex

COSINE_TOLERANCE = 0.001
"""As components of 11 significant bits change a product of unit vectors by (1 + 2^-11)^2 - 1 at most."""


class VectorIndexContract(VectorScopeContract):
    """Laws of `VectorIndex`."""

    async def test_an_upsert_replaces_the_whole_point(self, index: VectorIndex) -> None:
        await filled(index, point("a", text="cat", topics=("pets",), vector=unit_vector(1)))
        await filled(index, replace(point("a", text="cat"), text_vector=None, window_vector=None))
        (hit,) = await searched(index, vector=unit_vector(1), terms=words("cat"))
        assert (hit.dense, hit.dense_window, hit.bm25 > 0) == (0, 0, True), "found by its words alone"
        ids = [point("a").id]
        near = await index.neighbours(TENANT, MODEL, ALL.user_id, ids, limit=3, threshold=0.1)
        assert not any(near.values())
        await filled(index, point("a", text="dog", vector=unit_vector(2)), point("b", text="bird"))
        assert await index.count(TENANT, MODEL, ALL) == 2
        (hit,) = await searched(index, vector=None, terms=words("dog"))
        assert hit.id == point("a").id
        assert list(await searched(index, terms=words("cat"))) == []
        assert await index.count(TENANT, MODEL, replace(ALL, topics=("pets",))) == 0
        best = max(await searched(index, vector=unit_vector(2)), key=lambda one: one.dense)
        assert best.dense == pytest.approx(1, abs=1e-3)

    async def test_of_a_point_that_is_written_twice_at_once_the_last_counts(self, index: VectorIndex) -> None:
        reference = MemoryVectorIndex()
        for one in (index, reference):
            await filled(one, point("a", text="cat bird"), point("a", text="cat"), point("b", text="dog"))
        rarities = await index.rarities(TENANT, MODEL, "u-1", words("cat bird dog"))
        expected = await reference.rarities(TENANT, MODEL, "u-1", words("cat bird dog"))
        assert rarities == pytest.approx(expected, rel=1e-4)

    async def test_every_hit_carries_all_four_scores(self, index: VectorIndex) -> None:
        """Whoever is a candidate by one signal is scored by all, however far down it stands in the others."""
        vectors = unit_vectors(40, seed=7)
        points = [
            point(f"p-{n}", text=WORDS[n % 10], before=WORDS[n % 7], vector=vectors[n], window=vectors[-n])
            for n in range(40)
        ]
        reference = MemoryVectorIndex()
        for one in (index, reference):
            await filled(one, *points)
        query = unit_vector(3)
        hits = await searched(index, vector=query, terms=words("cat river"), limit=4)
        expected = await searched(reference, vector=query, terms=words("cat river"), limit=40)
        exact = {hit.id: hit for hit in expected}
        assert len(hits) > 4
        for hit in hits:
            same(hit, exact[hit.id])

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
                same(hit, by_id[hit.id])
        terms = words(" ".join((*asked, "unheard")))
        rarities = await index.rarities(tenant, MODEL, "u-1", terms)
        assert rarities == pytest.approx(await reference.rarities(tenant, MODEL, "u-1", terms), rel=1e-4)
        assert await index.rarities("another", MODEL, "u-1", terms) == {}
        present = await reference.present_terms(tenant, MODEL, "u-1", terms.indices.tolist())
        assert set(await index.present_terms(tenant, MODEL, "u-1", terms.indices.tolist())) == set(present)
        assert await index.rarities(tenant, MODEL, "u-1", NO_WORDS) == {}

    async def test_neighbours_are_the_nearest_texts_that_reach_the_threshold(
        self, index: VectorIndex
    ) -> None:
        """Of the user alone, informative and outside of the archive, and never itself."""
        near, others = unit_vectors(2, seed=5)
        texts = [near + others * share for share in np.linspace(0, 2, 120)]
        vectors = [(one / np.linalg.norm(one)).astype(np.float32) for one in texts]
        points = [
            point(
                f"p-{n}",
                vector=one,
                user_id="u-2" if n % 10 == 0 else "u-1",
                archived=n % 7 == 0,
                informative=n % 4 > 0,
            )
            for n, one in enumerate(vectors)
        ]
        await filled(index, *points)
        reference = MemoryVectorIndex()
        await filled(reference, *points)
        asked, threshold = [one.id for one in points], float(near @ vectors[60])
        found, expected = [
            await one.neighbours(TENANT, MODEL, "u-1", asked, limit=10, threshold=threshold)
            for one in (index, reference)
        ]
        assert found.keys() == expected.keys()
        for memory_id, neighbours in found.items():
            exact = [one.cosine for one in expected[memory_id]]
            cosines = [one.cosine for one in neighbours]
            within = [one for one in exact if one >= threshold + COSINE_TOLERANCE]
            assert len(within) <= len(cosines) <= 10
            assert np.allclose(cosines[: len(exact)], exact[: len(cosines)], atol=COSINE_TOLERANCE)

    async def test_equal_texts_are_neighbours_up_to_the_limit(self, index: VectorIndex) -> None:
        await filled(index, *(point(f"p-{n}", vector=unit_vector(1)) for n in range(30)))
        known, asked = {point("p-3").id, point("p-20").id}, [point("p-3").id, uuid4(), point("p-20").id]
        for tenant, ids, named in ((TENANT, asked, known), ("another", asked, set()), (TENANT, [], set())):
            found = await index.neighbours(tenant, MODEL, "u-1", ids, limit=10, threshold=0.9)
            assert found.keys() == named
            assert all(len({one.id for one in near} - {each}) == 10 for each, near in found.items())

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
