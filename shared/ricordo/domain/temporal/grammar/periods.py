"""Units of the calendar and what is part of them: weeks, months, seasons, decades, the n-th of something."""

from ricordo.domain.temporal.expressions.base import OFFSETS, Expression, Relation
from ricordo.domain.temporal.expressions.composed import Nth
from ricordo.domain.temporal.expressions.dated import Month, Season, Years
from ricordo.domain.temporal.expressions.relative import Period, Unit, Weekday, Weekend
from ricordo.domain.temporal.grammar.numeric_dates import year_after, year_at
from ricordo.domain.temporal.grammar.reader import PLURALS, Read, Reader
from ricordo.domain.temporal.lexicon import Kind

_GROUPS: frozenset[Unit] = frozenset({"day", "week", "weekend", "month", "quarter", "half"})


def calendar_period(reader: Reader, at: int) -> Read | None:
    """Read "last week", "la settimana scorsa", "this month", "the week after next", "the month"."""
    begin = reader.skip(at, Kind.THE)
    relation = reader.relation(begin)
    if relation is not None:
        begin = reader.skip(begin + 1, Kind.RELATION) if relation == "this" else begin + 1
        relation = reader.relation(begin - 1) or relation
    unit = reader.unit(begin)
    if unit is None:
        return None
    end = begin + 1
    skipped = _second(reader, end)
    if skipped is not None:
        return Read(Period(unit, skipped[0]), skipped[1])
    if relation is None and reader.relation(end) is not None:
        relation, end = reader.relation(end), end + 1
    if relation is not None:
        return Read(Period(unit, OFFSETS[relation]), end) if _is_one(reader, unit, relation, end) else None
    if unit == "weekend":
        return Read(Weekend(), end)
    bare = reader.has(at, Kind.THE) and unit in {"week", "month", "year", "fortnight"}
    return Read(Period(unit, 0), end) if bare and _the_one(reader, at, end) else None


def _is_one(reader: Reader, unit: Unit, relation: Relation, end: int) -> bool:
    """Whether it is one period: not "these days", not "10 minutes coming", not "this second"."""
    last = reader.items[end - 1]
    if unit in {"hour", "minute", "second"}:
        return unit != "second" and relation != "this" and Kind.UNIT in last.values
    return relation != "this" or last.text not in PLURALS


def _second(reader: Reader, at: int) -> tuple[int, int] | None:
    """Read "after next", "dopo la prossima", "before last": periods from the present one, and the end."""
    if not reader.has(at, Kind.AFTER, Kind.BEFORE):
        return None
    place = reader.skip(at + 1, Kind.THE)
    relation = reader.relation(place)
    if relation in {None, "this"} or reader.has(place + 1, Kind.WEEKDAY, Kind.UNIT, Kind.MONTH):
        return None
    ahead = reader.has(at, Kind.AFTER)
    if ahead != (relation in {"next", "coming"}):
        return None
    return (2 if ahead else -2), place + 1


def _the_one(reader: Reader, at: int, end: int) -> bool:
    """Whether "the week" is this one: not in "the week of", "the year 2016", "la settimana santa"."""
    return reader.ends_clause(end) and not reader.is_text(at, "that", "un", "quel", "quella", "quell'")


def month(reader: Reader, at: int) -> Read | None:
    """Read "May", "May 2023", "June of '99", "2015 June", "last May", "lo scorso maggio", "maggio scorso"."""
    year = year_at(reader, at)
    if year is not None:
        place = reader.skip_sign(at + 1, "-", "/", ",")
        named = reader.number(place, Kind.MONTH)
        return Read(Month(named, year), place + 1) if named is not None else None
    begin = reader.skip(at, Kind.THE)
    relation = reader.relation(begin)
    begin += relation is not None
    named = reader.number(begin, Kind.MONTH)
    if named is None:
        return None
    end = begin + 1
    if (
        relation is None
        and reader.relation(end) is not None
        and not reader.has(end + 1, Kind.UNIT, Kind.MONTH)
    ):
        relation, end = reader.relation(end), end + 1
    if relation is not None:
        return Read(Month(named, None, relation), end)
    return _month_and_year(reader, named, begin, end)


def _month_and_year(reader: Reader, named: int, begin: int, end: int) -> Read | None:
    point = end + 1 if reader.is_text(end, ".") and reader.has(end + 1, Kind.NUMBER, Kind.OF) else end
    year = year_after(reader, point)
    if year is not None:
        return Read(Month(named, year[0]), year[1])
    within = reader.inner(end)
    if within is not None and isinstance(within.expression, Period) and within.expression.unit == "year":
        return Read(Nth(named, within.expression, "month"), within.end)
    if reader.items[begin].weak and not _in_company(reader, begin):
        return None
    return Read(Month(named), end)


_COMPANY = (
    Kind.IN, Kind.OF, Kind.SINCE, Kind.FROM, Kind.BETWEEN, Kind.BEFORE, Kind.AFTER, Kind.UNTIL, Kind.EDGE,
    Kind.WITHIN,
)  # fmt: skip


def _in_company(reader: Reader, at: int) -> bool:
    """Whether a word that may mean something else stands where a time is expected."""
    joined = (Kind.TO, Kind.AND)
    before = reader.has(at - 1, *joined) and reader.has(at - 2, Kind.MONTH, Kind.WEEKDAY)
    after = reader.has(at + 1, *joined) and reader.has(at + 2, Kind.MONTH, Kind.WEEKDAY)
    if before or after or reader.has(at - 1, *_COMPANY):
        return True
    return reader.items[at].capital and at > 0 and not reader.is_text(at - 1, ".", "!", "?", "\n")


