import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.domain.reinforcement import Strength, increment, reinforce, withdraw

NOW = dt.datetime(2026, 2, 1, tzinfo=dt.UTC)
strengths = st.builds(
    Strength,
    importance=st.floats(0, 1),
    access_count=st.integers(0, 1_000),
    reinforcement=st.floats(0, 50),
    decay_factor=st.floats(0, 1),
)


def test_one_recall_by_hand() -> None:
    after = reinforce(Strength(importance=0.5, decay_factor=0.4), NOW)
    assert after.importance == pytest.approx(0.52)
    assert (after.access_count, after.last_accessed, after.decay_factor) == (1, NOW, 1.0)
    assert after.reinforcement == pytest.approx(0.05)


@pytest.mark.parametrize(("before", "after"), [(0.94, 0.95), (0.95, 0.95), (0.99, 0.99), (0.0, 0.02)])
def test_importance_rises_to_its_ceiling_and_never_falls(before: float, after: float) -> None:
    assert reinforce(Strength(importance=before), NOW).importance == pytest.approx(after)


@given(strengths, st.integers(1, 60))
def test_recalls_only_strengthen(strength: Strength, times: int) -> None:
    after = strength
    for _ in range(times):
        after = reinforce(after, NOW)
    assert after.importance >= strength.importance
    assert after.importance <= max(0.95, strength.importance) + 1e-9
    assert after.access_count == strength.access_count + times
    assert after.reinforcement == pytest.approx(strength.reinforcement + 0.05 * times)


@given(strengths)
def test_taking_a_recall_back_takes_exactly_its_increment(strength: Strength) -> None:
    restored = withdraw(reinforce(strength, NOW), increment(strength.importance))
    assert restored.importance == pytest.approx(strength.importance)
    assert restored.access_count == strength.access_count
    assert restored.reinforcement == pytest.approx(strength.reinforcement)


def test_nothing_falls_below_zero() -> None:
    assert withdraw(Strength(), increment(0.5)) == Strength()


def test_a_recall_that_arrives_late_does_not_turn_time_back() -> None:
    recent = reinforce(Strength(), NOW)
    assert reinforce(recent, NOW - dt.timedelta(days=3)).last_accessed == NOW
