"""Arithmetic of the Gregorian and the Islamic calendar that the standard library lacks, and holidays."""

from calendar import monthrange
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from typing import Final

from ricordo.language.data_files import read_table

DAY = timedelta(days=1)
WEEK = timedelta(weeks=1)


def add_months(day: date, months: int) -> date:
    """Move by whole months, to the month's last day where the day does not exist (31 January + 1 month)."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def add_working_days(day: date, count: int) -> date:
    """Move by days from Monday to Friday, back when `count` is negative; holidays count as well."""
    weeks, rest = divmod(abs(count), 5)
    step = DAY if count > 0 else -DAY
    if count and not rest:
        weeks, rest = weeks - 1, 5
    day += 7 * weeks * step
    while rest:
        day += step
        rest -= day.weekday() < 5
    return day


def monday_of(day: date) -> date:
    """Return the Monday that begins the week of `day`."""
    return day - timedelta(days=day.weekday())


def first_monday(start: date) -> date:
    """Return the Monday of the first week of the month or year that begins at `start`.

    A week belongs where its Thursday lies (ISO 8601), so it may begin up to three days earlier.
    """
    return monday_of(start + 3 * DAY)


def weekday_from(day: date, weekday: int) -> date:
    """Return the first `weekday` (Monday is 0) on or after `day`."""
    return day + timedelta(days=(weekday - day.weekday()) % 7)


def weekday_until(day: date, weekday: int) -> date:
    """Return the last `weekday` (Monday is 0) on or before `day`."""
    return day - timedelta(days=(day.weekday() - weekday) % 7)


def nth_weekday(year: int, month: int, weekday: int, n: int) -> date:
    """Return the n-th `weekday` of a month; −1 is the last one."""
    if n > 0:
        return weekday_from(date(year, month, 1), weekday) + (n - 1) * WEEK
    return weekday_until(date(year, month, monthrange(year, month)[1]), weekday) + (n + 1) * WEEK


def easter(year: int) -> date:
    """Return Easter Sunday of the western churches (the anonymous Gregorian algorithm, Meeus 1991)."""
    century, rest = divmod(year, 100)
    golden = year % 19
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    offset = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    shift = (golden + 11 * epact + 22 * offset) // 451
    month, day = divmod(epact + offset - 7 * shift + 114, 31)
    return date(year, month, day + 1)


# The day before 1 Muharram of the year 1 by the astronomical epoch: 15 July 622 Julian, 18 July Gregorian.
_EPOCH: Final = date(622, 7, 17).toordinal()


def days_in_year(year: int, month: int, day: int) -> list[date]:
    """Return when a day of the Islamic calendar falls in a Gregorian `year`: once as a rule, twice or never.

    Converted after Reingold and Dershowitz: months of 30 and 29 days in turn, 11 leap years in 30.

    Raises:
        ValueError: It never does, or the year lies before that calendar begins.
    """
    lunar = int((year - 622) * 33 / 32)
    found = []
    for lunar_year in range(max(lunar - 1, 1), lunar + 3):
        leap_days = (3 + 11 * lunar_year) // 30
        days = (lunar_year - 1) * 354 + leap_days + 29 * (month - 1) + month // 2 + day
        found.append(date.fromordinal(_EPOCH + days))
    within = [day for day in found if day.year == year]
    if not within:
        raise ValueError(f"there is no such day in {year}")
    return within


_DAYS: Final[Mapping[str, int]] = {"ramadan": 30}


@cache
def _holidays() -> dict[str, tuple[str, Sequence[int]]]:
    table = read_table("holidays")
    return {name: (sort, numbers) for sort in table for name, numbers in table[sort].items()}


def holiday(name: str, year: int) -> tuple[date, date]:
    """Return the first day of the holiday called `name` (in `holidays.toml`) in `year`, and the day after.

    Raises:
        ValueError: That year has none, or lies outside of the calendar.
    """
    sort, numbers = _holidays()[name]
    if sort == "fixed":
        first = date(year, *numbers)
    elif sort == "weekday":
        *weekday, days = numbers
        first = nth_weekday(year, *weekday) + days * DAY
    elif sort == "easter":
        first = easter(year) + numbers[0] * DAY
    else:
        first = days_in_year(year, *numbers)[-1]
    return first, first + _DAYS.get(name, 1) * DAY
