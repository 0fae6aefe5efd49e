"""What an expression leaves open, whether it has an hour, and that hour on a day."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Final, Literal

from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.calendar_dates import CalendarDay, Holiday, Month
from ricordo.language.temporal.expressions.compounds import (
    Between,
    Bound,
    PartName,
    PartOfDay,
    TimeOfDay,
    in_part,
)
from ricordo.language.temporal.expressions.parts import Neighbour, Nth, OfYear
from ricordo.language.temporal.expressions.relative_dates import Away, Period, Weekday, Weekend

Shape = Literal["weekday", "day", "date", "holiday", "month", "placed"]
"""What is left open: the week ("Friday"), month ("the 19th"), year ("3 May", "Easter"), or nothing."""
_NOON: Final = 12 * 60


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
