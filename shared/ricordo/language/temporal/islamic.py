"""The tabular Islamic calendar, which the one that is observed follows within a day or two."""

from datetime import date
from typing import Final

# The day before 1 Muharram of the year 1 by the astronomical epoch: 15 July 622 Julian, 18 July Gregorian.
_EPOCH: Final = date(622, 7, 17).toordinal()


def days_in_year(year: int, month: int, day: int) -> list[date]:
    """Return when a day of the Islamic calendar falls in a Gregorian `year`: once as a rule, twice or never.

    Raises:
        ValueError: It never does, or the year lies before that calendar begins.
    """
    lunar = int((year - 622) * 33 / 32)
    found = [_gregorian(lunar + offset, month, day) for offset in (-1, 0, 1, 2) if lunar + offset > 0]
    within = [one for one in found if one.year == year]
    if not within:
        raise ValueError(f"there is no such day in {year}")
    return within


def _gregorian(year: int, month: int, day: int) -> date:
    """Convert a date (Reingold and Dershowitz): months of 30 and 29 days in turn, 11 leap years in 30."""
    days = (year - 1) * 354 + (3 + 11 * year) // 30 + 29 * (month - 1) + month // 2 + day
    return date.fromordinal(_EPOCH + days)
