"""Times placed by another one: of a year, next to a day, so many back, the Monday of a week that is told."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from ricordo.language.temporal.expressions.amounts import Unit
from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.calendar_dates import Holiday, Month, Season
from ricordo.language.temporal.expressions.relative import Away, Period, Weekday
from ricordo.language.temporal.gregorian import (
    DAY,
    WEEK,
    add_months,
    monday_of,
    weekday_from,
    weekday_until,
)
from ricordo.language.temporal.moments import Moment, NoSuchTime, Window

Sign = Literal[-1, 1]


@dataclass(frozen=True, slots=True)
class OfYear(Expression):
    """Something that comes once a year, in a year that is told: "last year in May"."""

    part: Expression
    year: Expression

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        placed = self.part.of_year(moment.date_of(self.year.window(moment).start).year)
        if placed is None:
            raise NoSuchTime("it does not come once a year")
        return placed.window(moment)

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.year.deictic


@dataclass(frozen=True, slots=True)
class Neighbour(Expression):
    """The unit, or the weekday, before or after a time: "the day after Christmas", "the Friday before 3 May".

    A week is the calendar's next to the one in which the time lies. Exactly one of `unit` and `weekday` is
    given; `n` counts from the nearest one: "the second Sunday after Easter".
    """

    sign: Sign
    of: Expression
    unit: Unit | None = None
    weekday: int | None = None
    n: int = 1

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        nearest = self._nearest(moment)
        if self.n == 1:
            return nearest
        if self.unit in {"month", "year"}:
            raise NoSuchTime("only days and weeks are counted from a time")
        step = self.sign * (self.n - 1) * (DAY if self.unit == "day" else WEEK)
        return moment.days(moment.date_of(nearest.start) + step, moment.date_of(nearest.end) + step)

    def _nearest(self, moment: Moment) -> Window:
        named = self.of.window(moment)
        first, after = (
            moment.date_of(named.start),
            moment.date_of(named.end - timedelta(microseconds=1)) + DAY,
        )
        if self.weekday is not None:
            return moment.day(self._weekday(first, after, self.weekday))
        if self.unit == "weekend":
            saturday = self._weekday(first + DAY if first.weekday() == 5 else first, after, 5)
            if saturday + DAY >= first and self.sign < 0:
                saturday -= WEEK
            return moment.days(saturday, saturday + 2 * DAY)
        begin = first if self.sign < 0 else after - DAY
        if self.unit == "week":
            monday = monday_of(begin) + self.sign * WEEK
            return moment.days(monday, monday + WEEK)
        if self.unit in {"month", "year"}:
            return self._months(begin, 1 if self.unit == "month" else 12, moment)
        return moment.day(begin + self.sign * DAY)

    def _weekday(self, first: date, after: date, weekday: int) -> date:
        return weekday_until(first - DAY, weekday) if self.sign < 0 else weekday_from(after, weekday)

    def _months(self, day: date, months: int, moment: Moment) -> Window:
        begin = day.replace(day=1) if months == 1 else day.replace(month=1, day=1)
        start = add_months(begin, self.sign * months)
        return moment.days(start, add_months(start, months))

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.of.deictic


@dataclass(frozen=True, slots=True)
class Counted(Expression):
    """So many of them away, the next one being the first: "two Mondays ago", "three summers ago".

    `of` is the last one or, with `sign` 1, the coming one.
    """

    count: int
    of: Weekday | Season | Month | Holiday | Period
    sign: Sign = -1

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        if isinstance(self.of, Period):
            return Period(self.of.unit, self.sign * self.count).window(moment)
        first = moment.date_of(self.of.window(moment).start)
        more = self.sign * (self.count - 1)
        if isinstance(self.of, Weekday):
            return moment.day(first + more * WEEK)
        placed = self.of.of_year(first.year + more)
        if placed is None:
            raise NoSuchTime("it does not come once a year")
        return placed.window(moment)

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return True


@dataclass(frozen=True, slots=True)
class WeekdayAway(Expression):
    """A weekday at a distance: "on Monday two weeks ago", "Thursday, two years from now".

    What is counted in weeks leads to a week, whose day it is; else it is the first one from there on.
    """

    weekday: int
    away: Away

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        day = moment.date_of(self.away.window(moment).start)
        begin = monday_of(day) if self.away.amount.only("week", "fortnight") else day
        return moment.day(weekday_from(begin, self.weekday))

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.away.deictic
