"""The order of what is to come."""

import datetime as dt
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.annotations import EventTime
from ricordo.memory.ranking import Ranked
from ricordo.memory.ranking.reranking import order_by_event_time, remaining_span
from ricordo.memory.ranking.signals import Interval, Signals

NOW = dt.datetime(2026, 11, 10, 9, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)
DAY = 24 * HOUR


def times(*days: float) -> list[EventTime]:
    return [EventTime(NOW + day * DAY, NOW + day * DAY + HOUR) for day in days]


def ranked(*scores: float) -> list[Ranked]:
    return [Ranked(UUID(int=place), score, Signals()) for place, score in enumerate(scores)]


def test_what_happens_in_the_time_comes_first_and_in_its_order() -> None:
    held = {UUID(int=1): times(9), UUID(int=3): times(40, 4), UUID(int=4): times(60)}
    found = order_by_event_time(ranked(0.9, 0.5, 0.4, 0.2, 0.1), held, Interval(NOW, NOW + 30 * DAY))
    assert [one.id.int for one in found] == [3, 1, 0, 2, 4]
    assert [one.score for one in found] == pytest.approx([0.9, 0.9, 0.9, 0.4, 0.1])
    assert found[0].score > found[1].score > found[2].score


DAYS = st.lists(st.integers(-40, 40), max_size=3)


@given(st.lists(st.tuples(st.floats(0, 1), DAYS), max_size=12))
def test_nothing_is_lost_scores_descend_and_none_is_lowered(told: list[tuple[float, list[int]]]) -> None:
    before = ranked(*sorted((score for score, _ in told), reverse=True))
    held = {UUID(int=place): times(*days) for place, (_, days) in enumerate(told)}
    after = order_by_event_time(before, held, Interval(NOW, NOW + 30 * DAY))
    scores = [one.score for one in after]
    assert sorted(one.id.int for one in after) == list(range(len(told)))
    assert scores == sorted(scores, reverse=True)
    own = {one.id: one.score for one in before}
    assert all(one.score >= own[one.id] for one in after)


def test_what_is_over_is_not_to_come() -> None:
    month = Interval(NOW - 9 * DAY, NOW + 20 * DAY)
    today = Interval(NOW - 9 * HOUR, NOW + 15 * HOUR)
    assert remaining_span(month, NOW) == Interval(NOW, month.end)
    assert remaining_span(today, NOW) == today
    assert remaining_span(Interval(NOW - DAY, NOW), NOW) is None
