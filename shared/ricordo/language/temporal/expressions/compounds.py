"""Times made of others: parts of the day, ranges, open at one side; and what any time leaves open."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.calendar_dates import CalendarDay, Holiday, Month
from ricordo.language.temporal.expressions.parts import Edge, Neighbour, Nth, OfYear
from ricordo.language.temporal.expressions.relative_dates import Away, Period, Weekday, Weekend
from ricordo.language.temporal.gregorian import DAY
from ricordo.language.temporal.moments import EARLIEST, Moment, Window

Side = Literal["before", "until", "up_to", "since", "after"]
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
_NOON = 12 * 60
# Hours before which one that is said of the part is one of the next morning: "last night at 2".
_SMALL_HOURS: dict[PartName, int] = {
    "evening": 5, "dinner": 5, "overnight": 5, "night": 6, "nearest_night": 7,
    "afternoon": 0, "sunset": 0,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PartOfDay(Expression):
    """A part of a day: "yesterday morning", "Friday at lunch"."""

    part: PartName
    day: Expression

    def window(self, moment: Moment) -> Window:
        """Return the hours of the day."""
        day = moment.date_of(self.day.window(moment).start)
        begin, end = _PARTS[self.part]
        # Said after waking up, the night is the one that was.
        if self.part == "nearest_night" and moment.past and moment.at(day, begin * 60) > moment.now:
            day -= DAY
        return Window(moment.at(day, begin * 60), moment.at(day, end * 60))


@dataclass(frozen=True, slots=True)
class TimeOfDay(Expression):
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
        """Return the minute or the hour."""
        day = moment.today if self.day is None else moment.date_of(self.day.window(moment).start)
        if self.day is None:
            ahead = moment.at(day, self.minutes) > moment.now
            if moment.past == ahead:
                day += -DAY if ahead else DAY
        start = moment.at(day, self.minutes)
        return Window(start, start + timedelta(minutes=self.length))

    @property
    def approximate(self) -> bool:
        """It always is."""
        return True


def in_part(hour: TimeOfDay, part: PartName | None) -> TimeOfDay:
    """Return an hour as one of a part of the day: after noon, or of the night that follows, past 24."""
    small = _SMALL_HOURS.get(part) if part is not None else None
    if small is None or hour.minutes >= _NOON + 60:
        return hour
    minutes = hour.minutes % _NOON
    return replace(hour, minutes=minutes + (2 * _NOON if minutes < small * 60 else _NOON))


@dataclass(frozen=True, slots=True)
class Between(Expression):
    """From one time to another. The one that leaves something out takes it from the other."""

    first: Expression
    last: Expression

    def window(self, moment: Moment) -> Window:
        """Return the range.

        The end is where `last` begins, unless it begins no later than `first`; `through` is where it ends.
        """
        first, last = self._both(moment)
        if self.first.partial and self.last.partial and moment.past and first.end > moment.now < last.start:
            # What has hardly begun is not told yet: "from September to November", said in September.
            first, last = self._both(moment.leaning(first.start - timedelta(microseconds=1), "past"))
        end = last.end if isinstance(self.last, Edge) or last.start <= first.start else last.start
        if end <= first.start:
            raise ValueError("the range ends before it begins")
        return Window(first.start, end, max(last.end, end))

    def _both(self, moment: Moment) -> tuple[Window, Window]:
        if self.first.partial and not self.last.partial:
            last = self.last.window(moment)
            return self.first.window(moment.leaning(last.start, "past")), last
        first = self.first.window(moment)
        context = moment.leaning(first.start, "future") if self.last.partial else moment
        return first, self.last.window(context)


@dataclass(frozen=True, slots=True)
class Bound(Expression):
    """A time that is open at one side: "before 2010", "since Monday".

    What is not over ends now when the past is preferred. "Until Friday" ends as a range does, before it,
    `through` its end; "after Friday" begins with that day, "after May" when May is over.
    """

    side: Side
    of: Expression

    def window(self, moment: Moment) -> Window:
        """Return the time up to or from the named one."""
        named = self.of.window(moment)
        edge = self.of.edge if isinstance(self.of, Edge) else None
        if self.side in {"before", "until", "up_to"}:
            # What is before the end of March is not over before March is.
            ends = self.side == "up_to" or edge == "late"
            end = named.end if ends else named.start
            return Window(EARLIEST, end, end if self.side == "before" else named.end)
        single = moment.date_of(named.end - timedelta(microseconds=1)) < moment.date_of(named.start) + DAY
        start = named.start if self.side == "since" or single or edge == "early" else named.end
        return Window(start, moment.up_to_now(start))


Shape = Literal["weekday", "day", "date", "holiday", "month", "placed"]
"""What is left open: the week ("Friday"), month ("the 19th"), year ("3 May", "Easter"), or nothing."""


def shape(expression: Expression) -> Shape:
    """Return what an expression leaves open."""
    match expression:
        case (
            TimeOfDay(day=Expression() as inner)
            | PartOfDay(day=inner)
            | Bound(of=inner)
            | Between(first=inner)
        ):
            return shape(inner)
        case Weekday(relation=None, within=None) | Weekend():
            return "weekday"
        case CalendarDay(year=None, relation=None, month=month):
            return "day" if month is None else "date"
        case Holiday(year=None, relation=None):
            return "holiday"
        case Month(year=None, relation=None):
            return "month"
        case _:
            return "placed"


def is_day(expression: Expression) -> bool:
    """Whether an expression names one day."""
    match expression:
        case CalendarDay() | Weekday() | Holiday() | Away() | Period(unit="day" | "workday"):
            return True
        case OfYear(part=part):
            return is_day(part)
        case Nth(weekday=weekday, unit=unit, count=1) | Neighbour(weekday=weekday, unit=unit):
            return weekday is not None or unit in {"day", "workday"}
        case _:
            return False


def minutes(expression: Expression) -> int | None:
    """Return the minutes since midnight at which an hour begins, None where none is named."""
    if isinstance(expression, Between):
        return minutes(expression.first)
    return expression.minutes if isinstance(expression, TimeOfDay) else None


def is_dayless(expression: Expression) -> bool:
    """Whether an hour is named, and no day."""
    if isinstance(expression, Between):
        return is_dayless(expression.first) and is_dayless(expression.last)
    return isinstance(expression, TimeOfDay) and expression.day is None


def on_day(expression: Expression, day: date) -> Expression:
    """Put an hour, or the time from one hour to another, on a day."""
    return each_hour(expression, lambda h: replace(h, day=CalendarDay(day.day, day.month, year=day.year)))


def of_part(expression: Expression, part: PartName) -> Expression:
    """Return an hour as one of a part of the day: "alle 9" of an evening is 21:00."""
    return each_hour(expression, lambda hour: in_part(hour, part))


def after_noon(expression: Expression) -> Expression:
    """Return an hour twelve hours later; as it is when it is after noon already."""
    return each_hour(
        expression, lambda hour: replace(hour, minutes=hour.minutes + _NOON * (hour.minutes < _NOON))
    )


def each_hour(expression: Expression, change: Callable[[TimeOfDay], TimeOfDay]) -> Expression:
    """Change an hour, or both of the time from one hour to another."""
    if isinstance(expression, Between):
        return Between(each_hour(expression.first, change), each_hour(expression.last, change))
    return change(expression) if isinstance(expression, TimeOfDay) else expression
