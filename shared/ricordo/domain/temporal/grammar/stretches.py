"""Weeks by their day or number, decades, and stretches of a period: its end, what is left of it."""

from ricordo.domain.temporal.expressions.composed import Edge, EdgeName, Nth, WeekOf
from ricordo.domain.temporal.expressions.dated import CalendarDay, Holiday, Month, NumberedWeek, Season, Years
from ricordo.domain.temporal.expressions.relative import Period
from ricordo.domain.temporal.grammar.numeric_dates import full_year, year_after
from ricordo.domain.temporal.grammar.reader import Read, Reader
from ricordo.domain.temporal.lexicon import Kind


def week_of(reader: Reader, at: int) -> Read | None:
    """Read "the week of 10 April", "week 31", "Halloween weekend", "la settimana di Natale"."""
    begin = reader.skip(at, Kind.THE)
    unit = reader.unit(begin)
    if unit not in {"week", "weekend"}:
        return _holiday_weekend(reader, at)
    number = reader.number(begin + 1, Kind.NUMBER)
    if unit == "week" and number is not None and 1 <= number <= 53 and reader.digits(begin + 1):
        year = year_after(reader, begin + 2)
        return Read(NumberedWeek(number, year[0]), year[1]) if year else Read(NumberedWeek(number), begin + 2)
    place = reader.skip(begin + 1, Kind.SINCE, Kind.OF, Kind.ON, Kind.THE, most=3)
    place = place + 1 if reader.is_text(place, "commencing", "beginning") else place
    inner = reader.period(reader.skip(place, Kind.ON))
    if inner is None or not isinstance(inner.expression, CalendarDay | Holiday):
        return None
    return Read(WeekOf(inner.expression, weekend=unit == "weekend"), inner.end)


def _holiday_weekend(reader: Reader, at: int) -> Read | None:
    name = reader.word(at, Kind.HOLIDAY)
    if name is None or reader.unit(at + 1) not in {"week", "weekend"}:
        return None
    year = year_after(reader, at + 2)
    day = Holiday(name, year[0] if year else None)
    return Read(WeekOf(day, weekend=reader.unit(at + 1) == "weekend"), year[1] if year else at + 2)


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
    if number is None or number % 10 or not (before or after) or (digits == 2 and not 10 <= number <= 90):
        return None
    year = number + 1900 if digits == 2 else full_year(number, digits)
    return Read(Years(year, 10), begin + 1 + after) if year is not None else None


def edge(reader: Reader, at: int) -> Read | None:
    """Read "end of March", "early next week", "fine mese", "the rest of the week", "later this year"."""
    begin = reader.skip(at, Kind.THE)
    name = _EDGES.get(reader.word(begin, Kind.EDGE) or "")
    if name is None:
        return None
    place = reader.skip(begin + 1, Kind.OF)
    short = reader.unit(begin)
    if short is not None:
        return Read(Edge(name, Period(short, 0)), begin + 1)
    whole = reader.inner(place)
    if whole is None:
        unit = reader.unit(reader.skip(place, Kind.THE))
        if unit not in {"month", "year", "week"} or name == "elapsed":
            return None
        return Read(Edge(name, Period(unit, 0)), reader.skip(place, Kind.THE) + 1)
    if not isinstance(whole.expression, Period | Month | Years | Season | Nth | WeekOf):
        return None
    return Read(Edge(name, whole.expression), whole.end)


_EDGES: dict[str, EdgeName] = {
    "early": "early",
    "mid": "mid",
    "late": "late",
    "rest": "rest",
    "elapsed": "elapsed",
}
