"""Rules for units of the calendar: weeks, months, seasons, weekdays."""

from dataclasses import replace

from ricordo.language.temporal.expressions.base import OFFSETS, Relation, Yearly
from ricordo.language.temporal.expressions.calendar_dates import Holiday, Month
from ricordo.language.temporal.expressions.parts import Neighbour, Nth
from ricordo.language.temporal.expressions.relative_dates import TODAY, Period, Unit, Weekday, Weekend
from ricordo.language.temporal.grammar.anchor_rules import nth, weekday_away, with_year, yearly_at
from ricordo.language.temporal.grammar.numeric_dates import year_at
from ricordo.language.temporal.grammar.token_reader import Read, Reader
from ricordo.language.temporal.lexicon import Kind


def calendar_period(reader: Reader, at: int) -> Read | None:
    """Read "last week", "la settimana scorsa", "this month", "the week after next", "the month"."""
    first = reader.skip(at, Kind.THE)
    relation, begin = _relation_before(reader, first)
    unit = reader.unit(begin)
    if unit is None:
        return None
    end = begin + 1
    skipped = second_next(reader, end)
    if skipped is not None:
        return Read(Period(unit, skipped[0]), skipped[1])
    if relation is None and reader.relation(end) is not None and (unit == "year" or not reader.leads_on(end)):
        relation, end = reader.relation(end), end + 1
    if relation is not None:
        return _related(reader, unit, relation, first, end)
    if unit == "weekend":
        some = reader.number(begin - 1, Kind.NUMBER) is not None
        plural = any(reader.has(i, Kind.PLURAL) for i in (at - 1, begin - 1, begin))
        return None if some or plural else Read(Weekend(), end)
    bare = reader.has(at, Kind.THE) and unit in {"week", "month", "year", "fortnight"}
    return Read(Period(unit, 0), end) if bare and _the_one(reader, at, end) else None


def _relation_before(reader: Reader, at: int) -> tuple[Relation | None, int]:
    """Return the relation at `at`, the second one of "this past" and "this coming", and where it ends."""
    relation = reader.relation(at)
    if relation is None:
        return None, at
    end = reader.skip(at + 1, Kind.RELATION) if relation == "this" else at + 1
    return reader.relation(end - 1) or relation, end


def _related(reader: Reader, unit: Unit, relation: Relation, at: int, end: int) -> Read | None:
    if not _is_one(reader, unit, relation, end):
        return None
    if unit == "weekend" and relation == "coming" and reader.relation(at) == "this":
        return Read(Neighbour(1, TODAY, "weekend"), end)
    return Read(Period(unit, OFFSETS[relation]), end)


def _is_one(reader: Reader, unit: Unit, relation: Relation, end: int) -> bool:
    """Whether it is one period: not "these days", not "10 minutes coming", not "this second"."""
    if unit in {"hour", "minute", "second"}:
        return unit != "second" and relation != "this" and reader.has(end - 1, Kind.UNIT)
    return not any(reader.has(i, Kind.PLURAL) for i in (end - 2, end - 1))


def second_next(reader: Reader, at: int) -> tuple[int, int] | None:
    """Read "after next", "dopo la prossima", "before last": periods from the present one, and the end."""
    if not reader.has(at, Kind.AFTER, Kind.BEFORE):
        return None
    place = reader.skip(at + 1, Kind.THE)
    relation = reader.relation(place)
    if relation in {None, "this"} or reader.has(place + 1, Kind.WEEKDAY, Kind.UNIT, Kind.MONTH):
        return None
    ahead = reader.has(at, Kind.AFTER)
    return (2 if ahead else -2), place + 1


def _the_one(reader: Reader, at: int, end: int) -> bool:
    """Whether "the week" is this one: not in "the week of", "the year 2016", "la settimana santa"."""
    joined = reader.is_text(end, "-") and reader.adjacent(end)  # "the year-earlier"
    that = reader.is_text(at, "that", "quel", "quella", "quell'")
    return reader.ends_clause(end) and not joined and not that


def yearly(reader: Reader, at: int) -> Read | None:
    """Read "May", "June of '99", "2015 June", "lo scorso maggio", "l'estate scorsa", "Easter 2019"."""
    year = year_at(reader, at)
    if year is not None:
        place = reader.skip_sign(at + 1, "-", "/", ",")
        month = reader.number(place, Kind.MONTH)
        return Read(Month(month, year=year), place + 1) if month is not None else None
    begin = reader.skip(at, Kind.THE)
    relation = reader.relation(begin)
    begin += relation is not None
    named, end = yearly_at(reader, begin), begin + 1
    if named is None or (reader.has(begin, Kind.SEASON) and reader.has(begin - 1, Kind.NUMBER)):
        return None
    if relation is None and reader.relation_behind(end, Kind.UNIT, Kind.MONTH) is not None:
        relation, end = reader.relation(end), end + 1
    if relation is not None:
        verb = relation == "this" and reader.items[begin].weak and not reader.items[begin].capital
        verb = verb and not reader.has(begin, Kind.SEASON) and not reader.ends_clause(end)
        return None if verb else Read(replace(named, relation=relation), end)
    skipped = second_next(reader, end)
    if skipped is not None and skipped[0] < 0:
        return Read(replace(named, relation="last", skipped=1), skipped[1])
    return _with_its_year(reader, named, at, begin)


