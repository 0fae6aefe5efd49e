"""Sketches: what they say of a product is never less than it is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.fixtures.examples import at_most

from ricordo.memory.similarity import MOST_DIMENSIONS, quantize
from ricordo.memory.vector_sketches import COMPONENTS, Sketches, product_bound


def vectors(count: int, dimensions: int, rank: int, seed: int) -> NDArray[np.int16]:
    """Return directions near to a subspace of `rank` dimensions, nobody's, and some of them twice."""
    chance = np.random.default_rng(seed)
    within = chance.normal(size=(count, rank)) @ chance.normal(size=(rank, dimensions))
    made = within + chance.normal(scale=0.3, size=(count, dimensions))
    made[::7] = made[0]
    made[3::11] = 0
    return np.stack([quantize(one.astype(np.float32)) for one in made])


def products(given: NDArray[np.int16]) -> NDArray[np.float32]:
    exact = given.astype(np.float64)
    return (exact @ exact.T).astype(np.float32)


@settings(max_examples=at_most(20))
@given(
    seed=st.integers(0, 2**32 - 1),
    dimensions=st.sampled_from([1, 4, COMPONENTS, COMPONENTS + 1, 384]),
    rank=st.integers(1, 120),
    known=st.integers(1, 40),
)
def test_no_product_is_more_than_the_sketches_say(seed: int, dimensions: int, rank: int, known: int) -> None:
    made = vectors(40, dimensions, rank, seed)
    sketches = Sketches(made[:known], room=40)
    sketches.put(np.arange(known, 40), made)
    shown = sketches.of(slice(0, 40))
    assert np.all(shown @ shown.T >= product_bound(products(made)))


def test_the_longest_vectors_fit() -> None:
    longest = np.stack(
        [quantize(np.ones(MOST_DIMENSIONS, np.float32)), quantize(-np.ones(MOST_DIMENSIONS, np.float32))]
    )
    shown = Sketches(longest, room=2).of(slice(0, 2))
    assert np.all(shown @ shown.T >= product_bound(products(longest)))
    assert (shown @ shown.T)[0, 1] < 0, "what is opposite is seen to be so"


def test_who_stands_at_a_slot_anew_is_sketched_anew() -> None:
    made = vectors(8, 384, 3, seed=1)
    sketches = Sketches(made, room=8)
    before = sketches.of(slice(0, 8))
    made[5] = made[6]
    sketches.put(np.array([5]), made)
    after = sketches.of(slice(0, 8))
    assert np.array_equal(after[5], before[6])
    assert np.array_equal(np.delete(after, 5, axis=0), np.delete(before, 5, axis=0))


@pytest.mark.parametrize("dimensions", [8, 384])
def test_few_of_the_far_pairs_are_left(dimensions: int) -> None:
    made = vectors(600, dimensions, 60, seed=2)
    shown, exact = Sketches(made, room=600).of(slice(0, 600)), products(made)
    left = shown @ shown.T >= product_bound(np.full_like(exact, 0.65 * 4000**2))
    near = exact >= 0.65 * 4000**2
    assert left.sum() < 2 * near.sum()
