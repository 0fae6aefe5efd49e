"""What a backlog is reported by: rates over time, memory, answers."""

import pytest

from ricordo.client import MemoryClient, Unavailable
from ricordo_lab.bench.backlog import course, rates, slowest
from ricordo_lab.bench.watching import Answers, ask, growth


class Away(MemoryClient):
    """A client whose every question fails."""

    def __init__(self) -> None:
        """Connect to nothing."""

    async def recall(self, *_: object, **__: object) -> None:  # type: ignore[override]  # it never answers
        raise Unavailable("nobody answers")


def test_rates_are_of_equal_parts_of_the_time() -> None:
    steady = [0.1 * (number + 1) - 0.05 for number in range(100)]
    assert rates([*steady, 10.0]) == [10, 10, 10, 10, 10, 10, 10, 10, 10, 11]
    burst = rates([0.5] * 30 + [5.0])
    assert burst == [0, 60, 0, 0, 0, 0, 0, 0, 0, 2]


@pytest.mark.parametrize("times", [[], [0.0]])
def test_without_receipts_there_are_no_rates(times: list[float]) -> None:
    assert rates(times) == []


def test_the_course_of_memory_is_what_was_seen_last_in_each_tenth() -> None:
    looks = [(100.0, 7.2), (101.0, 8.0), (104.9, 9.6), (120.0, 50.0)]
    assert course(looks, 100.0, 10.0) == [8, 8, 8, 8, 10, 10, 10, 10, 10, 10]
    assert course(looks, 100.0, 0.0) == []


def test_growth_is_from_before_to_the_fullest() -> None:
    assert growth(200, 250, 210) == {"before": 200, "fullest": 250, "after": 210, "growth_percent": 25}


def test_what_was_not_looked_at_is_not_known() -> None:
    found = growth(0, 0, 0)
    assert found["growth_percent"] is None
    assert found["after"] is None


async def test_questions_that_fail_are_counted_and_no_reason_to_stop() -> None:
    answers = Answers()
    await ask(Away(), "u-1", ["one?", "two?"], answers)
    assert answers.figures() == {
        "questions": 2,
        "p50_ms": None,
        "p95_ms": None,
        "incomplete": 0,
        "failed": 2,
    }


def test_the_slowest_answers_are_told_by_when_they_were_asked() -> None:
    asked = [(100.0 + tenth / 2, 10.0 * tenth) for tenth in range(20)]
    assert slowest(asked, 100, 10)[0] == pytest.approx(10 * 0.95, rel=0.1)
    assert slowest(asked, 100, 10)[9] == pytest.approx(190, rel=0.1)
    assert slowest(asked[4:], 100, 10)[:3] == [None, None, pytest.approx(50, rel=0.1)]
    assert slowest(asked, 100, 0) == []
