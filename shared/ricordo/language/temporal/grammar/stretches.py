"""Rules for weeks by day or number, decades, and parts of a period: its end, the rest of it."""

from typing import cast

from ricordo.language.temporal.expressions.calendar_dates import Holiday, Month, Years
from ricordo.language.temporal.expressions.compounds import Between, is_day
from ricordo.language.temporal.expressions.parts import Edge, EdgeName, Neighbour, Nth, OfYear
from ricordo.language.temporal.expressions.relative_dates import Period, Rolling, Unit
from ricordo.language.temporal.grammar.anchor_rules import is_year, with_year, year_behind
from ricordo.language.temporal.grammar.numeric_dates import full_year, year_after
from ricordo.language.temporal.grammar.periods import calendar_period
from ricordo.language.temporal.grammar.ranges import between
from ricordo.language.temporal.grammar.token_reader import Read, Reader, furthest
from ricordo.language.temporal.lexicon import Kind


def week_of(reader: Reader, at: int) -> Read | None:
    """Read "the week of 10 April", "week 31", "2021-W31", "Halloween weekend", "la settimana di Natale"."""
    begin = reader.skip(at, Kind.THE)
    unit = reader.unit(begin)
    if unit not in {"week", "weekend"}:
        return _holiday_weekend(reader, at)
    place = reader.skip_sign(reader.skip(begin + 1, Kind.NUMBERED), ".")
    number = reader.number(place, Kind.NUMBER)
    if unit == "week" and number is not None and 1 <= number <= _MOST_WEEKS and reader.digits(place):
        year = year_behind(reader, place + 1) or Read(Years(None), place + 1)
        return Read(Nth(year.expression, number, "week"), year.end)
    place = reader.skip(begin + 1, Kind.SINCE, Kind.OF, Kind.ON, Kind.THE, Kind.BEGINNING, most=5)
    inner = reader.period(place)
    if inner is None or not is_day(inner.expression) or is_year(inner.expression):
        return None
    return Read(Neighbour(0, inner.expression, unit), inner.end)


_MOST_WEEKS = 53


def _holiday_weekend(reader: Reader, at: int) -> Read | None:
    name, unit = reader.word(at, Kind.HOLIDAY), reader.unit(at + 1)
    if name is None or unit not in {"week", "weekend"}:
        return None
    day = with_year(reader, Holiday(name), at + 2)
    return Read(Neighbour(0, day.expression, unit), day.end)


def decade(reader: Reader, at: int) -> Read | None:
    """Read "the 1970s", "the '40s", "the nineties", "gli anni settanta", "anni 2000"."""
    begin = reader.skip(at, Kind.THE)
    named = reader.number(begin, Kind.DECADE)
    if named is not None:
        return Read(Years(named, 10), begin + 1)
    before = reader.number(begin, Kind.DECADE_WORD) == 0
    begin = reader.skip_sign(begin + before, "'")
    number, digits = reader.number(begin, Kind.NUMBER), reader.digits(begin)
    after = reader.number(begin + 1, Kind.DECADE_WORD) == 1 and digits > 0
    if before and number is not None and not digits and number in _SPOKEN_DECADES:
        return Read(Years(_SPOKEN_DECADES[number], 10), begin + 1)
    if reader.has(at, Kind.OWN) or reader.has(at - 1, Kind.OWN):
        return None  # "in their 60s"
    if number is None or number % 10 or not (before or after) or (digits == 2 and not 10 <= number <= 90):
        return None
    year = number + 1900 if digits == 2 else full_year(number, digits)
    return Read(Years(year, 10), begin + 1 + after) if year is not None else None


_SPOKEN_DECADES = {10: 2010, 2000: 2000, 2010: 2010, 2020: 2020}


def edge(reader: Reader, at: int) -> Read | None:
    """Read "end of March", "early next week", "fine mese", "the rest of the week", "later this year"."""
    begin = reader.skip(at, Kind.THE)
    name = cast("EdgeName | None", reader.word(begin, Kind.EDGE))
    if name is None:
        return _first_years(reader, begin) or _edge_behind(reader, at)
    place = reader.skip(begin + 1, Kind.OF)
    short = reader.unit(begin)
    if short is not None:
        return Read(Edge(Period(short, 0), name), begin + 1)
    whole = reader.inner(place)
    if whole is None and name != "elapsed":
        unit = reader.unit(reader.skip(place, Kind.THE))
        if unit is None or (unit not in {"month", "year", "week"} and (unit, name) != ("day", "rest")):
            return None
        return Read(Edge(Period(unit, 0), name), reader.skip(place, Kind.THE) + 1)
    if whole is None or not isinstance(whole.expression, _WHOLE):
        return None
    return Read(Edge(whole.expression, name), whole.end)


_WHOLE = Period | Month | Years | Nth | Neighbour | OfYear


def _first_years(reader: Reader, at: int) -> Read | None:
    """Read "i primi anni Novanta"."""
    if reader.number(at, Kind.ORDINAL) != 1:
        return None
    years = decade(reader, at + 1)
    return Read(Edge(years.expression, "early"), years.end) if years is not None else None


def _edge_behind(reader: Reader, at: int) -> Read | None:
    """Read "this year so far", "year to date"."""
    unit = reader.unit(at)
    whole = calendar_period(reader, at) or (Read(Period(unit, 0), at + 1) if unit is not None else None)
    if whole is None or reader.word(whole.end, Kind.EDGE) != "elapsed":
        return None
    return Read(Edge(whole.expression, "elapsed"), whole.end + 1)


_JOINTS = (Kind.IN, Kind.ON, Kind.OF, Kind.AT, Kind.OVER)
_LONG = _WHOLE | Between | Edge | Rolling
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
    return Read(Edge(whole.expression, "some"), whole.end)


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
    part = reader.part(begin) is not None and not reader.items[begin].weak
    return (begin + part, "day") if weekday or part else None


def _whole(reader: Reader, at: int) -> Read | None:
    comma = reader.skip_sign(at, ",")
    at = comma if reader.has(comma, *_JOINTS) else at
    place = reader.skip(at, *_JOINTS)
    year = year_after(reader, at) if place > at else None
    return furthest(
        between(reader, at),
        between(reader, place),
        None if reader.is_text(at, *_NOT_WITHIN) else reader.inner(place),
        reader.period(at),
        Read(Years(year[0]), year[1]) if year is not None else None,
    )


def _holds(reader: Reader, whole: Read, at: int, unit: Unit) -> bool:
    """Whether the period is longer than its part, and named: "the day of the week" names none."""
    expression = whole.expression
    if not isinstance(expression, _LONG):
        return False
    bare = isinstance(expression, Period) and expression.offset == 0
    if bare and not any(reader.has(i, Kind.RELATION) for i in range(at, whole.end)):
        return False
    length = expression.unit if isinstance(expression, Period | Nth | Neighbour) else None
    return length is None or length not in _TOO_SHORT[unit]
