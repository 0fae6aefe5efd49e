"""Times made of other times: the n-th of, the end of, the week of, parts of the day, from one to another."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from ricordo.domain.temporal.expressions.base import Expression
from ricordo.domain.temporal.expressions.relative import Unit
from ricordo.domain.temporal.gregorian import WEEK, add_months, first_monday, monday_of, weekday_from
from ricordo.domain.temporal.moments import Moment, NoSuchTime, Window
from ricordo.domain.temporal.spans import EARLIEST

EdgeName = Literal["early", "mid", "late", "rest", "elapsed"]
Side = Literal["before", "until", "since", "after"]
PartName = Literal[
    "morning", "noon", "lunch", "afternoon", "evening", "dinner", "night", "overnight", "nearest_night",
    "midnight", "dawn", "sunset",
]  # fmt: skip

# Hours of the day on which the part begins and ends; past 24 is the next day.
_PARTS: dict[PartName, tuple[int, int]] = {
    "morning": (6, 12),
    "noon": (12, 13),
    "lunch": (12, 14),
    "afternoon": (12, 18),
    "evening": (18, 23),
    "dinner": (19, 22),
    "night": (23, 30),
    "overnight": (18, 30),
    "nearest_night": (23, 30),
    "midnight": (24, 25),
    "dawn": (5, 8),
    "sunset": (17, 21),
}


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
        if self.weekday is not None:
            return self._day(weekday_from(first, self.weekday), WEEK, after, moment)
        if self.unit == "week":
            return self._week(first, after, moment)
        if self.unit == "weekend":
            return self._weekend(first, after, moment)
        if self.unit == "day":
            return self._day(first, timedelta(days=1), after, moment)
        return self._months(first, after, moment)

    def _day(self, first: date, step: timedelta, after: date, moment: Moment) -> Window:
        index = self.n - 1 if self.n > 0 else (after - first - timedelta(days=1)) // step
        day = first + index * step
        if not first <= day < after:
            raise NoSuchTime("it does not have that many")
        return moment.day(day)

    def _week(self, first: date, after: date, moment: Moment) -> Window:
        if self.n > 0:
            start = first_monday(first) + (self.n - 1) * WEEK
        else:
            start = first_monday(after) - self.count * WEEK
        if start >= after:
            raise NoSuchTime("it does not have that many weeks")
        return moment.days(start, start + self.count * WEEK)

    def _weekend(self, first: date, after: date, moment: Moment) -> Window:
        saturday = self._day(weekday_from(first, 5), WEEK, after, moment)
        start = moment.date_of(saturday.start)
        return moment.days(start, start + timedelta(days=2))

    def _months(self, first: date, after: date, moment: Moment) -> Window:
        lengths: dict[Unit | None, int] = {"month": 1, "quarter": 3, "half": 6, "year": 12}
        length = lengths.get(self.unit, 12)
        start = add_months(first, (self.n - 1) * length) if self.n > 0 else add_months(after, -length)
        if not first <= start < after:
            raise NoSuchTime("it does not have that many")
        return moment.days(start, add_months(start, length))

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.within.deictic

    @property
    def partial(self) -> bool:
        """See `Expression.partial`."""
        return self.within.partial


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
class Edge(Expression):
    """A stretch of a period: its beginning, middle or end, what is left of it, what has passed of it.

    A week begins Monday to Wednesday and ends Thursday to Sunday, a month ends from the 16th on, what is
    longer falls in thirds.
    """

    edge: EdgeName
    whole: Expression

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        whole = self.whole.window(moment)
        if self.edge == "rest":
            return Window(moment.at(moment.today), whole.end)
        if self.edge == "elapsed":
            return Window(whole.start, moment.now)
        first, after = moment.date_of(whole.start), moment.date_of(whole.end)
        days = (after - first).days
        if days <= 1:
            hours = {"early": (6, 10), "mid": (10, 16), "late": (16, 24)}[self.edge]
            return Window(moment.at(first, hours[0] * 60), moment.at(first, hours[1] * 60))
        if days <= 7:
            bounds = {"early": (0, 3), "mid": (1, 5), "late": (3, days)}[self.edge]
        elif days <= 31:
            bounds = {"early": (0, 15), "mid": (9, 20), "late": (15, days)}[self.edge]
        else:
            return self._third(first, after, moment)
        return moment.days(first + timedelta(days=bounds[0]), first + timedelta(days=bounds[1]))

    def _third(self, first: date, after: date, moment: Moment) -> Window:
        months = (after.year - first.year) * 12 + after.month - first.month
        begin = {"early": 0, "mid": months // 3, "late": months - months // 3}[self.edge]
        end = {"early": months // 3, "mid": months - months // 3, "late": months}[self.edge]
        return moment.days(add_months(first, begin), add_months(first, end))

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
        return self.edge in {"early", "mid", "late"}


@dataclass(frozen=True, slots=True)
class PartOfDay(Expression):
    """A part of a day: "yesterday morning", "Friday at lunch"."""

    part: PartName
    day: Expression

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        day = moment.date_of(self.day.window(moment).start)
        begin, end = _PARTS[self.part]
        # Said after waking up, the night is the one that was.
        if self.part == "nearest_night" and moment.past and moment.at(day, begin * 60) > moment.now:
            day -= timedelta(days=1)
        return Window(moment.at(day, begin * 60), moment.at(day, end * 60))

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.day.deictic


@dataclass(frozen=True, slots=True)
class Clock(Expression):
    """A time of day: an hour if only the hour is said, a minute if minutes are.

    Attributes:
        minutes: Since midnight, on the wall clock.
        length: Minutes that the words leave open.
        day: The day; the nearest one in the preferred direction when not said.
    """

    minutes: int
    length: int
    day: Expression | None = None

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        day = moment.today if self.day is None else moment.date_of(self.day.window(moment).start)
        if self.day is None:
            ahead = moment.at(day, self.minutes) > moment.now
            day += timedelta(days=(-1 if moment.past and ahead else 0) + (0 if moment.past or ahead else 1))
        start = moment.at(day, self.minutes)
        return Window(start, start + timedelta(minutes=self.length))

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.day is None or self.day.deictic

    @property
    def approximate(self) -> bool:
        """See `Expression.approximate`."""
        return True


@dataclass(frozen=True, slots=True)
class Between(Expression):
    """From one time to another. The one that leaves something out takes it from the other."""

    first: Expression
    last: Expression

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`.

        The end is where `last` begins, unless it begins no later than `first`; `through` is where it ends.
        """
        if self.first.partial and not self.last.partial:
            last = self.last.window(moment)
            first = self.first.window(moment.leaning(last.start, "past"))
        else:
            first = self.first.window(moment)
            context = moment.leaning(first.start, "future") if self.last.partial else moment
            last = self.last.window(context)
        end = last.end if self._whole_last() or last.start <= first.start else last.start
        if end <= first.start:
            raise NoSuchTime("the range ends before it begins")
        return Window(first.start, end, max(last.end, end))

    def _whole_last(self) -> bool:
        return isinstance(self.last, Edge)

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.first.deictic or self.last.deictic

    @property
    def partial(self) -> bool:
        """See `Expression.partial`."""
        return False


@dataclass(frozen=True, slots=True)
class Bound(Expression):
    """A time that is open at one side: "before 2010", "since Monday".

    What is not over ends now when the past is preferred.
    """

    side: Side
    of: Expression

    def window(self, moment: Moment) -> Window:
        """See `Expression.window`."""
        named = self.of.window(moment)
        edge = self.of.edge if isinstance(self.of, Edge) else None
        if self.side in {"before", "until"}:
            # What is before the end of March is not over before March is.
            ends = self.side == "until" or edge == "late"
            return Window(EARLIEST, named.end if ends else named.start)
        start = named.start if self.side == "since" or edge == "early" else named.end
        end = moment.up_to_now(start)
        return Window(start, end)

    @property
    def deictic(self) -> bool:
        """See `Expression.deictic`."""
        return self.of.deictic
