"""Neighbourhoods: the mutually nearest, from whatever arrives and leaves in whatever order."""

import random
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.memory.links import LinkChanges, LinkedMember, Neighbourhood
from ricordo.memory.similarity import MOST, MOST_DIMENSIONS, SKETCHED_FROM, quantize
from ricordo.testing.factories import unit_vectors

THRESHOLD = 0.6
DIRECTIONS = [quantize(one) for one in unit_vectors(9, 4, seed=3)]
_MEMBERS = st.lists(
    st.builds(
        LinkedMember,
        memory_id=st.integers(0, 2**128 - 1).map(lambda number: UUID(int=number)),
        said_at=st.integers(0, 5),
        vector=st.sampled_from(DIRECTIONS),
    ),
    max_size=90,
    unique_by=lambda one: one.memory_id,
)


class Kept:
    """What a store holds: who is linked, and who is related."""

    def __init__(self) -> None:
        self.members: dict[UUID, LinkedMember] = {}
        self.related: dict[UUID, tuple[UUID, ...]] = {}

    def write(self, changes: LinkChanges) -> None:
        for gone in changes.left:
            del self.members[gone]
        for one in changes.joined:
            self.members[one.memory_id] = one
        for memory_id, nearest in changes.nearest.items():
            self.members[memory_id] = replace(self.members[memory_id], nearest=nearest)
        self.related |= changes.related

    def read(self, order: random.Random, sketched_from: int) -> Neighbourhood:
        neighbourhood = Neighbourhood(THRESHOLD, 4, sketched_from=sketched_from)
        members = list(self.members.values())
        order.shuffle(members)
        neighbourhood.load(members[: len(members) // 2])
        neighbourhood.load(members[len(members) // 2 :])
        neighbourhood.settle()
        return neighbourhood

    def shown(self) -> dict[UUID, tuple[UUID, ...]]:
        return {one: self.related[one] for one in self.members}


_SKETCHED = st.sampled_from([1, 40, SKETCHED_FROM])


def expected(members: Sequence[LinkedMember]) -> dict[UUID, tuple[UUID, ...]]:
    """Say who is related to whom, nearest first, straight from the definition."""

    def nearest(host: LinkedMember) -> list[UUID]:
        found = []
        for guest in members:
            product = int(host.vector.astype(int) @ guest.vector.astype(int))
            cosine, later = round(product / 4000**2, 3), guest.said_at - host.said_at
            if guest is not host and cosine >= THRESHOLD:
                found.append((-cosine, abs(later), later >= 0, guest.memory_id))
        return [memory_id for *_, memory_id in sorted(found)[:MOST]]

    near = {one.memory_id: nearest(one) for one in members}
    return {one: tuple(other for other in others if one in near[other]) for one, others in near.items()}


@given(members=_MEMBERS, order=st.randoms(use_true_random=False), sketched_from=_SKETCHED)
def test_who_is_related_depends_on_who_is_there(
    members: list[LinkedMember], order: random.Random, sketched_from: int
) -> None:
    kept, neighbourhood, waiting = (
        Kept(),
        Neighbourhood(THRESHOLD, 4, sketched_from=sketched_from),
        list(members),
    )
    order.shuffle(waiting)
    while waiting:
        size = order.choice((1, 3, 70))
        neighbourhood.add(waiting[:size])
        kept.write(neighbourhood.take_changes())
        del waiting[:size]
        if order.random() < 0.3:
            neighbourhood = kept.read(order, sketched_from)
            assert not neighbourhood.take_changes()
    assert kept.shown() == expected(members)


def test_what_is_said_again_and_again_is_linked_to_when_it_was_said_last_and_next() -> None:
    hourly = [LinkedMember(UUID(int=100 - n), n * 3_600_000_000, DIRECTIONS[0]) for n in range(30)]
    neighbourhood = Neighbourhood(THRESHOLD, 4)
    neighbourhood.add(hourly)
    related = neighbourhood.take_changes().related
    assert set(related[hourly[15].memory_id]) == {
        hourly[n].memory_id for n in (10, 11, 12, 13, 14, 16, 17, 18, 19, 20)
    }


def test_products_are_exact_whatever_they_are_computed_with() -> None:
    vectors = [quantize(one) for one in unit_vectors(200, 384, seed=5)]
    vectors += [quantize(one) for one in unit_vectors(100, 384, seed=5) + np.float32(0.03)]
    members = [LinkedMember(UUID(int=n), n, vector) for n, vector in enumerate(vectors)]

    def related(
        batches: Sequence[Sequence[LinkedMember]], sketched_from: int = SKETCHED_FROM
    ) -> dict[UUID, tuple[UUID, ...]]:
        kept, neighbourhood = Kept(), Neighbourhood(0.05, 384, sketched_from=sketched_from)
        for batch in batches:
            neighbourhood.add(batch)
            kept.write(neighbourhood.take_changes())
        return kept.related

    once = related([members])
    one_by_one = [[one] for one in reversed(members)]
    assert related(one_by_one) == once
    assert related(one_by_one, sketched_from=1) == once
    assert related([members], sketched_from=200) == once
    assert any(once.values())


def test_longer_vectors_than_have_exact_products_are_refused() -> None:
    longest = quantize(np.ones(MOST_DIMENSIONS, np.float32)).astype(np.int64)
    assert longest @ longest < 2**24
    with pytest.raises(ValueError, match="no exact products"):
        quantize(np.ones(MOST_DIMENSIONS + 1, np.float32))
