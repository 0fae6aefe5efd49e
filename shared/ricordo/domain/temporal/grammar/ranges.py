"""Ranges from one time to another, and times that are open at one side."""

from ricordo.domain.temporal.expressions.base import Expression
from ricordo.domain.temporal.expressions.composed import Between, Bound, Nth, Side
from ricordo.domain.temporal.expressions.dated import CalendarDay, Month, Years
from ricordo.domain.temporal.expressions.relative import Now, Period, Weekday
from ricordo.domain.temporal.grammar.numeric_dates import year_after, year_at
from ricordo.domain.temporal.grammar.reader import Read, Reader
from ricordo.domain.temporal.lexicon import Kind


def between(reader: Reader, at: int) -> Read | None:
    """Read "from 3 to 5 May", "between January and April 2021", "dal 2010 al 2018", "28/2-1/3"."""
    opened = reader.has(at, Kind.FROM, Kind.BETWEEN)
    begin = reader.skip(at, Kind.FROM, Kind.BETWEEN)
    first = _end_point(reader, begin)
    if first is None:
        return _from_day(reader, begin) if opened else None
    joint = _joint(reader, first.end, opened=opened)
    last = _end_point(reader, joint) if joint is not None else None
    if last is None:
        return None
    return Read(Between(first.expression, last.expression), last.end)


def _from_day(reader: Reader, at: int) -> Read | None:
    """Read "4 to January 22, 1995": the month stands at the end only."""
    begin = reader.skip(at, Kind.THE)
    day = _day(reader, begin)
    joint = _joint(reader, begin + 1, opened=True) if day is not None else None
    last = _end_point(reader, joint) if joint is not None else None
    if day is None or last is None or not isinstance(last.expression, CalendarDay):
        return None
    return Read(Between(CalendarDay(day), last.expression), last.end)


def _joint(reader: Reader, at: int, *, opened: bool) -> int | None:
    place = reader.skip_sign(at, ",")
    if reader.has(place, Kind.TO):
        return place + 1
    return place + 1 if opened and reader.has(place, Kind.AND) else None


def _end_point(reader: Reader, at: int) -> Read | None:
    if reader.has(at, Kind.NOW):
        return Read(Now(), at + 1)
    place = reader.skip(at, Kind.THE, Kind.ON, Kind.IN, Kind.OF)
    candidates = [read for read in (reader.period(at), reader.period(place)) if read is not None]
    best = max(candidates, key=lambda read: read.end, default=None)
    if best is not None:
        return best
    year = year_at(reader, place)
    return Read(Years(year), place + 1) if year is not None and 1500 <= year <= 2100 else None


def days_of_month(reader: Reader, at: int) -> Read | None:
    """Read "from 4 to 22 January 1995", "tra il 3 e il 12 di settembre", "4 till 23 of this month"."""
    days = _two_days(reader, at)
    if days is None:
        return None
    first, last, end = days
    read = reader.inner(reader.skip_sign(end, ","))
    if read is None:
        return None
    return _days_within(read, first, last)


def _days_within(read: Read, first: int, last: int) -> Read | None:
    whole = read.expression
    if isinstance(whole, Month) and whole.relation is None:
        days = (CalendarDay(day, whole.month, whole.year) for day in (first, last))
        return Read(Between(*days), read.end)
    if isinstance(whole, Month) or (isinstance(whole, Period) and whole.unit == "month"):
        return Read(Between(Nth(first, whole, "day"), Nth(last, whole, "day")), read.end)
    return None


def _two_days(reader: Reader, at: int) -> tuple[int, int, int] | None:
    opened = reader.has(at, Kind.FROM, Kind.BETWEEN)
    begin = reader.skip(reader.skip(at, Kind.FROM, Kind.BETWEEN), Kind.THE)
    first = _day(reader, begin)
    joint = _joint(reader, begin + 1, opened=opened) if first is not None else None
    if first is None or joint is None:
        return None
    place = reader.skip(joint, Kind.THE)
    last = _day(reader, place)
    return (first, last, place + 1) if last is not None else None


