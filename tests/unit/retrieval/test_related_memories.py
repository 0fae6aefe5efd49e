"""Memories are compared within their model, and related by those that there are."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.factories import DIMENSIONS, point, recall_plan, unit_vector, unit_vectors
from tests.support.manual_clock import ManualClock
from tests.support.memory_index import MemoryVectorIndex
from tests.support.models import FakeEncoder

from ricordo.index.port import Facets, IndexUnavailable, Point
from ricordo.language.annotations import E5
from ricordo.memory.ranking import Ranked
from ricordo.memory.ranking.bm25 import terms
from ricordo.memory.ranking.fusion import merge_rankings
from ricordo_services.retrieval.recall_plan import RecallPlan
from ricordo_services.retrieval.related_memories import THRESHOLDS, RelatedMemories
from ricordo_services.retrieval.search import Search

TENANT, FORMER = "t-1", "former"
# around one direction, so that many are above a threshold and who is among the nearest differs
TEXTS = unit_vectors(40, seed=2) + 2 * unit_vector(1)
TEXTS = (TEXTS / np.linalg.norm(TEXTS, axis=1, keepdims=True)).astype(np.float32)
POINTS = st.lists(
    st.builds(
        lambda place, user, informative, archived: point(
            f"p-{place}", vector=TEXTS[place], user_id=user, informative=informative, archived=archived
        ),
        place=st.integers(0, len(TEXTS) - 1),
        user=st.sampled_from(("u-1", "u-1", "u-1", "u-2")),
        informative=st.sampled_from((True, True, True, False)),
        archived=st.sampled_from((True, False, False, False)),
    ),
    min_size=12,
    max_size=40,
    unique_by=lambda item: item.id,
)


async def indexed(points: Sequence[Point], *, former: Sequence[Point] = ()) -> MemoryVectorIndex:
    index = MemoryVectorIndex()
    for model, written in ((E5, points), (FORMER, former)):
        await index.prepare(model, DIMENSIONS)
        await index.upsert(TENANT, model, written)
    return index


def ten_nearest(points: Sequence[Point], threshold: float) -> dict[UUID, list[UUID]]:
    """Return the ten nearest of each, straight from the definition."""
    live = [one for one in points if one.facets.informative and not one.facets.archived]
    found = {}
    for one in live:
        cosines = [
            (-float(one.text_vector @ other.text_vector), other.id)
            for other in live
            if one.text_vector is not None and other.text_vector is not None
            if other is not one and other.facets.user_id == one.facets.user_id
        ]
        found[one.id] = [other for cosine, other in sorted(cosines) if -cosine >= threshold][:10]
    return found


@given(points=POINTS, order=st.randoms(use_true_random=False), threshold=st.sampled_from((0.5, 0.8, 0.85)))
async def test_one_of_two_related_memories_is_among_the_ten_nearest_of_the_other(
    points: list[Point], order: "np.random.Generator", threshold: float
) -> None:
    nearest = ten_nearest(points, threshold)
    order.shuffle(points)
    related = RelatedMemories(await indexed(points), (E5,), threshold)
    found = {}
    for one in points:
        near = await related.both_ways(TENANT, one.facets.user_id, one.id)
        assert [each.cosine for each in near] == sorted((each.cosine for each in near), reverse=True)
        found[one.id] = {each.id for each in near}
    for one in points:
        own = nearest.get(one.id, [])
        reverse = {other for other, theirs in nearest.items() if one.id in theirs}
        assert found[one.id] == {*own, *reverse}
        assert all(one.id in found[other] for other in found[one.id])
        shown = await related.nearest(TENANT, one.facets.user_id, [one.id])
        assert [each.id for each in shown.get(one.id, ())] == own


async def test_the_threshold_is_that_of_the_model_unless_one_is_set() -> None:
    side = TEXTS[0] - (TEXTS[0] @ unit_vector(1)) * unit_vector(1)
    side /= np.linalg.norm(side)
    above, below = (
        (cosine * unit_vector(1) + np.sqrt(1 - cosine**2) * side).astype(np.float32)
        for cosine in (THRESHOLDS[E5] + 0.01, THRESHOLDS[E5] - 0.01)
    )
    points = [point("a", vector=unit_vector(1)), point("b", vector=above), point("c", vector=below)]
    index = await indexed(points)

    async def related(threshold: float | None) -> list[UUID]:
        near = await RelatedMemories(index, (E5,), threshold).nearest(TENANT, "u-1", [points[0].id])
        return [one.id for one in near[points[0].id]]

    assert await related(None) == [points[1].id]
    assert await related(0.3) == [points[1].id, points[2].id]
    assert await related(0.9) == []


async def test_memories_are_compared_within_their_model() -> None:
    points = [point(name, vector=unit_vector(1)) for name in "abcd"]
    index = await indexed(points[:2], former=points[2:])
    near = await RelatedMemories(index, (E5, FORMER)).nearest(TENANT, "u-1", [one.id for one in points])
    found = {memory_id: [one.id for one in others] for memory_id, others in near.items()}
    a, b, c, d = (one.id for one in points)
    assert found == {a: [b], b: [a], c: [d], d: [c]}


async def test_an_index_that_is_away_is_told() -> None:
    index = await indexed([point("a")])
    index.away = True
    with pytest.raises(IndexUnavailable):
        await RelatedMemories(index, (E5,)).both_ways(TENANT, "u-1", point("a").id)


NEW, OLD = "new", "old"
LENGTHS: Final = {NEW: 32, OLD: 64}
NOW: Final = datetime(2026, 3, 12, tzinfo=UTC)
SAID: Final = ("my dog sleeps", "the dog eats", "rain for days", "a red car")


def encoders() -> dict[str, FakeEncoder]:
    return {model: FakeEncoder(ManualClock(), model, length) for model, length in LENGTHS.items()}


def points(texts: Mapping[int, str], encoder: FakeEncoder) -> list[Point]:
    """Return points of texts, their ids the keys."""
    return [
        Point(
            facets=Facets(
                id=UUID(int=number), user_id="u-1", conversation_id="c-1", type="", kind="", created_at=NOW
            ),
            text_vector=vector,
            window_vector=vector,
            text_terms=terms(text, "en"),
            window_terms=terms(text, "en"),
        )
        for (number, text), vector in zip(texts.items(), encoder.vectors(list(texts.values())), strict=True)
    ]


@pytest.fixture
async def index() -> MemoryVectorIndex:
    """Return an index: the memories 0 and 2 are of the new model, 1 and 3 of the old one."""
    index = MemoryVectorIndex()
    for place, (model, encoder) in enumerate(encoders().items()):
        await index.prepare(model, LENGTHS[model])
        texts = {number: text for number, text in enumerate(SAID) if number % 2 == place}
        await index.upsert("acme", model, points(texts, encoder))
    return index


def asked(text: str, *models: str) -> RecallPlan:
    vectors = {model: encoders()[model].vectors([text])[0] for model in models}
    plan = recall_plan(text)
    return replace(plan, question=replace(plan.question, vectors=vectors))


async def test_each_is_found_by_the_vector_of_its_own_model(index: MemoryVectorIndex) -> None:
    search = Search(index, NEW, others=(OLD,))
    found = await search.find("acme", asked("my dog", NEW, OLD))
    assert {one.int for one in found.candidates} == {0, 1, 2, 3}
    models = {one.int: candidate.model for one, candidate in found.candidates.items()}
    assert models == {0: NEW, 1: OLD, 2: NEW, 3: OLD}
    for number, model in ((0, NEW), (1, OLD)):
        cosine = np.dot(*encoders()[model].vectors(["my dog", SAID[number]]))
        assert found.candidates[UUID(int=number)].hit.dense == pytest.approx(cosine)


async def test_a_model_that_nobody_can_ask_is_searched_by_words(index: MemoryVectorIndex) -> None:
    search = Search(index, NEW, others=(OLD,))
    found = (await search.find("acme", asked("my dog", NEW))).candidates
    of_old = found[UUID(int=1)]
    assert (of_old.hit.dense, of_old.model) == (0, "")
    assert of_old.hit.bm25 > 0
    assert UUID(int=3) not in found


def ranked(*scored: tuple[int, float]) -> list[Ranked]:
    return [Ranked(UUID(int=number), score) for number, score in scored]


def test_rankings_are_merged_by_rank_and_the_scores_descend() -> None:
    both = merge_rankings([ranked((1, 0.9), (2, 0.8), (3, 0.1)), ranked((4, 0.5), (1, 0.2))])
    assert [one.id.int for one in both] == [1, 4, 2, 3]
    assert [one.score for one in both] == [0.9, 0.8, 0.8, 0.1]
    assert merge_rankings([]) == []
