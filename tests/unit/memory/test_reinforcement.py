import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.memory.reinforcement import (
    MemoryStrength,
    RecallVerdict,
    Use,
    apply_access,
    apply_verdict,
    reinforce,
    withdraw_use,
)

NOW = dt.datetime(2026, 2, 1, tzinfo=dt.UTC)
strengths = st.builds(
    MemoryStrength,
    importance=st.floats(0, 1),
    access_count=st.integers(0, 1_000),
    reinforcement=st.floats(0, 50),
    decay_factor=st.floats(0, 1),
)


def test_one_recall_by_hand() -> None:
    after = reinforce(MemoryStrength(importance=0.5, decay_factor=0.4), NOW)
    assert after.importance == pytest.approx(0.52)
    assert (after.access_count, after.last_accessed, after.decay_factor) == (1, NOW, 1.0)
    assert after.reinforcement == pytest.approx(0.05)


@pytest.mark.parametrize(("before", "after"), [(0.94, 0.95), (0.95, 0.95), (0.99, 0.99), (0.0, 0.02)])
def test_importance_rises_to_its_ceiling_and_never_falls(before: float, after: float) -> None:
    assert reinforce(MemoryStrength(importance=before), NOW).importance == pytest.approx(after)


@given(strengths, st.integers(1, 60))
def test_recalls_only_strengthen(strength: MemoryStrength, times: int) -> None:
    after = strength
    for _ in range(times):
        after = reinforce(after, NOW)
    assert after.importance >= strength.importance
    assert after.importance <= max(0.95, strength.importance) + 1e-9
    assert after.access_count == strength.access_count + times
    assert after.reinforcement == pytest.approx(strength.reinforcement + 0.05 * times)


@given(strengths, st.integers(0, 60))
def test_taking_a_recall_back_takes_exactly_its_increment(strength: MemoryStrength, others: int) -> None:
    for _ in range(others):
        strength = reinforce(strength, NOW)
    restored = withdraw_use(reinforce(strength, NOW))
    assert restored.importance == pytest.approx(strength.importance)
    assert restored.beyond == pytest.approx(strength.beyond)
    assert restored.access_count == strength.access_count
    assert restored.reinforcement == pytest.approx(strength.reinforcement)


EVENT = ("event", NOW - dt.timedelta(minutes=5))
VERDICTS = st.lists(st.sampled_from(RecallVerdict), max_size=6)


def _told(strength: MemoryStrength, tellings: list[tuple[str, dt.datetime]]) -> tuple[MemoryStrength, Use]:
    use = Use()
    for said, when in tellings:
        if said == "event":
            strength, use = apply_access(strength, use, when)
        else:
            strength, use = apply_verdict(strength, use, RecallVerdict(said), when)
    return strength, use


@given(strengths, VERDICTS, st.lists(st.integers(0, 6), min_size=1, max_size=3), st.integers(0, 3))
def test_when_the_event_comes_and_how_often_makes_no_difference(
    strength: MemoryStrength, verdicts: list[RecallVerdict], places: list[int], others: int
) -> None:
    for _ in range(others):
        strength = reinforce(strength, NOW - dt.timedelta(days=1))
    said = [(verdict.value, NOW + dt.timedelta(minutes=n)) for n, verdict in enumerate(verdicts)]
    expected, known = _told(strength, [EVENT, *said])
    tellings: list[tuple[str, dt.datetime]] = list(said)
    for place in places:
        tellings.insert(place, EVENT)
    after, use = _told(strength, tellings)
    assert use == known
    assert (after.access_count, after.last_accessed) == (expected.access_count, expected.last_accessed)
    assert after.importance == pytest.approx(expected.importance)
    assert after.reinforcement == pytest.approx(expected.reinforcement)
    assert after.decay_factor == expected.decay_factor


@given(strengths, VERDICTS)
def test_the_last_verdict_holds_and_a_repeat_changes_nothing(
    strength: MemoryStrength, verdicts: list[RecallVerdict]
) -> None:
    said = [(verdict.value, NOW) for verdict in verdicts]
    after, use = _told(strength, said)
    assert use.counts is (verdicts[-1:] == [RecallVerdict.USED])
    assert after.access_count == strength.access_count + use.counts
    if use.verdict is not None:
        assert apply_verdict(after, use, use.verdict, NOW + dt.timedelta(days=1)) == (after, use)