def _day(reader: Reader, at: int) -> int | None:
    day = reader.number(at, Kind.ORDINAL)
    if day is None and reader.digits(at) <= 2:
        day = reader.number(at, Kind.NUMBER)
    return day if day is not None and 1 <= day <= 31 else None


def month_with_days(reader: Reader, at: int) -> Read | None:
    """Read "November 19-20", "November between 19 and 20", "this month from 4 to 22"."""
    whole = _whole_month(reader, at)
    if whole is None:
        return None
    days = _two_days(reader, whole.end)
    if days is None or reader.has(days[2], Kind.MONTH):
        return None
    first, last, end = days
    year = year_after(reader, end)
    if year is not None and isinstance(whole.expression, Month):
        whole, end = Read(Month(whole.expression.month, year[0]), end), year[1]
    return _days_within(Read(whole.expression, end), first, last)


def _whole_month(reader: Reader, at: int) -> Read | None:
    begin = reader.skip(at, Kind.THE)
    named = reader.number(begin, Kind.MONTH)
    if named is not None:
        return Read(Month(named), begin + 1)
    read = reader.period(at)
    if read is None or not isinstance(read.expression, Period) or read.expression.unit != "month":
        return None
    return read


def week_with_days(reader: Reader, at: int) -> Read | None:
    """Read "next week between Wednesday and Friday", "from Tuesday to Thursday of this week"."""
    week = reader.period(at)
    if week is not None and _is_week(week.expression):
        inner = between(reader, reader.skip_sign(week.end, ","))
        return _weekdays_within(inner, week.expression, inner.end) if inner is not None else None
    return None


def _is_week(expression: Expression) -> bool:
    return isinstance(expression, Period) and expression.unit == "week"


def _weekdays_within(inner: Read, week: Expression, end: int) -> Read | None:
    whole = inner.expression
    if not isinstance(whole, Between):
        return None
    first, last = whole.first, whole.last
    if not isinstance(first, Weekday) or not isinstance(last, Weekday):
        return None
    within = (Weekday(day.weekday, within=week) for day in (first, last))
    return Read(Between(*within), end)


def bound(reader: Reader, at: int) -> Read | None:
    """Read "before 2010", "since Monday", "dopo il 3 maggio", "2012 or later", "prima di Natale"."""
    side = _side(reader, at)
    if side is None:
        return _bound_behind(reader, at)
    inner = _end_point(reader, at + 1) or _end_point(reader, reader.skip(at + 1, Kind.THE))
    if inner is not None and isinstance(inner.expression, Now):
        return None  # "by now" is no time of its own
    return Read(Bound(side, inner.expression), inner.end) if inner is not None else None


_SIDES: tuple[tuple[Kind, Side], ...] = (
    (Kind.BEFORE, "before"),
    (Kind.UNTIL, "until"),
    (Kind.AFTER, "after"),
    (Kind.SINCE, "since"),
)


def _side(reader: Reader, at: int) -> Side | None:
    return next((side for kind, side in _SIDES if reader.has(at, kind)), None)


def _bound_behind(reader: Reader, at: int) -> Read | None:
    inner = reader.period(at)
    if inner is None:
        return None
    place = reader.skip(inner.end, Kind.OR)
    side: Side | None = "since" if reader.has(place, Kind.OR_LATER) else None
    side = "until" if reader.has(place, Kind.OR_EARLIER) else side
    alone = place > inner.end or reader.is_text(place, "onwards", "onward", "in")
    if side is None or not alone or not reader.ends_clause(place + 1):
        return None
    return Read(Bound(side, inner.expression), place + 1)


def month_range(reader: Reader, at: int) -> Read | None:
    """Read "Nov-Feb 2017": a month that could mean something else, joined to another one."""
    first = reader.number(at, Kind.MONTH)
    if first is None or not reader.has(at + 1, Kind.TO):
        return None
    last = reader.period(at + 2)
    if last is None or not isinstance(last.expression, Month | CalendarDay):
        return None
    return Read(Between(Month(first), last.expression), last.end)
