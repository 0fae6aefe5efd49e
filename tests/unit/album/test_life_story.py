"""A life has chapters between its silences, and days that are worth remembering."""

from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from ricordo.messages.listings import PeriodView
from ricordo.messages.views import FactView
from ricordo_services.album.life_story import Milestone, chapters, milestones

START = datetime(2024, 1, 1, tzinfo=UTC)
WEEK = timedelta(days=7)


def week(number: int, memories: int = 5) -> PeriodView:
    return PeriodView.model_construct(
        start=START + number * WEEK, end=START + (number + 1) * WEEK, memories=memories
    )


def fact(predicate: str, value: str, begin: int, end: int | None = None, subject: str = "user") -> FactView:
    since = START + begin * WEEK
    until = None if end is None else START + end * WEEK
    return FactView(
        id=UUID(int=begin + 1),
        subject=subject,
        predicate=predicate,
        object=value,
        confidence=3,
        first_seen=since,
        last_reinforced=since,
        valid_to=until,
    )


def test_a_long_silence_ends_a_chapter_which_is_named_by_what_began() -> None:
    weeks = [*map(week, range(10)), *(week(n, 0) for n in range(10, 12)), *map(week, range(12, 20))]
    facts = [
        fact("works_at", "Officina Rossi", 3),
        fact("lives_in", "Trieste", 0, 11),
        fact("lives_in", "Lisbona", 13),
        fact("lives_in", "Roma", 2, subject="Nora"),
        fact("likes", "pesto", 4),
    ]
    first, second = chapters(weeks, facts)
    assert (first.start, first.end, first.memories) == (START, START + 10 * WEEK, 50)
    assert (first.name, second.name) == ("Trieste · Officina Rossi", "Lisbona")
    assert [one.object for one in second.ended] == ["Trieste"], "what ends in a silence ends the next chapter"


def test_a_short_silence_does_not() -> None:
    assert len(chapters([week(0), week(1), week(3)], [])) == 1
    days = [PeriodView(start=START + n * timedelta(days=1), end=START, memories=1) for n in (*range(9), 20)]
    assert len(chapters(days, [])) == 1, "eleven days are many times the median, but no 21 days"
    months = [PeriodView(start=START + n * timedelta(days=30), end=START, memories=1) for n in (0, 1, 3, 5)]
    assert len(chapters(months, [])) == 1, "a month is no silence among months"
    assert chapters([], []) == chapters([week(0, 0)], []) == ()


def test_milestones() -> None:
    counts = [(date(2024, 2, 29), 99), (date(2024, 3, 1), 2), (date(2024, 9, 1), 950)]
    found = milestones(date(2024, 2, 29), counts, date(2026, 2, 28))
    assert found == (
        Milestone("memories", date(2024, 3, 1), 100),
        Milestone("memories", date(2024, 9, 1), 1000),
        Milestone("anniversary", date(2025, 2, 28), 1),
        Milestone("anniversary", date(2026, 2, 28), 2),
    )
