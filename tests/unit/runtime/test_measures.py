"""Distributions lose no value and put each where it belongs."""

from bisect import bisect_left

from hypothesis import given
from hypothesis import strategies as st

from ricordo.runtime.measures import Distribution, QueryMeasures

VALUES = st.lists(st.floats(min_value=0, max_value=1000), max_size=50)
BOUNDS = st.lists(st.floats(min_value=0, max_value=1000), min_size=1, max_size=10, unique=True).map(sorted)


@given(BOUNDS, VALUES)
def test_every_value_is_in_one_range(bounds: list[float], values: list[float]) -> None:
    found = Distribution(bounds)
    found.add_all(values)
    assert sum(found.counts) == len(values)
    for end in bounds:
        at_most = sum(found.counts[: bisect_left(bounds, end) + 1])
        assert at_most == sum(value <= end for value in values)


def test_the_sum_is_of_all_values() -> None:
    found = Distribution([1, 2])
    found.add_all([0.5, 1, 99])
    assert (found.counts, found.total) == ([2, 0, 1], 100.5)


def test_what_is_served_is_shown_before_it_is_asked_for() -> None:
    found = QueryMeasures(["query.stats"], ["internal"])
    assert found.answers == {("query.stats", "ok"): 0, ("query.stats", "internal"): 0}
    found.answered("unknown", "internal", 0.2)
    assert found.answers["unknown", "internal"] == 1
    assert found.answers["unknown", "ok"] == 0