def _with_its_year(reader: Reader, named: Yearly, at: int, begin: int) -> Read | None:
    end = begin + 1
    point = end + 1 if reader.is_text(end, ".") and reader.has(end + 1, Kind.NUMBER, Kind.OF) else end
    placed = with_year(reader, named, point)
    if placed.end > point:
        return placed
    told = isinstance(named, Holiday) or not reader.has(begin - 1, Kind.ARTICLE)
    if reader.has(begin, Kind.SEASON):
        told = reader.has(at - 1, *_COMPANY, Kind.OVER)
    elif isinstance(named, Month):
        told = told and (not reader.items[begin].weak or _in_company(reader, begin))
    return Read(named, end) if told else None


_COMPANY = (
    Kind.IN, Kind.OF, Kind.SINCE, Kind.FROM, Kind.BETWEEN, Kind.BEFORE, Kind.AFTER, Kind.UNTIL, Kind.EDGE,
    Kind.WITHIN, Kind.AT,
)  # fmt: skip


def _in_company(reader: Reader, at: int) -> bool:
    """Whether a word that may mean something else stands where a time is expected."""
    joined = (Kind.TO, Kind.AND)
    before = reader.has(at - 1, *joined) and reader.has(at - 2, Kind.MONTH, Kind.WEEKDAY)
    after = reader.has(at + 1, *joined) and reader.has(at + 2, Kind.MONTH, Kind.WEEKDAY)
    if before or after or reader.has(at - 1, *_COMPANY):
        return True
    abbreviated = len(reader.items[at].text) <= _SHORT and not reader.has(at, Kind.MONTH)
    capital = reader.items[at].capital and not abbreviated
    return capital and at > 0 and not reader.is_text(at - 1, ".", "!", "?", "\n")


_SHORT = 3


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
    if day is None or (relation is None and _is_habit(reader, begin)):
        return None
    end = begin + 1
    if relation is None and reader.relation_behind(end, Kind.UNIT) is not None:
        relation, end = reader.relation(end), end + 1
    if reader.items[begin].weak and relation is None and not _on_a_day(reader, begin):
        return None
    return _weekday_placed(reader, day, end) if relation is None else Read(Weekday(day, relation), end)


def _on_a_day(reader: Reader, at: int) -> bool:
    """Whether a word that may mean something else stands where a day is expected: "on Sun"."""
    place = reader.has(at - 1, Kind.THE, Kind.OF, Kind.TO, Kind.AT, Kind.IN, Kind.OVER)
    return _in_company(reader, at) or (reader.has(at - 1, Kind.ON) and not place)


def _is_habit(reader: Reader, at: int) -> bool:
    """Whether a weekday comes again and again, or is any: "on Mondays", "a Sunday", "Friday mornings"."""
    # Behind it, an article in the plural belongs to what follows: "domenica i miei sono venuti".
    behind = reader.has(at + 1, Kind.PLURAL) and reader.has(at + 1, Kind.PART, Kind.UNIT, Kind.WEEKDAY)
    return reader.has(at, Kind.PLURAL) or behind or reader.has(at - 1, Kind.ARTICLE, Kind.PLURAL)


def _weekday_placed(reader: Reader, day: int, end: int) -> Read:
    """Read the week that stands behind a weekday: "of last week", "before last", "two weeks ago"."""
    within = _week_at(reader, reader.skip(reader.skip_sign(end, ","), Kind.OF, Kind.THE, most=2))
    if within is not None:
        return Read(Weekday(day, within=within.expression), within.end)
    skipped = second_next(reader, end)
    if skipped is not None and skipped[0] < 0:
        return Read(Neighbour(-1, TODAY, weekday=day, n=2), skipped[1])
    return weekday_away(reader, day, end) or Read(Weekday(day), end)


def _week_at(reader: Reader, at: int) -> Read | None:
    if not reader.has(at, Kind.UNIT, Kind.RELATION, Kind.ORDINAL, Kind.THE):
        return None
    read = calendar_period(reader, at) or nth(reader, at)
    if read is None:
        return None
    is_week = isinstance(read.expression, Period | Nth) and read.expression.unit == "week"
    return read if is_week else None


def _week_then_day(reader: Reader, at: int) -> Read | None:
    week = _week_at(reader, at)
    if week is None:
        return None
    begin = reader.skip_sign(reader.skip_sign(reader.skip(week.end, Kind.OF), "."), ",")
    begin = reader.skip(begin, Kind.ON, Kind.THE, most=2)
    day = reader.number(begin, Kind.WEEKDAY)
    return Read(Weekday(day, within=week.expression), begin + 1) if day is not None else None
