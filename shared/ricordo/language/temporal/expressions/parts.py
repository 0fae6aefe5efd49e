"""Parts of a period, and what is counted from one: the n-th, the end, the day before, three summers ago."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from ricordo.language.temporal.expressions.base import Expression, Part
from ricordo.language.temporal.expressions.relative_dates import Period, Unit
from ricordo.language.temporal.gregorian import (
    DAY,
    WEEK,
    add_months,
    add_working_days,
    first_monday,
    monday_of,
    weekday_from,
    weekday_until,
)
from ricordo.language.temporal.moments import LATEST, Moment, Window

Sign = Literal[-1, 0, 1]
EdgeName = Literal["early", "mid", "late", "rest", "later", "earlier", "elapsed", "some"]
_Third = Literal["early", "mid", "late"]
_MONTHS: Mapping[Unit, int] = {"month": 1, "quarter": 3, "year": 12}


@dataclass(frozen=True, slots=True)
class Nth(Part):
    """The n-th day, weekday, week, weekend, month, quarter or half of something; n = −1 is the last.

    Exactly one of `unit` and `weekday` is given. `count` units end (n < 0) or begin (n > 0) there.
    """

    n: int
    unit: Unit | None = None
    weekday: int | None = None
    count: int = 1

    def window(self, moment: Moment) -> Window:
        """Return the units.

        Raises:
            ValueError: The period does not have that many.
        """
        whole = self.whole.window(moment)
        first, after = moment.date_of(whole.start), moment.date_of(whole.end)
        start, end = self._dates(first, after)
        inside = start < after if self.unit == "weekend" else end <= after
        if self.unit != "week" and not (first <= start and inside):
            raise ValueError("it does not have that many")
        return moment.days(start, end)

    def _dates(self, first: date, after: date) -> tuple[date, date]:
        length = DAY
        if self.weekday is not None:
            start = self._from(weekday_from(first, self.weekday), WEEK, after)
        elif self.unit in {"half", "fortnight"}:
            return _half(first, after, self.n)
        elif self.unit == "week":
            return self._weeks(first, after)
        elif self.unit == "weekend":
            start, length = self._from(weekday_from(first, 5), WEEK, after), (self.count - 1) * WEEK + 2 * DAY
        elif self.unit == "day":
            start, length = self._from(first, DAY, after), self.count * DAY
        elif self.unit == "workday":
            start = add_working_days(first - DAY if self.n > 0 else after, self.n)
        else:
            months = _MONTHS.get(self.unit or "year", 12)
            begin, units = (first, self.n - 1) if self.n > 0 else (after, -self.count)
            start = add_months(begin, units * months)
            return start, add_months(start, self.count * months)
        return start, start + length

    def _from(self, first: date, step: timedelta, after: date) -> date:
        """Return where the n-th begins, or the first of the last `count`, when they come every `step`."""
        last = (after - first - DAY) // step
        return first + (self.n - 1 if self.n > 0 else last - self.count + 1) * step

    def _weeks(self, first: date, after: date) -> tuple[date, date]:
        if self.n > 0:
            start = first_monday(first) + (self.n - 1) * WEEK
        else:
            start = first_monday(after) - self.count * WEEK
        # A week may begin before the period of which it is the first.
        if not first_monday(first) <= start < after:
            raise ValueError("it does not have that many weeks")
        return start, start + self.count * WEEK


def _half(first: date, after: date, n: int) -> tuple[date, date]:
    """Return the first or the last half: of a month it ends with the 15th, of a week with the Wednesday."""
    if n not in {1, 2, -1}:
        raise ValueError("there are two halves")
    months = _months_between(first, after)
    if months > 1:
        middle = add_months(first, months // 2) + (months % 2) * 15 * DAY
    else:
        middle = first + (15 if months else 3) * DAY
    return (first, middle) if n == 1 else (middle, after)


@dataclass(frozen=True, slots=True)
class Edge(Part):
    """A stretch of a period: its beginning, middle or end, what is left or has passed of it, or any.

    A week begins Monday to Wednesday and ends Thursday to Sunday, a month ends from the 16th on, what is
    longer falls in thirds, a year that is counted from the present one in halves. What comes later or came
    earlier does not reach over now. "A weekend in February" can be all of February.
    """

    edge: EdgeName

    def window(self, moment: Moment) -> Window:
        """Return the stretch."""
        whole = self.whole.window(moment)
        days = (moment.date_of(whole.end) - moment.date_of(whole.start)).days
        match self.edge:
            case "some":
                return whole
            case "rest":
                # Like a range it names its last day as its end.
                start, last = moment.at(moment.today), moment.at(moment.date_of(whole.end) - DAY)
                last = max(last, moment.at(moment.today + DAY))
                return Window(moment.now, whole.end) if days <= 1 else Window(start, last, whole.end)
            case "elapsed" | "earlier":
                third = self.edge == "earlier" and days > 1
                end = self._third("early", whole, moment).end if third else LATEST
                return Window(whole.start, min(end, moment.now), moment.now)
            case "later":
                late = self._third("late", whole, moment)
                return Window(max(late.start, moment.now if days <= 1 else moment.at(moment.today)), late.end)
            case "early" | "mid" | "late" as edge:
                return self._third(edge, whole, moment)

    def _third(self, third: _Third, whole: Window, moment: Moment) -> Window:
        first, after = moment.date_of(whole.start), moment.date_of(whole.end)
        days = (after - first).days
        if days <= 1:
            hours = {"early": (6, 10), "mid": (10, 16), "late": (16, 24)}[third]
            return Window(moment.at(first, hours[0] * 60), moment.at(first, hours[1] * 60))
        if days <= 7:
            bounds = {"early": (0, 3), "mid": (1, 5), "late": (3, days)}[third]
        elif days <= 31:
            bounds = {"early": (0, 15), "mid": (9, 20), "late": (15, days)}[third]
        else:
            return moment.days(*self._months(third, first, after))
        return moment.days(first + bounds[0] * DAY, first + bounds[1] * DAY)

    def _months(self, third: _Third, first: date, after: date) -> tuple[date, date]:
        months = _months_between(first, after)
        if isinstance(self.whole, Period) and self.whole.unit == "year" and third != "mid":
            middle = add_months(first, months // 2)
            return (first, middle) if third == "early" else (middle, after)
        # A decade falls into whole years: its first three, its last three.
        step = 12 if months >= 120 else 1
        length = months // step // 3 * step
        begin = {"early": 0, "mid": length, "late": months - length}[third]
        end = {"early": length, "mid": months - length, "late": months}[third]
        return add_months(first, begin), add_months(first, end)

    @property
    def approximate(self) -> bool:
        """Whether it is no exact bound."""
        return self.whole.approximate if self.edge == "some" else self.edge not in {"rest", "elapsed"}


def _months_between(first: date, after: date) -> int:
    return (after.year - first.year) * 12 + after.month - first.month


@dataclass(frozen=True, slots=True)
class OfYear(Expression):
    """Something that comes once a year, in the year of another expression: "last year in May"."""

    part: Expression
    year: Expression

    def window(self, moment: Moment) -> Window:
        """Return the part in the year in which `year` begins."""
        placed = self.part.of_year(moment.date_of(self.year.window(moment).start).year)
        if placed is None:
            raise ValueError("it does not come once a year")
        return placed.window(moment)


@dataclass(frozen=True, slots=True)
class Neighbour(Expression):
    """The unit, or the weekday, before or after a time: "the day after Christmas", "the Friday before 3 May".

    A week is the calendar's next to the one in which the time lies, and with `sign` 0 that one. Exactly one
    of `unit` and `weekday` is given; `n` counts from the nearest one: "the second Sunday after Easter".
    """

    sign: Sign
    of: Expression
    unit: Unit | None = None
    weekday: int | None = None
    n: int = 1

    def window(self, moment: Moment) -> Window:
        """Return the whole unit."""
        start, end = self._nearest(moment)
        if self.n > 1 and self.unit in {"month", "year"}:
            raise ValueError("only days and weeks are counted from a time")
        step = self.sign * (self.n - 1) * (DAY if self.unit == "day" else WEEK)
        return moment.days(start + step, end + step)

    def _nearest(self, moment: Moment) -> tuple[date, date]:
        named = self.of.window(moment)
        first, last = moment.date_of(named.start), moment.date_of(named.end - timedelta(microseconds=1))
        begin = last if self.sign > 0 else first
        if self.weekday is not None:
            day = self._weekday(first, last, self.weekday)
            return day, day + DAY
        if self.unit == "weekend" and not self.sign:
            day = monday_of(first) + 5 * DAY
            return day, day + 2 * DAY
        if self.unit == "weekend":
            day = self._weekday(first + DAY if first.weekday() == 5 else first, last, 5)
            if day + DAY >= first and self.sign < 0:
                day -= WEEK
            return day, day + 2 * DAY
        if self.unit == "week":
            day = monday_of(begin) + self.sign * WEEK
            return day, day + WEEK
        if self.unit in {"month", "year"}:
            months = 1 if self.unit == "month" else 12
            day = add_months(date(begin.year, begin.month if months == 1 else 1, 1), self.sign * months)
            return day, add_months(day, months)
        day = begin + self.sign * DAY
        return day, day + DAY

    def _weekday(self, first: date, last: date, weekday: int) -> date:
        return weekday_until(first - DAY, weekday) if self.sign < 0 else weekday_from(last + DAY, weekday)
