"""What places a time by another one: its year, the day before it, how many of its kind ago."""

from ricordo.language.temporal.expressions.base import OFFSETS, Expression, Relation
from ricordo.language.temporal.expressions.calendar_dates import Holiday, Month, Season, Years
from ricordo.language.temporal.expressions.compounds import Between, Bound
from ricordo.language.temporal.expressions.distances import Away, Period, Unit, Weekday, WeekdayAway
from ricordo.language.temporal.expressions.parts import Counted, Neighbour, OfYear, Sign
from ricordo.language.temporal.grammar.numeric_dates import year_after
from ricordo.language.temporal.grammar.reader import Read, Reader
from ricordo.language.temporal.lexicon import Kind


def with_year(reader: Reader, part: Expression, at: int) -> Read:
    """Read the year behind something that comes once a year: "2018", "of '87", "di due anni fa"."""
    year = year_after(reader, at)
    placed = part.of_year(year[0]) if year is not None else None
    if year is not None and placed is not None:
        return Read(placed, year[1])
    named = _year_named(reader, reader.skip_sign(at, ","))
    return Read(in_year(part, named.expression), named.end) if named is not None else Read(part, at)


def in_year(part: Expression, year: Expression) -> Expression:
    """Return what comes once a year in the year that an expression names."""
    placed = part.of_year(year.year) if isinstance(year, Years) else None
    return placed if placed is not None else OfYear(part, year)


def _year_named(reader: Reader, at: int) -> Read | None:
    read = reader.inner(at)
    return read if read is not None and is_year(read.expression) else None


def is_year(expression: Expression) -> bool:
    """Whether an expression names a year: "last year", "two years ago", "2018"."""
    match expression:
        case Period(unit="year"):
            return True
        case Years(count=1):
            return True
        case Away(amount=amount, anchor=None):
            return amount.only("year")
        case _:
            return False


_SINGLE: frozenset[Unit] = frozenset({"day", "week", "weekend", "month", "year"})


def neighbour(reader: Reader, at: int) -> Read | None:
    """Read "the day after Christmas", "la settimana prima di Pasqua", "on the last Friday before 3 May"."""
    begin = reader.skip(at, Kind.ON, Kind.THE, most=2)
    sides, n = _order(reader, begin)
    begin += n > 0
    unit, weekday = reader.unit(begin), reader.number(begin, Kind.WEEKDAY)
    if (unit not in _SINGLE and weekday is None) or reader.has(begin, Kind.PLURAL):
        return None
    after = reader.has(begin + 1, Kind.AFTER)
    sign: Sign = 1 if after else -1
    if (not after and not reader.has(begin + 1, Kind.BEFORE)) or sign not in sides:
        return None
    of = reader.inner(begin + 2)
    if of is None or isinstance(of.expression, Bound | Between):
        return None
    return Read(Neighbour(sign, of.expression, unit, weekday, max(n, 1)), of.end)


def _order(reader: Reader, at: int) -> tuple[tuple[Sign, ...], int]:
    """Return the sides on which the one at `at` can lie, and which it is, counted from there; 0 if not told.

    The last one lies before a time, the next one after it, the second one on either side.
    """
    n = reader.number(at, Kind.ORDINAL)
    if n == -1 or reader.relation(at) in {"last", "past"}:
        return (-1,), 1
    if reader.relation(at) in {"next", "coming"}:
        return (1,), 1
    return (-1, 1), n or 0


def counted(reader: Reader, at: int) -> Read | None:
    """Read "two Mondays ago", "tre estati fa", "in two weekends", "4 Fridays later"."""
    ahead = reader.has(at, Kind.IN)
    begin = reader.skip(at, Kind.IN)
    count = reader.number(begin, Kind.NUMBER)
    if count is None or not 1 <= count <= _MOST_COUNTED:
        return None
    end = begin + 2
    if not ahead and reader.has(end, Kind.AGO):
        of = _that_recurs(reader, begin + 1, "last")
        return Read(Counted(count, of), end + 1) if of is not None else None
    later = reader.has(end, Kind.LATER)
    of = _that_recurs(reader, begin + 1, "coming") if ahead or later else None
    return Read(Counted(count, of, 1), end + later) if of is not None else None


_MOST_COUNTED = 100


def _that_recurs(
    reader: Reader, at: int, relation: Relation
) -> Weekday | Season | Month | Holiday | Period | None:
    day, month = reader.number(at, Kind.WEEKDAY), reader.number(at, Kind.MONTH)
    season, name = reader.number(at, Kind.SEASON), reader.word(at, Kind.HOLIDAY)
    if day is not None:
        return Weekday(day, relation)
    if season is not None:
        return Season(season, relation=relation)
    if month is not None:
        return Month(month, relation=relation)
    if name is not None:
        return Holiday(name, relation=relation)
    return Period("weekend", OFFSETS[relation]) if reader.unit(at) == "weekend" else None


def weekday_away(reader: Reader, weekday: int, at: int) -> Read | None:
    """Read the distance behind a weekday: "two weeks ago", ", two years from now", "di due settimane fa"."""
    begin = reader.skip_sign(at, ",")
    read = reader.period(begin) or reader.inner(begin)
    if read is None or not isinstance(read.expression, Away) or not _leads_to_a_week(read.expression):
        return None
    return Read(WeekdayAway(weekday, read.expression), read.end)


def away_on_weekday(reader: Reader, away: Away, at: int) -> Read | None:
    """Read the weekday behind a distance: "a week ago on Monday", "two months from today on Tuesday"."""
    begin = reader.skip(at, Kind.ON)
    weekday = reader.number(begin, Kind.WEEKDAY)
    if weekday is None or reader.items[begin].weak or not _leads_to_a_week(away):
        return None
    return Read(WeekdayAway(weekday, away), begin + 1)


def _leads_to_a_week(away: Away) -> bool:
    return away.amount.coarse and not away.amount.fine
