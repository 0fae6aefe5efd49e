"""The formulas by hand; `tests/contract/store/test_formulas_in_sql` compares SQL with them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.reference_formulas import (
    Candidate,
    MemoryStrength,
    Use,
    apply_access,
    apply_verdict,
    decay,
    idle_days,
    memories_to_prune,
    reinforce,
    retention,
)

from ricordo.memory.importance import RecallVerdict
from ricordo.store.pass_store import Strategy

NOW = datetime(2026, 2, 1, tzinfo=UTC)
DAY = timedelta(days=1)
STRATEGIES: tuple[Strategy, ...] = ("importance_weighted", "fifo", "recency")
unit = st.floats(0, 1)


@pytest.mark.parametrize(
    ("days", "arousal", "importance", "left"),
    [
        (0, 0, 0, 1.0),
        (7, 0, 0, 1.0),
        (8, 0, 0, 0.95),
        (13, 0, 0, 0.95),
        (14, 0, 0, 0.9025),
        (70, 0.5, 0.5, 0.95**10 + 0.15 + 0.1),
        (14, 1, 1, 1.0),
        (700, 0, 0, 0.95**100),
    ],
)
def test_the_curve(days: int, arousal: float, importance: float, left: float) -> None:
    assert retention(days, arousal, importance) == pytest.approx(left)


@pytest.mark.parametrize(("importance", "left"), [(0.0, 0.2), (1.0, 0.9)])
def test_the_floors(importance: float, left: float) -> None:
    later = decay(days=900, arousal=0, importance=importance, access_count=9)
    assert later is not None
    assert later.factor == pytest.approx(left)


@pytest.mark.parametrize(
    ("accesses", "importance", "arousal", "archived"),
    [
        (0, 0.4, 0.0, True),
        (1, 0.4, 0.0, True),
        (2, 0.4, 0.0, False),
        (0, 0.5, 0.0, False),
        (0, 0.4, 0.9, False),
    ],
)
def test_what_goes_to_the_archive(
    *, accesses: int, importance: float, arousal: float, archived: bool
) -> None:
    result = decay(days=400, arousal=arousal, importance=importance, access_count=accesses)
    assert result is not None
    assert result.archived is archived
    assert decay(days=900, arousal=0, importance=0, access_count=0, protected=True) is None


def test_idle_since_the_later_of_access_and_storage() -> None:
    assert idle_days(None, NOW - 9 * DAY, NOW) == 9
    assert idle_days(NOW - 2 * DAY, NOW - 9 * DAY, NOW) == 2
    assert idle_days(NOW - 400 * DAY, NOW - 9 * DAY, NOW) == 9
    assert idle_days(None, NOW - 8 * DAY + timedelta(seconds=1), NOW) == 7
    assert idle_days(None, NOW + DAY, NOW) == 0


def test_one_recall() -> None:
    after = reinforce(MemoryStrength(importance=0.5, decay_factor=0.4), NOW)
    assert after.importance == pytest.approx(0.52)
    assert (after.access_count, after.last_accessed, after.decay_factor) == (1, NOW, 1.0)
    assert after.reinforcement == pytest.approx(0.05)


@pytest.mark.parametrize(("before", "after"), [(0.94, 0.95), (0.95, 0.95), (0.99, 0.99), (0.0, 0.02)])
def test_importance_rises_to_its_ceiling_and_never_falls(before: float, after: float) -> None:
    assert reinforce(MemoryStrength(importance=before), NOW).importance == pytest.approx(after)


@given(unit, st.lists(st.sampled_from(RecallVerdict), max_size=6), st.integers(0, 6))
def test_when_the_event_comes_makes_no_difference(
    importance: float, verdicts: list[RecallVerdict], place: int
) -> None:
    def told(tellings: list[RecallVerdict | None]) -> tuple[MemoryStrength, Use]:
        strength, use = MemoryStrength(importance=importance), Use()
        for said in tellings:
            if said is None:
                strength, use = apply_access(strength, use, NOW)
            else:
                strength, use = apply_verdict(strength, use, said, NOW)
        return strength, use

    expected, known = told([None, *verdicts])
    after, use = told([*verdicts[:place], None, *verdicts[place:], None])
    assert use == known
    assert use.counts is (verdicts[-1:] in ([], [RecallVerdict.USED]))
    assert (after.access_count, after.decay_factor) == (expected.access_count, expected.decay_factor)
    assert after.access_count == use.counts
    assert after.importance == pytest.approx(expected.importance)
    assert after.reinforcement == pytest.approx(expected.reinforcement)


def test_each_strategy_prunes_another_memory() -> None:
    def one(number: int, importance: float, days: float) -> Candidate:
        return Candidate(UUID(int=number), importance, NOW - days * DAY, NOW - days * DAY)

    weighty = replace(one(1, 0.9, 300), stored_at=NOW - 2 * DAY)
    first_in = replace(one(2, 0.8, 100), stored_at=NOW - 200 * DAY)
    unimportant = replace(one(3, 0.1, 200), stored_at=NOW - DAY)
    used = replace(one(4, 0.7, 400), stored_at=NOW - 3 * DAY, last_accessed=NOW)
    found = [weighty, first_in, unimportant, used]
    gone = [memories_to_prune(found, 3, NOW, strategy) for strategy in STRATEGIES]
    assert gone == [[unimportant.id], [first_in.id], [weighty.id]]
    protected = [replace(each, protected=True) for each in found]
    assert memories_to_prune(protected, 0, NOW, "fifo") == []
