"""Days, weeks, months and years as the URLs of the album name them, and when they begin."""

from datetime import date, datetime, timedelta, tzinfo
from typing import Final

_YEARS: Final = range(1000, 3000)
"""Of which a page can be asked for: others lead to instants that nothing can carry."""


def day_of(text: str | None) -> date | None:
    """Return the day that a text names, as `2026-05-04`; None for another text."""
    try:
        day = date.fromisoformat(text or "")
    except ValueError:
        return None
    return day if day.year in _YEARS else None


def first_day(day: date, by: str) -> date:
    """Return the first day of the `week`, `month` or `year` of a day; of a `day` itself."""
    match by:
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "year":
            return day.replace(month=1, day=1)
        case _:
            return day


def next_first_day(start: date, by: str) -> date:
    """Return the first day of the period after the one that begins at `start`."""
    return first_day(start + timedelta(days={"day": 1, "week": 7, "month": 31, "year": 366}[by]), by)


def midnight(day: date, zone: tzinfo) -> datetime:
    """Return when a day begins."""
    return datetime(day.year, day.month, day.day, tzinfo=zone)
