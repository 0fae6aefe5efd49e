"""Rules for ranges from one time to another, and for times that are open at one side."""

from dataclasses import replace

from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.calendar_dates import CalendarDay, Month, Years
from ricordo.language.temporal.expressions.compounds import Between, Bound, PartOfDay, Side, TimeOfDay
from ricordo.language.temporal.expressions.parts import Nth, OfYear
from ricordo.language.temporal.expressions.relative_dates import NOW, TODAY, Away, Period, Unit
from ricordo.language.temporal.grammar.numeric_dates import year_after, year_at
from ricordo.language.temporal.grammar.token_reader import Read, Reader, furthest
from ricordo.language.temporal.lexicon import Kind


def between(reader: Reader, at: int) -> Read | None:
    """Read "from 3 to 5 May", "May 3-5", "between January and April 2021", "dal 2010 al 2018", "28/2-1/3"."""
    opened = reader.has(at, Kind.FROM, Kind.BETWEEN)
    begin = reader.skip(at, Kind.FROM, Kind.BETWEEN)
    first = _end_point(reader, begin)
    days = _from_day(reader, begin, opened=opened)
    if days is not None or first is None:
        return days
    joint = _joint(reader, first.end, opened=opened)
    last = _end_point(reader, joint) if joint is not None else None
    if joint is None or last is None:
        named = _names_month(reader, begin, first.end)
        return _to_day(reader, first.expression, joint) if joint is not None and named else None
    ends = (_beside(first.expression, last.expression), _beside(last.expression, first.expression))
    return Read(Between(*ends), last.end)


def _beside(end: Expression, other: Expression) -> Expression:
    """Let "now" be today beside a day: "between 22 January and now"."""
    fine = isinstance(other, TimeOfDay | PartOfDay) or other == NOW
    fine = fine or (isinstance(other, Away) and other.amount.fine)
    return TODAY if end == NOW and not fine else end


def _from_day(reader: Reader, at: int, *, opened: bool) -> Read | None:
    """Read "4 to 22 January 1995", "4 to January 22", "il 3 e il 12 di settembre": the month stands last."""
    begin = reader.skip(at, Kind.THE)
    day = reader.day(begin) if not reader.has(begin - 1, Kind.HOURS) else None
    joint = _joint(reader, begin + 1, opened=opened) if day is not None else None
    last = _end_point(reader, joint) if joint is not None else None
    if day is None or last is None:
        return None
    match last.expression:
        case CalendarDay() as date if _names_month(reader, joint or at, last.end):
            end = CalendarDay(date.day) if day > date.day else date
            return Read(Between(replace(date, day=day, weekday=None), end), last.end)
        case OfYear(part=CalendarDay() as date, year=year):
            return Read(Between(OfYear(replace(date, day=day), year), last.expression), last.end)
        case _:
            return None


def _names_month(reader: Reader, begin: int, end: int) -> bool:
    return any(reader.has(i, Kind.MONTH) for i in range(begin, end))


def _to_day(reader: Reader, first: Expression, at: int) -> Read | None:
    """Read the last day of "May 3-5, 2019", "between May 3 and 5": the month stands first."""
    place = reader.skip(at, Kind.THE)
    day, end = reader.day(place), place + 1
    hour = reader.has(at - 1, Kind.AT)  # "il 5 gennaio alle 8"
    if day is None or hour or not isinstance(first, CalendarDay) or reader.has(end, Kind.MONTH):
        return None
    year = year_after(reader, end) if first.year is None else None
    if year is not None:
        first, end = replace(first, year=year[0]), year[1]
    last = replace(first, day=day, weekday=None) if first.day <= day else CalendarDay(day)
    return Read(Between(first, last), end)


def within(reader: Reader, at: int) -> Read | None:
    """Read "last week between Monday and Wednesday", "this month from 4 to 22", "4 till 23 of this month"."""
    whole = reader.period(at)
    begin = at if whole is None else reader.skip_sign(whole.end, ",")
    first, end = _part_at(reader, reader.skip(begin, Kind.FROM, Kind.BETWEEN))
    joint = _joint(reader, end, opened=reader.has(begin, Kind.FROM, Kind.BETWEEN)) if first else None
    last, end = _part_at(reader, joint) if joint is not None else (None, at)
    if first is None or last is None:
        return None
    if whole is None:
        whole = reader.inner(end)
        end = end if whole is None else whole.end
    match None if whole is None else whole.expression:
        case Month(relation=None, month=month, year=year) if first[1] == last[1] == "day":
            days = (CalendarDay(first[0], month, year=year), CalendarDay(last[0], month, year=year))
            return Read(Between(*days), end)
        case (Month() | Period(unit="month" | "week")) as period:
            return Read(Between(Nth(period, *first), Nth(period, *last)), end)
        case _:
            return None


def _part_at(reader: Reader, at: int) -> tuple[tuple[int, Unit | None, int | None] | None, int]:
    """Read a day of a month, or of a week, as what it is the n-th of; and where it ends."""
    at = reader.skip(at, Kind.THE)
    weekday, day = reader.number(at, Kind.WEEKDAY), reader.day(at)
    if weekday is not None:
        return (1, None, weekday), at + 1
    return ((day, "day", None) if day is not None else None), at + 1


def _joint(reader: Reader, at: int, *, opened: bool) -> int | None:
    place = reader.skip_sign(at, ",")
    if reader.has(place, Kind.TO):
        return place + 1
    return place + 1 if opened and reader.has(place, Kind.AND) else None


def _end_point(reader: Reader, at: int) -> Read | None:
    if reader.has(at, Kind.NOW):
        return Read(NOW, at + 1)
    place = reader.skip(at, Kind.THE, Kind.ON, Kind.IN, Kind.OF)
    best = furthest(reader.period(at), reader.period(place))
    if best is not None:
        return best
    year = year_at(reader, place)
    return Read(Years(year), place + 1) if year is not None and 1500 <= year <= 2100 else None


def bound(reader: Reader, at: int) -> Read | None:
    """Read "before 2010", "since Monday", "dopo il 3 maggio", "2012 or later", "prima di Natale"."""
    side = next((side for kind, side in _SIDES if reader.has(at, kind)), None)
    if side is None:
        return _bound_behind(reader, at)
    inner = _end_point(reader, at + 1) or _end_point(reader, reader.skip(at + 1, Kind.THE))
    if inner is not None and inner.expression == NOW:
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
