"""Times by their place in the calendar: dates, months, years, seasons, holidays, decades."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

from ricordo.language.temporal.expressions.base import (
    Expression,
    Relation,
    calendar_day,
    first_of,
    recurring,
    years_around,
)
from ricordo.language.temporal.gregorian import add_months, first_monday
from ricordo.language.temporal.holidays import holiday
from ricordo.language.temporal.moments import Moment, Window

_YEAR = timedelta(days=366)
_YEARS_BACK, _YEARS_AHEAD = 9, 3
_MONTHS_AROUND = 120  # in ten years each weekday falls on each day of the month


@dataclass(frozen=True, slots=True)
class CalendarDay(Expression):
    """A day of the month: "15 June 2016", "3 May", "the 27th", "Friday the 13th"."""

    day: int
    month: int | None = None
    year: int | None = None
    weekday: int | None = None
    relation: Relation | None = None

    def of_year(self, year: int) -> Expression | None:
        """See `Expression.of_year`."""
        return replace(self, year=year, relation=None) if self.month is not None else None

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        if self.month is None:
            return first_of(self._in_months_around(moment), lambda _: True)
        if self.year is not None:
            return moment.day(calendar_day(self.year, self.month, self.day))
        month, day = self.month, self.day
        if self.weekday is not None and self.relation is None:
            agreeing = self._agreeing(moment, month, self.weekday)
            if agreeing is not None:
                return agreeing
        return recurring(lambda year: moment.day(calendar_day(year, month, day)), moment, self.relation)

    def _agreeing(self, moment: Moment, month: int, weekday: int) -> Window | None:
        """Return the day of the nearest year in which it falls on the weekday, None where none is near.

        "Friday 4 December" is said of a day within a year, behind or ahead. Where the way is sure it may be
        as far back as the weekday wants, or a few years ahead.
        """
        reach = (_YEARS_BACK if moment.past else _YEARS_AHEAD) if moment.sure else 1
        near: list[date] = []
        for year in years_around(moment):
            try:
                day = date(year, month, self.day)
            except ValueError:
                continue
            if day.weekday() != weekday:
                continue
            towards = day <= moment.today if moment.past else day >= moment.today
            if towards and abs(day - moment.today) < reach * _YEAR:
                return moment.day(day)
            if not moment.sure and abs(day - moment.today) < _YEAR:
                near.append(day)
        return moment.day(near[0]) if near else None

    def _in_months_around(self, moment: Moment) -> Iterator[Window]:
        begin = moment.today.replace(day=1)
        step = -1 if moment.past or self.relation is not None else 1
        for offset in range(0, step * _MONTHS_AROUND, step):
            month = add_months(begin, offset)
            try:
                day = month.replace(day=self.day)
            except ValueError:
                continue
            if self._fits(day, moment):
                yield moment.day(day)

    def _fits(self, day: date, moment: Moment) -> bool:
        if self.weekday is not None and day.weekday() != self.weekday:
            return False
        # A weekday tells so much that "Friday 11", said on the 7th, is the one of this very month.
        if self.weekday is not None and (day.year, day.month) == (moment.today.year, moment.today.month):
            return True
        if self.relation is not None:
            return day < moment.today
        return day <= moment.today if moment.past else day >= moment.today

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.relation is not None

    @property
    def partial(self) -> bool:
        """See `Expression.partial`."""
        return self.year is None and self.relation is None


@dataclass(frozen=True, slots=True)
class Month(Expression):
    """A month: "May", "May 2023", "last May"."""

    month: int
    year: int | None = None
    relation: Relation | None = None

    def of_year(self, year: int) -> Expression | None:
        """See `Expression.of_year`."""
        return replace(self, year=year, relation=None)

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""

        def make(year: int) -> Window:
            first = date(year, self.month, 1)
            return moment.days(first, add_months(first, 1))

        return make(self.year) if self.year is not None else recurring(make, moment, self.relation)

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.relation is not None

    @property
    def partial(self) -> bool:
        """See `Expression.partial`."""
        return self.year is None and self.relation is None


@dataclass(frozen=True, slots=True)
class Years(Expression):
    """A year, or as many as a decade or a century has, from `year` on."""

    year: int
    count: int = 1

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        return moment.days(date(self.year, 1, 1), date(self.year + self.count, 1, 1))


@dataclass(frozen=True, slots=True)
class Season(Expression):
    """A season by the meteorological calendar: three whole months, `month` being the first."""

    month: int
    year: int | None = None
    relation: Relation | None = None

    def of_year(self, year: int) -> Expression | None:
        """See `Expression.of_year`."""
        return replace(self, year=year, relation=None)

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""

        def make(year: int) -> Window:
            first = date(year, self.month, 1)
            return moment.days(first, add_months(first, 3))

        if self.year is not None:
            return make(self.year)
        if self.relation != "this":
            return recurring(make, moment, self.relation)
        # "This winter", said in January, began last December.
        begun = add_months(moment.today, -2).year if self.month == 12 else moment.today.year
        return make(begun)

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.relation is not None

    @property
    def partial(self) -> bool:
        """See `Expression.partial`."""
        return self.year is None and self.relation is None


@dataclass(frozen=True, slots=True)
class Holiday(Expression):
    """A day, or a month of the Islamic calendar, that has a name: "Christmas", "Easter 2019"."""

    name: str
    year: int | None = None
    relation: Relation | None = None

    def of_year(self, year: int) -> Expression | None:
        """See `Expression.of_year`."""
        return replace(self, year=year, relation=None)

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        if self.year is not None:
            return moment.days(*holiday(self.name, self.year))
        return recurring(lambda year: moment.days(*holiday(self.name, year)), moment, self.relation)

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.relation is not None

    @property
    def partial(self) -> bool:
        """See `Expression.partial`."""
        return self.year is None and self.relation is None


@dataclass(frozen=True, slots=True)
class NumberedWeek(Expression):
    """A week by its ISO number: "week 31", "week 2 of 2020"."""

    number: int
    year: int | None = None

    def of_year(self, year: int) -> Expression | None:
        """See `Expression.of_year`."""
        return replace(self, year=year)

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        if self.year is None:
            return self._of(moment.today.year, moment)
        return self._of(self.year, moment)

    def _of(self, year: int, moment: Moment) -> Window:
        start = first_monday(date(year, 1, 1)) + timedelta(weeks=self.number - 1)
        return moment.days(start, start + timedelta(weeks=1))

    @property
    def partial(self) -> bool:
        """See `Expression.partial`."""
        return self.year is None
