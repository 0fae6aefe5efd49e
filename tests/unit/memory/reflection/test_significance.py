"""Days are counted, and what chance would bring together is told from what it would not."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.memory.reflection.associations import (
    ContingencyTable,
    by_day,
    contingency_table,
    count_testable,
    select_significant,
)

DAYS = [date(2026, 1, 1) + timedelta(days=n // 2) for n in range(40)]


def test_a_day_counts_once() -> None:
    one_day = [DAYS[0]] * 20
    every = by_day(one_day, range(20))
    both = by_day(one_day, range(15))
    assert contingency_table(every, both, both) == ContingencyTable(1, 1, 1, 2)


def test_messages_that_have_both_are_what_counts() -> None:
    every = by_day(DAYS, range(40))
    even, odd = by_day(DAYS, range(0, 40, 2)), by_day(DAYS, range(1, 40, 2))
    assert contingency_table(every, even, odd) == ContingencyTable(0, 20, 20, 40)
    assert contingency_table(every, even, even) == ContingencyTable(20, 20, 20, 40)


def test_the_probability_is_that_of_fisher() -> None:
    assert ContingencyTable(4, 4, 4, 8).probability == pytest.approx(1 / 70)
    assert ContingencyTable(3, 4, 4, 8).probability == pytest.approx(17 / 70)
    assert ContingencyTable(3, 4, 4, 8).least_probability == pytest.approx(1 / 70)
    assert (ContingencyTable(3, 4, 4, 8).share, ContingencyTable(3, 4, 4, 8).lift) == (0.75, 1.5)
    assert (ContingencyTable(0, 0, 0, 0).share, ContingencyTable(0, 0, 0, 0).lift) == (0.0, 0.0)


@given(st.lists(st.floats(1e-9, 1), min_size=1, max_size=30), st.integers(0, 50))
def test_more_tests_never_find_more(probabilities: list[float], more: int) -> None:
    named = dict(enumerate(probabilities))
    few = select_significant(named, len(named), 0.05)
    many = select_significant(named, len(named) + more, 0.05)
    assert set(many) <= set(few)
    assert all(few[name] >= named[name] for name in few)
    assert all(chance <= 0.05 for chance in few.values())


def test_what_could_never_be_beyond_chance_is_not_asked() -> None:
    assert count_testable([], 0.05) == 0
    assert count_testable([0.001, 0.002, 0.9, 0.9], 0.05) == 2
    assert count_testable([0.001] * 4, 0.05) == 4
