"""The n-th of something: days, weekdays, weeks, weekends, months, quarters, halves and centuries."""

from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.calendar_dates import Month, Season, Years
from ricordo.language.temporal.expressions.distances import Period, Unit
from ricordo.language.temporal.expressions.parts import Nth, OfYear
from ricordo.language.temporal.grammar.anchor_rules import is_year
from ricordo.language.temporal.grammar.numeric_dates import year_after, year_at
from ricordo.language.temporal.grammar.reader import Read, Reader
from ricordo.language.temporal.lexicon import Kind

_GROUPS: frozenset[Unit] = frozenset(
    {"day", "workday", "week", "weekend", "fortnight", "month", "quarter", "half"}
)


def nth(reader: Reader, at: int) -> Read | None:
    """Read "the first Friday of July", "third quarter of 2016", "the last two days of May", "2016 Q3"."""
    begin = reader.skip(reader.skip(at, Kind.ON), Kind.THE)
    short = _short_part_of_year(reader, begin)
    if short is not None:
        return short
    n = reader.number(begin, Kind.ORDINAL)
    if n is None:
        return None
    count = reader.number(begin + 1, Kind.NUMBER) or 1
    begin += 2 if count > 1 else 1
    if count == 1 and reader.has(begin, Kind.PLURAL) and reader.has(begin, Kind.UNIT):
        count = _A_FEW
    day, unit = reader.number(begin, Kind.WEEKDAY), _part(reader, begin)
    if day is None and unit not in _GROUPS:
        return _century(reader, n, begin)
    whole = _whole(reader, begin + 1, unit)
    if whole is None:
        if day is None or n < 0 or count > 1 or reader.has(begin, Kind.PLURAL):
            return None
        return Read(Nth(Period("month", 0), n, None, day), begin + 1)
    return Read(Nth(whole.expression, n, unit if day is None else None, day, count), whole.end)


_A_FEW = 3  # of "the first days of May"


def _part(reader: Reader, at: int) -> Unit | None:
    """Return the unit, or the half that a word for the middle is behind "first" and "second"."""
    return "half" if reader.word(at, Kind.EDGE) == "mid" else reader.unit(at)


def _whole(reader: Reader, at: int, unit: Unit | None) -> Read | None:
    year = year_after(reader, at)
    if year is not None and not (reader.adjacent(year[1]) and reader.has(year[1], Kind.DECADE_WORD)):
        return Read(Years(year[0]), year[1])
    whole = reader.inner(reader.skip_sign(at, ","))
    if whole is None:
        place = reader.skip(at, Kind.OF, Kind.THE, most=2)
        bare = reader.unit(place) if place > at and not reader.has(place, Kind.PLURAL) else None
        whole = Read(Period(bare, 0), place + 1) if bare in {"month", "year", "week"} else None
    return whole if whole is not None and _holds(whole.expression, unit) else None


def _holds(whole: Expression, unit: Unit | None) -> bool:
    """Whether `whole` is longer than the part: a week has no second month."""
    if isinstance(whole, Month):
        return unit not in {"month", "quarter"}
    if isinstance(whole, Season):
        return unit != "quarter"
    if isinstance(whole, Period):
        return whole.unit not in {"day", "hour", "minute", "second"} and whole.unit != unit
    return isinstance(whole, Years | Nth | OfYear) or is_year(whole)


def _century(reader: Reader, n: int, at: int) -> Read | None:
    if reader.unit(at) == "century" and 1 <= n <= 99:
        return Read(Years((n - 1) * 100, 100) if n > 1 else Years(1, 99), at + 1)
    return None


def _short_part_of_year(reader: Reader, at: int) -> Read | None:
    """Read "Q3", "Q1 2016", "Q2 of last year", "2016 Q3", "H1 2016", "2016H2"."""
    year = year_at(reader, at)
    begin = reader.skip_sign(at + 1, "-") if year is not None else at
    units: dict[Kind, tuple[Unit, int]] = {Kind.QUARTER: ("quarter", 4), Kind.HALF: ("half", 2)}
    kind = next((kind for kind in units if reader.has(begin, kind)), None)
    if year is not None and kind is None:
        return _year_then_nth(reader, year, reader.skip(begin, Kind.THE))
    n = reader.number(begin + 1, Kind.NUMBER)
    if kind is None or n is None or not reader.adjacent(begin + 1) or not 1 <= n <= units[kind][1]:
        return None
    whole, end = (Years(year), begin + 2) if year is not None else _year_of(reader, begin + 2)
    return Read(Nth(whole, n, units[kind][0]), end)


def _year_then_nth(reader: Reader, year: int, at: int) -> Read | None:
    """Read "2016 third quarter", "2016, the first half"."""
    n, unit = reader.number(at, Kind.ORDINAL), reader.unit(at + 1)
    if n is None or unit not in {"quarter", "half"}:
        return None
    return Read(Nth(Years(year), n, unit), at + 2)


def _year_of(reader: Reader, at: int) -> tuple[Expression, int]:
    year = year_after(reader, at)
    if year is not None:
        return Years(year[0]), year[1]
    named = reader.inner(at)
    if named is not None and is_year(named.expression):
        return named.expression, named.end
    return Period("year", 0), at
