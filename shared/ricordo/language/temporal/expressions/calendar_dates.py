"""Times by their place in the calendar: dates, months, years, seasons, holidays, decades."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Self

from ricordo.language.temporal.expressions.base import Expression, Yearly, years_around
from ricordo.language.temporal.gregorian import DAY, add_months, holiday
from ricordo.language.temporal.moments import Moment, Window

_YEAR = timedelta(days=366)
_YEARS_BACK, _YEARS_AHEAD = 9, 3
_MONTHS_AROUND = 120  # in ten years each weekday falls on each day of the month


@dataclass(frozen=True, slots=True)
class CalendarDay(Yearly):
    """A day of the month: "15 June 2016", "3 May", "the 27th", "Friday the 13th"."""

    day: int
    month: int | None = None
    weekday: int | None = None

    def of_year(self, year: int) -> Self | None:
        """Return the day in `year`, None without a month."""
        return None if self.month is None else Yearly.of_year(self, year)

    def dates(self, year: int) -> tuple[date, date]:
        """Return the day, and the day after."""
        day = date(year, self.month or 1, self.day)
        return day, day + DAY

    def window(self, moment: Moment) -> Window:
        """Return the day; a weekday selects the month or the year."""
        if self.month is None:
            return self._in_months_around(moment)
        agreeing = self.weekday is not None and self.year is None and self.relation is None
        return (self._agreeing(moment) if agreeing else None) or Yearly.window(self, moment)

    def _agreeing(self, moment: Moment) -> Window | None:
        """Return the day of the nearest year in which it falls on the weekday, None where none is near.

        "Friday 4 December" is said of a day within a year, behind or ahead. Where the way is sure it may be
        as far back as the weekday wants, or a few years ahead.
        """
        reach = (_YEARS_BACK if moment.past else _YEARS_AHEAD) if moment.sure else 1
        near: list[date] = []
        for year in years_around(moment, past=moment.past):
            try:
                day, _ = self.dates(year)
            except ValueError:
                continue
            if day.weekday() != self.weekday:
                continue
            towards = day <= moment.today if moment.past else day >= moment.today
            if towards and abs(day - moment.today) < reach * _YEAR:
                return moment.day(day)
            if not moment.sure and abs(day - moment.today) < _YEAR:
                near.append(day)
        return moment.day(near[0]) if near else None

    def _in_months_around(self, moment: Moment) -> Window:
        begin = moment.today.replace(day=1)
        step = -1 if moment.past or self.relation is not None else 1
        for offset in range(0, step * _MONTHS_AROUND, step):
            try:
                day = add_months(begin, offset).replace(day=self.day)
            except ValueError:
                continue
            if self._fits(day, moment):
                return moment.day(day)
        raise ValueError("no such day near the moment")

    def _fits(self, day: date, moment: Moment) -> bool:
        if self.weekday is not None and day.weekday() != self.weekday:
            return False
        # A weekday tells so much that "Friday 11", said on the 7th, is the one of this very month.
        if self.weekday is not None and (day.year, day.month) == (moment.today.year, moment.today.month):
            return True
        if self.relation is not None:
            return day < moment.today
        return day <= moment.today if moment.past else day >= moment.today


@dataclass(frozen=True, slots=True)
class Month(Yearly):
    """A month, or a season by the meteorological calendar: the three months from `month` on."""

    month: int
    count: int = 1

    def dates(self, year: int) -> tuple[date, date]:
        """Return the first day, and the one after the last."""
        first = date(year, self.month, 1)
        return first, add_months(first, self.count)

    def window(self, moment: Moment) -> Window:
        """Return the months; "this winter", said in January, began last December."""
        if self.relation == "this" and self.month + self.count > 13:
            return moment.days(*self.dates(add_months(moment.today, -2).year))
        return Yearly.window(self, moment)


@dataclass(frozen=True, slots=True)
class Holiday(Yearly):
    """A day, or a month of the Islamic calendar, that has a name: "Christmas", "Easter 2019"."""

    name: str

    def dates(self, year: int) -> tuple[date, date]:
        """Return the first day, and the day after the last one."""
        return holiday(self.name, year)


@dataclass(frozen=True, slots=True)
class Years(Expression):
    """A year, by default the present one, or as many as a decade or a century has, from `year` on."""

    year: int | None
    count: int = 1

    def window(self, moment: Moment) -> Window:
        """Return the whole years."""
        year = moment.today.year if self.year is None else self.year
        return moment.days(date(year, 1, 1), date(year + self.count, 1, 1))

    @property
    def deictic(self) -> bool:
        """A year in numbers never is."""
        return False
