"""Holidays and years."""

from ricordo.domain.temporal.expressions.dated import Holiday, Years
from ricordo.domain.temporal.expressions.relative import Period
from ricordo.domain.temporal.grammar.numeric_dates import year_after, year_at
from ricordo.domain.temporal.grammar.reader import Read, Reader
from ricordo.domain.temporal.lexicon import Kind


def holiday_name(reader: Reader, at: int) -> Read | None:
    """Read "Easter", "Easter 2019", "last Halloween", "Thanksgiving of this year"."""
    begin = reader.skip(at, Kind.THE)
    relation = reader.relation(begin)
    name = reader.word(begin + (relation is not None), Kind.HOLIDAY)
    if name is None:
        return None
    end = begin + 1 + (relation is not None)
    if relation is None and reader.relation(end) is not None and not reader.has(end + 1, Kind.UNIT):
        relation, end = reader.relation(end), end + 1
    year = year_after(reader, end)
    if year is not None:
        return Read(Holiday(name, year[0]), year[1])
    within = _year_relation(reader, end)
    if within is not None:
        return Read(Holiday(name, within=within.expression), within.end)
    return Read(Holiday(name, None, relation), end)


def _year_relation(reader: Reader, at: int) -> Read | None:
    """Read "of this year", "dell'anno scorso"."""
    read = reader.inner(at)
    if read is None or not isinstance(read.expression, Period) or read.expression.unit != "year":
        return None
    return read


def bare_year(reader: Reader, at: int) -> Read | None:
    """Read "2016" where it can only be a year, "year 2016", "the year two hundred and sixty seven"."""
    begin = reader.skip(at, Kind.THE)
    if reader.word(begin, Kind.UNIT) == "year":
        place = reader.skip(begin + 1, Kind.OF)
        number = reader.number(place, Kind.NUMBER)
        if number is not None and 1 <= number <= 9998 and reader.digits(place) != 2:
            return Read(Years(number), place + 1)
        return None
    year = year_at(reader, at)
    if year is None or not _is_year(reader, at, year):
        return None
    return Read(Years(year), at + 1)


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
    listed = reader.has(at - 1, Kind.AND) and year_at(reader, at - 2) is not None
    if listed or reader.has(at - 1, *_YEAR_COMPANY):
        return True
    joined = reader.has(after, Kind.OR, Kind.TO)
    return year >= 1900 and (joined or reader.ends_clause(after)) and reader.digits(at) == 4