def season(reader: Reader, at: int) -> Read | None:
    """Read "last summer", "the summer of 2023", "l'estate scorsa", "in winter"."""
    begin = reader.skip(at, Kind.THE)
    relation = reader.relation(begin)
    begin += relation is not None
    first = reader.number(begin, Kind.SEASON)
    if first is None:
        return None
    end = begin + 1
    year = year_after(reader, end)
    if year is not None:
        return Read(Season(first, year[0]), year[1])
    if relation is None and reader.relation(end) is not None and not reader.has(end + 1, Kind.UNIT):
        relation, end = reader.relation(end), end + 1
    if relation is None and not reader.has(at - 1, *_COMPANY, Kind.OVER):
        return None
    return _season(reader, first, relation, end)


def _season(reader: Reader, first: int, relation: Relation | None, end: int) -> Read:
    within = reader.inner(end)
    if within is not None and isinstance(within.expression, Period) and within.expression.unit == "year":
        return Read(Season(first, None, _RELATIONS.get(within.expression.offset)), within.end)
    return Read(Season(first, None, relation), end)


_RELATIONS: dict[int, Relation] = {-1: "last", 0: "this", 1: "next"}


def weekday(reader: Reader, at: int) -> Read | None:
    """Read "Friday", "last Friday", "venerdì prossimo", "Friday of next week", "next week on Friday"."""
    week = _week_then_day(reader, at)
    if week is not None:
        return week
    begin = reader.skip(at, Kind.ON, Kind.THE, most=2)
    relation = reader.relation(begin)
    if relation is not None:
        begin += 1
        upcoming = reader.relation(begin)
        relation, begin = (upcoming, begin + 1) if upcoming is not None else (relation, begin)
    day = reader.number(begin, Kind.WEEKDAY)
    if day is None or (reader.items[begin].weak and relation is None and not _in_company(reader, begin)):
        return None
    end = begin + 1
    within = _week_at(reader, reader.skip(reader.skip_sign(end, ","), Kind.OF, Kind.THE, most=2))
    if within is not None and relation is None:
        return Read(Weekday(day, within=within.expression), within.end)
    if relation is None and reader.relation(end) is not None and not reader.has(end + 1, Kind.UNIT):
        relation, end = reader.relation(end), end + 1
    return Read(Weekday(day, relation), end)


def _week_at(reader: Reader, at: int) -> Read | None:
    read = calendar_period(reader, at) or nth(reader, at)
    if read is None:
        return None
    is_week = isinstance(read.expression, Period | Nth) and read.expression.unit == "week"
    return read if is_week else None


def _week_then_day(reader: Reader, at: int) -> Read | None:
    week = _week_at(reader, at)
    if week is None:
        return None
    begin = reader.skip_sign(reader.skip_sign(week.end, "."), ",")
    begin = reader.skip(begin, Kind.ON, Kind.THE, most=2)
    day = reader.number(begin, Kind.WEEKDAY)
    return Read(Weekday(day, within=week.expression), begin + 1) if day is not None else None


def nth(reader: Reader, at: int) -> Read | None:
    """Read "the first Friday of July", "third quarter of 2016", "the last week of December", "2016 Q3"."""
    begin = reader.skip(at, Kind.THE)
    short = _short_part_of_year(reader, begin)
    if short is not None:
        return short
    n = reader.number(begin, Kind.ORDINAL)
    if n is None:
        return None
    count = reader.number(begin + 1, Kind.NUMBER) or 1
    begin += 2 if count > 1 else 1
    day, unit = reader.number(begin, Kind.WEEKDAY), reader.unit(begin)
    if day is None and unit not in _GROUPS:
        return _century(reader, n, begin)
    whole = reader.inner(reader.skip_sign(begin + 1, ","))
    if whole is not None and not _holds(whole.expression, unit):
        whole = None
    if whole is None:
        if day is None or n < 0 or count > 1:
            return None
        return Read(Nth(n, Period("month", 0), None, day), begin + 1)
    return Read(Nth(n, whole.expression, unit if day is None else None, day, count), whole.end)


def _holds(whole: Expression, unit: Unit | None) -> bool:
    """Whether `whole` is longer than the part: a week has no second month."""
    if isinstance(whole, Month | Season):
        return unit not in {"quarter", "half"}
    if isinstance(whole, Period):
        return whole.unit not in {"day", "hour", "minute", "second"}
    return isinstance(whole, Years | Nth)


def _century(reader: Reader, n: int, at: int) -> Read | None:
    if reader.unit(at) == "century" and 1 <= n <= 99:
        return Read(Years((n - 1) * 100, 100) if n > 1 else Years(1, 99), at + 1)
    return None


def _short_part_of_year(reader: Reader, at: int) -> Read | None:
    """Read "Q3", "Q1 2016", "2016 Q3", "H1 2016", "2016H2"."""
    year = year_at(reader, at)
    begin = reader.skip_sign(at + 1, "-") if year is not None else at
    units: dict[Kind, tuple[Unit, int]] = {Kind.QUARTER: ("quarter", 4), Kind.HALF: ("half", 2)}
    kind = next((kind for kind in units if reader.has(begin, kind)), None)
    n = reader.number(begin + 1, Kind.NUMBER)
    if kind is None or n is None or not reader.adjacent(begin + 1) or not 1 <= n <= units[kind][1]:
        return None
    end = begin + 2
    if year is None:
        later = year_after(reader, end)
        year, end = later if later is not None else (None, end)
    whole: Expression = Period("year", 0) if year is None else Years(year)
    return Read(Nth(n, whole, units[kind][0]), end)
