"""Rules for years."""

from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.calendar_dates import Years
from ricordo.language.temporal.expressions.parts import Nth
from ricordo.language.temporal.grammar.anchor_rules import in_year, is_year
from ricordo.language.temporal.grammar.distances import away
from ricordo.language.temporal.grammar.numeric_dates import short_year_at, year_at
from ricordo.language.temporal.grammar.periods import calendar_period
from ricordo.language.temporal.grammar.token_reader import Read, Reader, furthest
from ricordo.language.temporal.lexicon import Kind


def bare_year(reader: Reader, at: int) -> Read | None:
    """Read "2016" where it can only be a year, "in '98", "the year two hundred and sixty seven"."""
    begin = reader.skip(at, Kind.THE)
    if reader.word(begin, Kind.UNIT) == "year":
        place = reader.skip(begin + 1, Kind.OF)
        number = reader.number(place, Kind.NUMBER)
        if number is not None and _LEAST <= number <= 9998 and reader.digits(place) != 2:
            return Read(Years(number), place + 1)
        return None
    year = year_at(reader, at)
    if year is not None:
        return Read(Years(year), at + 1) if _is_year(reader, at, year) else None
    short = short_year_at(reader, at)
    if short is None or not _is_short_year(reader, at, short[1]):
        return None
    return Read(Years(short[0]), short[1])


_LEAST = 100  # "year 5" of something


def _is_short_year(reader: Reader, at: int, end: int) -> bool:
    measured = reader.has(end, Kind.UNIT) or reader.is_text(end, "%", "€", "$", "°", "£")
    return reader.has(at - 1, *_YEAR_COMPANY) and not measured


_YEAR_COMPANY = (
    Kind.IN, Kind.OVER, Kind.OF, Kind.SINCE, Kind.FROM, Kind.TO, Kind.BETWEEN, Kind.BEFORE, Kind.AFTER,
    Kind.UNTIL, Kind.MONTH, Kind.WITHIN, Kind.ORDINAL, Kind.EDGE,
)  # fmt: skip


_SIGNS = ("-", "/", ".", ":", ",")


def _in_number(reader: Reader, sign: int, other: int) -> bool:
    """Whether a sign joins the digits to others that are no year, as in a telephone number."""
    return reader.is_text(sign, *_SIGNS) and reader.digits(other) > 0 and year_at(reader, other) is None


def _is_year(reader: Reader, at: int, year: int) -> bool:
    after = at + 1
    if not 1500 <= year <= 2100 or _in_number(reader, at - 1, at - 2) or _in_number(reader, after, after + 1):
        return False
    if reader.has(after, Kind.UNIT) or reader.is_text(after, "%", "€", "$", "°", "£"):
        return False
    if reader.has(at - 1, Kind.THING):
        return False
    listed = reader.has(at - 1, Kind.AND) and year_at(reader, at - 2) is not None
    if listed or (reader.has(at - 1, *_YEAR_COMPANY) and not _counts(reader, at)):
        return True
    joined = reader.has(after, Kind.OR, Kind.TO, Kind.OR_LATER, Kind.WHEN)
    return year >= 1900 and (joined or reader.ends_clause(after)) and reader.digits(at) == 4


def _counts(reader: Reader, at: int) -> bool:
    """Whether the number counts what stands behind it: "over 2000 people"."""
    if not reader.has(at - 1, Kind.MORE, Kind.FOR):
        return False
    return not reader.ends_clause(at + 1) and reader.items[at + 1].text not in reader.lexicon.follows_day


_JOINTS = (Kind.IN, Kind.ON, Kind.AT, Kind.OF, Kind.THE)


def year_then_part(reader: Reader, at: int) -> Read | None:
    """Read "last year in May", "l'anno scorso a Natale", "two years ago on 3 May", "2016, in the spring"."""
    year = calendar_period(reader, at) or bare_year(reader, at) or away(reader, at)
    if year is None or not is_year(year.expression):
        return None
    begin = reader.skip_sign(year.end, ",")
    places = dict.fromkeys((begin, reader.skip(begin, *_JOINTS), reader.skip(begin, *_JOINTS, most=2)))
    return furthest(*(_part(reader, place, year.expression) for place in places))


def _part(reader: Reader, at: int, year: Expression) -> Read | None:
    n, unit = reader.number(at, Kind.ORDINAL), reader.unit(at + 1)
    if n is not None and unit in {"quarter", "half"}:
        return Read(Nth(year, n, unit), at + 2)
    part = reader.period(at)
    if part is None or not part.expression.partial or part.expression.of_year(2000) is None:
        return None
    return Read(in_year(part.expression, year), part.end)
