"""Rules for times that another time places: its year, the day before it, the n-th part of it."""

from dataclasses import replace

from ricordo.language.temporal.expressions.base import Expression, Yearly
from ricordo.language.temporal.expressions.calendar_dates import Holiday, Month, Years
from ricordo.language.temporal.expressions.compounds import Between, Bound
from ricordo.language.temporal.expressions.parts import Neighbour, Nth, OfYear, Sign
from ricordo.language.temporal.expressions.relative_dates import TODAY, Away, Period, Unit, Weekday
from ricordo.language.temporal.grammar.numeric_dates import year_after, year_at
from ricordo.language.temporal.grammar.token_reader import Read, Reader
from ricordo.language.temporal.lexicon import Kind


def with_year(reader: Reader, part: Expression, at: int) -> Read:
    """Read the year behind something that comes once a year: "2018", "of '87", "di due anni fa"."""
    year = year_behind(reader, at)
    return Read(in_year(part, year.expression), year.end) if year is not None else Read(part, at)


def year_behind(reader: Reader, at: int) -> Read | None:
    """Read the year that stands behind a part of one, in numbers or in words."""
    year = year_after(reader, at)
    if year is not None:
        return Read(Years(year[0]), year[1])
    named = reader.inner(reader.skip_sign(at, ","))
    return named if named is not None and is_year(named.expression) else None


def in_year(part: Expression, year: Expression) -> Expression:
    """Return what comes once a year in the year that an expression names."""
    placed = part.of_year(year.year) if isinstance(year, Years) and year.year is not None else None
    return placed if placed is not None else OfYear(part, year)


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
    """Return the sides on which the one at `at` can lie, and which it is, counted from there; 0 if unknown.

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
    later = reader.has(end, Kind.LATER)
    if not ahead and not later and not reader.has(end, Kind.AGO):
        return None
    of = _that_recurs(reader, begin + 1, 1 if ahead or later else -1, count)
    return Read(of, end + (later or not ahead)) if of is not None else None


_MOST_COUNTED = 100


def _that_recurs(reader: Reader, at: int, sign: Sign, count: int) -> Expression | None:
    day, one = reader.number(at, Kind.WEEKDAY), yearly_at(reader, at)
    if day is not None:
        return Neighbour(sign, TODAY, weekday=day, n=count)
    if one is not None:
        return replace(one, relation="coming" if sign > 0 else "last", skipped=count - 1)
    return Period("weekend", sign * count) if reader.unit(at) == "weekend" else None


def yearly_at(reader: Reader, at: int) -> Yearly | None:
    """Return what the lexeme at `at` names that comes once a year: a month, a season or a holiday."""
    month, season = reader.number(at, Kind.MONTH), reader.number(at, Kind.SEASON)
    name = reader.word(at, Kind.HOLIDAY)
    if season is not None:
        return Month(season, 3)
    if month is not None:
        return Month(month)
    return Holiday(name) if name is not None else None


def weekday_away(reader: Reader, weekday: int, at: int) -> Read | None:
    """Read the distance behind a weekday: "two weeks ago", ", two years from now", "di due settimane fa"."""
    begin = reader.skip_sign(at, ",")
    read = reader.period(begin) or reader.inner(begin)
    if read is None or not isinstance(read.expression, Away) or not _leads_to_a_week(read.expression):
        return None
    return Read(_on_weekday(weekday, read.expression), read.end)


def _on_weekday(weekday: int, away: Away) -> Weekday:
    """Return the weekday of the week to which a distance in weeks leads, else the first one from there on."""
    weeks = away.amount.only("week", "fortnight")
    return Weekday(weekday, within=Neighbour(0, away, "week") if weeks else away)


def _leads_to_a_week(away: Away) -> bool:
    return away.amount.coarse and not away.amount.fine


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
    # A word for the middle behind "first" and "second" means a half.
    unit: Unit | None = "half" if reader.word(begin, Kind.EDGE) == "mid" else reader.unit(begin)
    day = reader.number(begin, Kind.WEEKDAY)
    if day is None and unit not in _GROUPS:
        return _century(reader, n, begin)
    whole = _whole(reader, begin + 1, unit)
    if whole is None:
        if day is None or n < 0 or count > 1 or reader.has(begin, Kind.PLURAL):
            return None
        return Read(Nth(Period("month", 0), n, None, day), begin + 1)
    return Read(Nth(whole.expression, n, unit if day is None else None, day, count), whole.end)


_A_FEW = 3  # of "the first days of May"


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
        return unit != "quarter" and (unit != "month" or whole.count > 1)
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
    n = reader.number(begin + 1, Kind.NUMBER)
    if kind is None or n is None or not reader.adjacent(begin + 1) or not 1 <= n <= units[kind][1]:
        return None
    whole = Read(Years(year), begin + 2) if year is not None else year_behind(reader, begin + 2)
    whole = whole or Read(Period("year", 0), begin + 2)
    return Read(Nth(whole.expression, n, units[kind][0]), whole.end)
