"""The months of a journey follow each other in the person's zone, whatever the clock does in them."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

from ricordo.messages.listings import PeriodView
from ricordo_services.album.pages.journey import filled, span_of

ROME = ZoneInfo("Europe/Rome")


def month(year: int, number: int) -> PeriodView:
    start, end = (datetime(year + n // 12, n % 12 + 1, 1, tzinfo=ROME) for n in (number - 1, number))
    return PeriodView(start=start, end=end, memories=1)


def test_silent_months_between_begin_on_the_first() -> None:
    months = filled([month(2025, 1), month(2025, 5), month(2026, 1)], ROME)
    firsts = [one.start.astimezone(ROME) for one in months]
    assert [(at.month, at.day, at.hour) for at in firsts] == [(n % 12 + 1, 1, 0) for n in range(13)]
    assert [one.memories for one in months] == [1, 0, 0, 0, 1, *[0] * 7, 1]


def test_a_span_that_nothing_can_carry_is_none() -> None:
    assert span_of("month", "2026-12") == (date(2026, 12, 1), date(2027, 1, 1))
    for by, name in (("year", "9999"), ("month", "9999-12"), ("month", "foo"), ("year", "0001")):
        assert span_of(by, name) is None
