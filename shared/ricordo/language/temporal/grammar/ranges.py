"""Rules for ranges from one time to another, and for times that are open at one side."""

from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.calendar_dates import CalendarDay, Month, Years
from ricordo.language.temporal.expressions.compounds import Between, Bound, PartOfDay, Side, TimeOfDay
from ricordo.language.temporal.expressions.parts import Nth, OfYear
from ricordo.language.temporal.expressions.relative_dates import Away, Now, Period, Weekday
from ricordo.language.temporal.grammar.anchor_rules import with_year
from ricordo.language.temporal.grammar.numeric_dates import year_after, year_at
from ricordo.language.temporal.grammar.token_reader import Read, Reader, furthest
from ricordo.language.temporal.lexicon import Kind


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
    ends = (_beside(first.expression, last.expression), _beside(last.expression, first.expression))
    return Read(Between(*ends), last.end)


def _beside(end: Expression, other: Expression) -> Expression:
    """Let "now" be today beside a day: "between 22 January and now"."""
    fine = isinstance(other, TimeOfDay | PartOfDay | Now) or (isinstance(other, Away) and other.amount.fine)
    return Period("day", 0) if isinstance(end, Now) and not fine else end


def _from_day(reader: Reader, at: int) -> Read | None:
    """Read "4 to January 22, 1995": the month stands at the end only."""
    begin = reader.skip(at, Kind.THE)
    day = reader.day(begin)
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
    best = furthest(reader.period(at), reader.period(place))
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
    read = _month_behind(reader, end) or reader.inner(reader.skip_sign(end, ","))
    return _days_within(read, first, last) if read is not None else None


def _month_behind(reader: Reader, at: int) -> Read | None:
    """Read the month behind two days, where even "mar" is nothing else."""
    named = reader.number(reader.skip(at, Kind.OF), Kind.MONTH)
    return with_year(reader, Month(named), reader.skip(at, Kind.OF) + 1) if named is not None else None


def _days_within(read: Read, first: int, last: int) -> Read | None:
    whole = read.expression
    if isinstance(whole, OfYear) and isinstance(whole.part, Month):
        placed = (OfYear(CalendarDay(day, whole.part.month), whole.year) for day in (first, last))
        return Read(Between(*placed), read.end)
    if isinstance(whole, Month) and whole.relation is None and first <= last:
        days = (CalendarDay(day, whole.month, year=whole.year) for day in (first, last))
        return Read(Between(*days), read.end)
    if isinstance(whole, Month) and whole.relation is None:
        return Read(Between(CalendarDay(first, whole.month, year=whole.year), CalendarDay(last)), read.end)
    if isinstance(whole, Month) or (isinstance(whole, Period) and whole.unit == "month"):
        return Read(Between(Nth(whole, first, "day"), Nth(whole, last, "day")), read.end)
    return None


def _two_days(reader: Reader, at: int) -> tuple[int, int, int] | None:
    opened = reader.has(at, Kind.FROM, Kind.BETWEEN)
    begin = reader.skip(reader.skip(at, Kind.FROM, Kind.BETWEEN), Kind.THE)
    first = reader.day(begin) if not reader.has(begin - 1, Kind.HOURS) else None
    joint = _joint(reader, begin + 1, opened=opened) if first is not None else None
    if first is None or joint is None:
        return None
    place = reader.skip(joint, Kind.THE)
    last = reader.day(place)
    return (first, last, place + 1) if last is not None else None


def month_with_days(reader: Reader, at: int) -> Read | None:
    """Read "November 19-20", "November between 19 and 20", "this month from 4 to 22"."""
    whole = _whole_month(reader, at)
    if whole is None:
        return None
    days = _two_days(reader, reader.skip_sign(whole.end, ",")) or _two_ordinals(reader, whole.end)
    if days is None or reader.has(days[2], Kind.MONTH):
        return None
    first, last, end = days
    year = year_after(reader, end)
    if year is not None and isinstance(whole.expression, Month):
        whole, end = Read(Month(whole.expression.month, year=year[0]), end), year[1]
    return _days_within(Read(whole.expression, end), first, last)


def _two_ordinals(reader: Reader, at: int) -> tuple[int, int, int] | None:
    """Read "3 and 5" of "between May 3 and 5": here "between" stands before the month."""
    joined = reader.has(at + 1, Kind.AND) and reader.has(at - 2, Kind.BETWEEN)
    last = reader.skip(at + 2, Kind.THE)
    first_day, last_day = reader.day(at), reader.day(last)
    return (first_day, last_day, last + 1) if joined and first_day and last_day else None


def _whole_month(reader: Reader, at: int) -> Read | None:
    begin = reader.skip(at, Kind.THE)
    begin = begin + 1 if reader.has(begin, Kind.BETWEEN) else begin
    named = reader.number(begin, Kind.MONTH)
    if named is not None:
        year = year_after(reader, begin + 1)
        behind = reader.skip_sign(year[1], ",") if year is not None else begin
        if year is not None and reader.has(behind, Kind.FROM, Kind.BETWEEN):
            return Read(Month(named, year=year[0]), year[1])
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
    side = next((side for kind, side in _SIDES if reader.has(at, kind)), None)
    if side is None:
        return _bound_behind(reader, at)
    inner = _end_point(reader, at + 1) or _end_point(reader, reader.skip(at + 1, Kind.THE))
    if inner is not None and isinstance(inner.expression, Now):
        return None  # "by now" is no time of its own
    return Read(Bound(side, inner.expression), inner.end) if inner is not None else None


_SIDES: tuple[tuple[Kind, Side], ...] = (
    (Kind.BEFORE, "before"),
    (Kind.UNTIL, "until"),
    (Kind.UP_TO, "up_to"),
    (Kind.AFTER, "after"),
    (Kind.SINCE, "since"),
)


def _bound_behind(reader: Reader, at: int) -> Read | None:
    inner = reader.period(at)
    if inner is None:
        return None
    place = reader.skip(inner.end, Kind.OR)
    side: Side | None = "since" if reader.has(place, Kind.OR_LATER) else None
    side = "up_to" if reader.has(place, Kind.OR_EARLIER) else side
    if side is None or not (place > inner.end or reader.is_text(place, "onwards", "onward", "in")):
        return None
    # "On 3 May and after my work is done": there the word belongs to what follows.
    leads_on = reader.is_text(inner.end, "and", "e") or reader.has(place, Kind.BEFORE, Kind.AFTER)
    if leads_on and not reader.ends_clause(place + 1):
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
