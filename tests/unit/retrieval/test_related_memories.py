"""Which memories are related follows from those that there are, in whatever order they came."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.factories import DIMENSIONS, point, unit_vector, unit_vectors
from tests.support.memory_index import MemoryVectorIndex

from ricordo.index.port import IndexUnavailable, Point
from ricordo.language.annotations import MINILM
from ricordo_services.retrieval.related_memories import THRESHOLDS, RelatedMemories

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
    for model, written in ((MINILM, points), (FORMER, former)):
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
    related = RelatedMemories(await indexed(points), (MINILM,), threshold)
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
        for cosine in (THRESHOLDS[MINILM] + 0.01, THRESHOLDS[MINILM] - 0.01)
    )
    points = [point("a", vector=unit_vector(1)), point("b", vector=above), point("c", vector=below)]
    index = await indexed(points)

    async def related(threshold: float | None) -> list[UUID]:
        near = await RelatedMemories(index, (MINILM,), threshold).nearest(TENANT, "u-1", [points[0].id])
        return [one.id for one in near[points[0].id]]

    assert await related(None) == [points[1].id]
    assert await related(0.5) == [points[1].id, points[2].id]
    assert await related(0.9) == []


async def test_memories_are_compared_within_their_model() -> None:
    points = [point(name, vector=unit_vector(1)) for name in "abcd"]
    index = await indexed(points[:2], former=points[2:])
    near = await RelatedMemories(index, (MINILM, FORMER)).nearest(TENANT, "u-1", [one.id for one in points])
    found = {memory_id: [one.id for one in others] for memory_id, others in near.items()}
    a, b, c, d = (one.id for one in points)
    assert found == {a: [b], b: [a], c: [d], d: [c]}


async def test_an_index_that_is_away_is_told() -> None:
    index = await indexed([point("a")])
    index.away = True
    with pytest.raises(IndexUnavailable):
        await RelatedMemories(index, (MINILM,)).both_ways(TENANT, "u-1", point("a").id)
