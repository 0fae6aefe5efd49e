"""Parts of a period: the n-th of something, a week around a day, the beginning, the middle and the end."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from ricordo.language.temporal.expressions.amounts import Unit
from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.relative import Period
from ricordo.language.temporal.gregorian import (
    DAY,
    WEEK,
    add_months,
    add_working_days,
    first_monday,
    monday_of,
    weekday_from,
)
from ricordo.language.temporal.moments import Moment, NoSuchTime, Window

EdgeName = Literal["early", "mid", "late", "rest", "later", "earlier", "elapsed"]
_Third = Literal["early", "mid", "late"]

_MONTHS: Mapping[Unit, int] = {"month": 1, "quarter": 3, "year": 12}


@dataclass(frozen=True, slots=True)
class Nth(Expression):
    """The n-th day, weekday, week, weekend, month, quarter or half of something; n = −1 is the last.

    Exactly one of `unit` and `weekday` is given. `count` units end (n < 0) or begin (n > 0) there.
    """

    n: int
    within: Expression
    unit: Unit | None = None
    weekday: int | None = None
    count: int = 1

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        whole = self.within.window(moment)
        first, after = moment.date_of(whole.start), moment.date_of(whole.end)
        start, end = self._dates(first, after)
        inside = start < after if self.unit == "weekend" else end <= after
        if self.unit != "week" and not (first <= start and inside):
            raise NoSuchTime("it does not have that many")
        return moment.days(start, end)

    def _dates(self, first: date, after: date) -> tuple[date, date]:
        if self.weekday is not None:
            day = self._from(weekday_from(first, self.weekday), WEEK, after)
            return day, day + DAY
        if self.unit in {"half", "fortnight"}:
            return _half(first, after, self.n)
        if self.unit == "week":
            return self._weeks(first, after)
        return self._days(first, after) or self._months(first, after)

    def _days(self, first: date, after: date) -> tuple[date, date] | None:
        if self.unit == "weekend":
            saturday = self._from(weekday_from(first, 5), WEEK, after)
            return saturday, saturday + (self.count - 1) * WEEK + 2 * DAY
        if self.unit == "day":
            start = self._from(first, DAY, after)
            return start, start + self.count * DAY
        if self.unit == "workday":
            day = add_working_days(first - DAY if self.n > 0 else after, self.n)
            return day, day + DAY
        return None

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
            raise NoSuchTime("it does not have that many weeks")
        return start, start + self.count * WEEK

    def _months(self, first: date, after: date) -> tuple[date, date]:
        length = _MONTHS.get(self.unit or "year", 12)
        begin = (self.n - 1) * length if self.n > 0 else 0
        start = add_months(first, begin) if self.n > 0 else add_months(after, -self.count * length)
        return start, add_months(start, self.count * length)

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.within.deictic

    @property
    def partial(self) -> bool:
        """See `Expression.partial`."""
        return self.within.partial


def _half(first: date, after: date, n: int) -> tuple[date, date]:
    """Return the first or the last half: of a month it ends with the 15th, of a week with the Wednesday.

    Raises:
        NoSuchTime: There is no third half.
    """
    if n not in {1, 2, -1}:
        raise NoSuchTime("there are two halves")
    months = _months_between(first, after)
    if months > 1:
        middle = add_months(first, months // 2) + (months % 2) * 15 * DAY
    else:
        middle = first + (15 if months else 3) * DAY
    return (first, middle) if n == 1 else (middle, after)


@dataclass(frozen=True, slots=True)
class WeekOf(Expression):
    """The week, or the weekend, in which a day lies: "the week of 10 April"."""

    day: Expression
    weekend: bool = False

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        day = moment.date_of(self.day.window(moment).start)
        monday = monday_of(day)
        if self.weekend:
            return moment.days(monday + timedelta(days=5), monday + WEEK)
        return moment.days(monday, monday + WEEK)

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.day.deictic


@dataclass(frozen=True, slots=True)
class SomeOf(Expression):
    """Some stretch of a period, which one is not told: "a weekend in February" can be all of February."""

    whole: Expression

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        return self.whole.window(moment)

    def of_year(self, year: int) -> Expression | None:
        """See `Expression.of_year`."""
        whole = self.whole.of_year(year)
        return SomeOf(whole) if whole is not None else None

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.whole.deictic

    @property
    def partial(self) -> bool:
        """See `Expression.partial`."""
        return self.whole.partial

    @property
    def approximate(self) -> bool:
        """See `Expression.approximate`."""
        return self.whole.approximate


@dataclass(frozen=True, slots=True)
class Edge(Expression):
    """A stretch of a period: its beginning, middle or end, what is left of it, what has passed of it.

    A week begins Monday to Wednesday and ends Thursday to Sunday, a month ends from the 16th on, what is
    longer falls in thirds, a year that is counted from the present one in halves. What comes later or came
    earlier does not reach over now.
    """

    edge: EdgeName
    whole: Expression

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        whole = self.whole.window(moment)
        match self.edge:
            case "rest":
                return self._rest(whole, moment)
            case "earlier" if _days(whole, moment) > 1:
                early = self._third("early", whole, moment)
                return Window(early.start, min(early.end, moment.now), moment.now)
            case "elapsed" | "earlier":
                return Window(whole.start, moment.now)
            case "later":
                late = self._third("late", whole, moment)
                begin = moment.now if _days(whole, moment) <= 1 else moment.at(moment.today)
                return Window(max(late.start, begin), late.end)
            case "early" | "mid" | "late" as third:
                return self._third(third, whole, moment)

    def _rest(self, whole: Window, moment: Moment) -> Window:
        """Return what is left; like a range it names its last day as its end."""
        if _days(whole, moment) <= 1:
            return Window(moment.now, whole.end)
        start, last = moment.at(moment.today), moment.at(moment.date_of(whole.end) - DAY)
        return Window(start, max(last, moment.at(moment.today + DAY)), whole.end)

    def _third(self, third: _Third, whole: Window, moment: Moment) -> Window:
        first, after = moment.date_of(whole.start), moment.date_of(whole.end)
        days = _days(whole, moment)
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
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.whole.deictic

    @property
    def partial(self) -> bool:
        """See `Expression.partial`."""
        return self.whole.partial

    @property
    def approximate(self) -> bool:
        """See `Expression.approximate`."""
        return self.edge in {"early", "mid", "late", "later", "earlier"}


def _days(window: Window, moment: Moment) -> int:
    return (moment.date_of(window.end) - moment.date_of(window.start)).days


def _months_between(first: date, after: date) -> int:
    return (after.year - first.year) * 12 + after.month - first.month
