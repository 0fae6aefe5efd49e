"""Which expressions name one day: an hour, a week around it or a distance from it can stand beside them."""

from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.dated import CalendarDay, Holiday
from ricordo.language.temporal.expressions.parts import Nth
from ricordo.language.temporal.expressions.placed import Counted, Neighbour, OfYear, WeekdayAway
from ricordo.language.temporal.expressions.relative import Away, DayAway, Period, Weekday


def is_day(expression: Expression) -> bool:
    """Whether an expression names one day."""
    match expression:
        case (
            DayAway()
            | CalendarDay()
            | Weekday()
            | Holiday()
            | Away()
            | WeekdayAway()
            | Period(unit="day" | "workday")
        ):
            return True
        case OfYear(part=part) | Counted(of=part):
            return is_day(part)
        case Nth(weekday=weekday, unit=unit, count=1) | Neighbour(weekday=weekday, unit=unit):
            return weekday is not None or unit in {"day", "workday"}
        case _:
            return False
