"""Some stretch of a longer period: "a weekend in February", "one evening last week", "una mattina di maggio".

Which one it was is not told, so the time is the whole period.
"""

from ricordo.language.temporal.expressions.amounts import Unit
from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.composed import Between
from ricordo.language.temporal.expressions.dated import Month, NumberedWeek, Season, Years
from ricordo.language.temporal.expressions.parts import Edge, Nth, SomeOf, WeekOf
from ricordo.language.temporal.expressions.placed import Neighbour, OfYear
from ricordo.language.temporal.expressions.relative import Period, Rolling
from ricordo.language.temporal.grammar.clocks import part_name
from ricordo.language.temporal.grammar.days import is_day
from ricordo.language.temporal.grammar.numeric_dates import year_after
from ricordo.language.temporal.grammar.ranges import between
from ricordo.language.temporal.grammar.reader import Read, Reader
from ricordo.language.temporal.lexicon import Kind

_JOINTS = (Kind.IN, Kind.ON, Kind.OF, Kind.AT, Kind.OVER)
_LONG = (
    Between
    | Edge
    | Month
    | Neighbour
    | Nth
    | NumberedWeek
    | OfYear
    | Period
    | Rolling
    | Season
    | WeekOf
    | Years
)
_NOT_WITHIN = ("for", "from", "'s", "per")  # "what did we plan on Saturday for May?"
_TOO_SHORT: dict[Unit, frozenset[Unit]] = {
    "day": frozenset(),
    "weekend": frozenset({"weekend"}),
    "week": frozenset({"weekend", "week"}),
}


def some_of_period(reader: Reader, at: int) -> Read | None:
    """Read "a weekend in February", "one evening last week", "un sabato di gennaio", "one day in 2019"."""
    part = _some(reader, at)
    if part is None:
        return None
    end, unit = part
    whole = _whole(reader, end)
    if whole is None or is_day(whole.expression) or not _holds(reader, whole, end, unit):
        return None
    return Read(SomeOf(whole.expression), whole.end)


def _some(reader: Reader, at: int) -> tuple[int, Unit] | None:
    """Read "a weekend", "two evenings", "the Saturday night": its end, and its unit."""
    day = reader.skip(at, Kind.ON, Kind.THE, most=2)
    habit = reader.is_text(at, "at", "di") and reader.has(at + 1, Kind.PART)  # "di sera", "at night"
    begin = day if habit or reader.has(day, Kind.WEEKDAY) else at
    some = reader.has(begin, Kind.NUMBER) and reader.digits(begin) <= 2
    told = some or begin > at or reader.has(begin, Kind.THE) or reader.has(begin - 1, Kind.ON, Kind.OF)
    begin = begin + 1 if some else reader.skip(begin, Kind.THE)
    if reader.has(begin, Kind.DAY) or (reader.has(begin, Kind.PLURAL) and not some):
        return None
    unit = reader.unit(begin)
    if unit == "weekend" or (told and unit in {"day", "week"}):
        return begin + 1, unit
    if not told:
        return None
    weekday = reader.has(begin, Kind.WEEKDAY) and not reader.items[begin].weak
    begin += weekday
    part = part_name(reader, begin) is not None and not reader.items[begin].weak
    return (begin + part, "day") if weekday or part else None


def _whole(reader: Reader, at: int) -> Read | None:
    comma = reader.skip_sign(at, ",")
    at = comma if reader.has(comma, *_JOINTS) else at
    place = reader.skip(at, *_JOINTS)
    year = year_after(reader, at) if place > at else None
    reads = [
        between(reader, at),
        between(reader, place),
        None if reader.is_text(at, *_NOT_WITHIN) else reader.inner(place),
        reader.period(at),
        Read(Years(year[0]), year[1]) if year is not None else None,
    ]
    return max((read for read in reads if read is not None), key=lambda read: read.end, default=None)


def _holds(reader: Reader, whole: Read, at: int, unit: Unit) -> bool:
    """Whether the period is longer than its part, and named: "the day of the week" names none."""
    expression: Expression = whole.expression
    if not isinstance(expression, _LONG):
        return False
    if isinstance(expression, Period) and expression.offset == 0:
        named = any(reader.has(i, Kind.RELATION) for i in range(at, whole.end))
    else:
        named = True
    length = expression.unit if isinstance(expression, Period | Nth | Neighbour) else None
    return named and (length is None or length not in _TOO_SHORT[unit])
