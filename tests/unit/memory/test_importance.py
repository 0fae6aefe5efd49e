"""How much a message matters, on three scales."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.memory.importance import importance, meaningfulness, rating_of_ten

READ = st.floats(0, 3)


@given(READ, READ)
def test_importance_rises_with_what_was_read(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0 < importance(low).value <= importance(high).value <= 1


@given(READ)
def test_importance_is_explained(read: float) -> None:
    rated = importance(read)
    assert rated.value == pytest.approx(sum(each.amount for each in rated.contributions))


def test_one_importance_has_three_scales() -> None:
    assert (rating_of_ten(0), rating_of_ten(1)) == (1, 10)
    assert (meaningfulness(0), meaningfulness(1)) == (1, 5)
