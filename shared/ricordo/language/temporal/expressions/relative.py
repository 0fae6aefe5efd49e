"""Times by their distance from the moment of speaking, or from another time."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from ricordo.language.temporal.expressions.amounts import DAYS, MONTHS, SECONDS, Amount, Unit
from ricordo.language.temporal.expressions.base import Expression, Relation
from ricordo.language.temporal.gregorian import (
    WEEK,
    add_months,
    add_working_days,
    monday_of,
    weekday_from,
    weekday_until,
)
from ricordo.language.temporal.moments import Moment, Window

_ALIGNED: frozenset[Unit] = frozenset({"quarter", "half", "decade", "century", "weekend"})


@dataclass(frozen=True, slots=True)
class Now(Expression):
    """The moment itself, to the minute."""

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        return Window(moment.now, moment.now + timedelta(minutes=1))

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return True

    @property
    def approximate(self) -> bool:
        """See `Expression.approximate`."""
        return True


@dataclass(frozen=True, slots=True)
class DayAway(Expression):
    """A day counted from today: "yesterday" is −1."""

    offset: int

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        return moment.day(moment.today + timedelta(days=self.offset))

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return True


@dataclass(frozen=True, slots=True)
class Weekday(Expression):
    """A weekday (Monday is 0): "Friday", "last Friday", "the Friday of next week" (`within` a week).

    "Next" is the one of next week, "coming" the nearest ahead, "last" the nearest behind, "this" the one of
    this week.
    """

    weekday: int
    relation: Relation | None = None
    within: Expression | None = None

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        if self.within is not None:
            return moment.day(weekday_from(moment.date_of(self.within.window(moment).start), self.weekday))
        today = moment.today
        if self.relation in {"this", "next"}:
            monday = monday_of(today) + (WEEK if self.relation == "next" else timedelta(0))
            return moment.day(monday + timedelta(days=self.weekday))
        if self.relation in {"last", "past"} or (self.relation is None and moment.past):
            return moment.day(weekday_until(today - timedelta(days=1), self.weekday))
        return moment.day(weekday_from(today + timedelta(days=1), self.weekday))

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.within is None or self.within.deictic

    @property
    def partial(self) -> bool:
        """See `Expression.partial`."""
        return self.relation is None and self.within is None


@dataclass(frozen=True, slots=True)
class Period(Expression):
    """A unit of the calendar, counted from the present one: "last week" is −1, "the year after next" 2."""

    unit: Unit
    offset: int

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        if self.unit in SECONDS:
            length = timedelta(seconds=SECONDS[self.unit])
            start = moment.now + self.offset * length
            return Window(start, start + length)
        return self._aligned(moment)

    def _aligned(self, moment: Moment) -> Window:
        if self.unit in MONTHS:
            start = add_months(_begin_of_months(moment.today, self.unit), self.offset * MONTHS[self.unit])
            return moment.days(start, add_months(start, MONTHS[self.unit]))
        if self.unit == "workday":
            return moment.day(add_working_days(moment.today, self.offset))
        length = timedelta(days=DAYS[self.unit])
        start = moment.today if self.unit == "day" else monday_of(moment.today)
        start += self.offset * length
        if self.unit == "weekend":
            return moment.days(start + timedelta(days=5), start + WEEK)
        return moment.days(start, start + length)

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return True


@dataclass(frozen=True, slots=True)
class Weekend(Expression):
    """A weekend without more words: the last one that has begun, or the next one that is not over.

    With `ahead` it is the next one to begin, whichever way is preferred: "this coming weekend".
    """

    ahead: bool = False

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        current = Period("weekend", 0).window(moment)
        if self.ahead:
            return current if current.start > moment.now else Period("weekend", 1).window(moment)
        if moment.past and current.start > moment.now:
            return Period("weekend", -1).window(moment)
        return current

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return True


@dataclass(frozen=True, slots=True)
class Rolling(Expression):
    """A length of time that ends, or begins, now: "the last 7 days", "the next two weeks", "within 5 days".

    What is counted in quarters, decades, weekends or working days is counted in whole ones; the next days
    begin tomorrow.
    """

    amount: Amount
    sign: int
    from_now: bool = False

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        (count, unit), *rest = self.amount.parts
        if unit in _ALIGNED and not rest:
            first, last = (-count, -1) if self.sign < 0 else (1, count)
            return Window(Period(unit, first).window(moment).start, Period(unit, last).window(moment).end)
        if unit == "workday":
            return self._working(moment)
        if self.sign < 0:
            return Window(self.amount.from_instant(moment.now, moment, -1), moment.now)
        if self.from_now or self.amount.fine:
            return Window(moment.now, self.amount.from_instant(moment.now, moment, 1))
        tomorrow = moment.today + timedelta(days=1)
        return moment.days(tomorrow, self.amount.from_day(tomorrow, 1))

    def _working(self, moment: Moment) -> Window:
        """Count from the next working day to the last one that is meant, or back from the last one."""
        end = self.amount.from_day(moment.today, self.sign)
        if self.sign < 0:
            return moment.days(end, moment.today)
        return moment.days(add_working_days(moment.today, 1), end + timedelta(days=1))

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return True


@dataclass(frozen=True, slots=True)
class Lasting(Expression):
    """A length of time from a day on: "for 3 days from today"."""

    amount: Amount
    anchor: Expression

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        start = self.anchor.window(moment).start
        return Window(start, self.amount.from_instant(start, moment, 1))

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.anchor.deictic


@dataclass(frozen=True, slots=True)
class Away(Expression):
    """A time at a distance: "two weeks ago", "in 3 hours", "3 days after Easter"."""

    amount: Amount
    sign: int
    anchor: Expression | None = None

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        instant = self._anchored(moment)
        if self.amount.fine:
            start = self.amount.from_instant(instant, moment, self.sign)
            return Window(start, start + timedelta(seconds=SECONDS.get(self.amount.parts[-1][1], 60)))
        return moment.day(self.amount.from_day(moment.date_of(instant), self.sign))

    def _anchored(self, moment: Moment) -> datetime:
        if self.anchor is None:
            return moment.now
        return self.anchor.window(moment).start

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.anchor is None or self.anchor.deictic

    @property
    def approximate(self) -> bool:
        """See `Expression.approximate`."""
        return self.amount.coarse or self.amount.fine


def _begin_of_months(day: date, unit: Unit) -> date:
    length = MONTHS[unit]
    if length <= 12:
        return date(day.year, (day.month - 1) // length * length + 1, 1)
    years = length // 12
    return date(day.year // years * years, 1, 1)
