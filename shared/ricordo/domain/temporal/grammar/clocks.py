"""Parts of the day and times on the clock, alone or with their day."""

from ricordo.domain.temporal.expressions.base import OFFSETS, Expression
from ricordo.domain.temporal.expressions.composed import Between, Clock, PartName, PartOfDay
from ricordo.domain.temporal.expressions.dated import CalendarDay, Holiday
from ricordo.domain.temporal.expressions.relative import Away, DayAway, Period, Weekday
from ricordo.domain.temporal.grammar.reader import Read, Reader
from ricordo.domain.temporal.lexicon import Kind

_PARTS: dict[str, PartName] = {
    "morning": "morning",
    "noon": "noon",
    "lunch": "lunch",
    "afternoon": "afternoon",
    "evening": "evening",
    "dinner": "dinner",
    "night": "night",
    "overnight": "overnight",
    "nearest_night": "nearest_night",
    "midnight": "midnight",
    "dawn": "dawn",
    "sunset": "sunset",
}


def part_name(reader: Reader, at: int) -> PartName | None:
    """Return the part of the day that the lexeme names."""
    return _PARTS.get(reader.word(at, Kind.PART) or "")


def part_of_day(reader: Reader, at: int) -> Read | None:
    """Read "last night", "this morning", "la scorsa notte", "questa mattina"."""
    begin = reader.skip(at, Kind.THE)
    relation = reader.relation(begin)
    part = part_name(reader, begin + (relation is not None))
    end = begin + 1 + (relation is not None)
    if relation is None and part is not None and reader.relation(end) is not None:
        relation, end = reader.relation(end), end + 1
    if part is None or relation is None:
        return None
    if part == "night":
        part, offset = _night(relation)
        return Read(PartOfDay(part, DayAway(offset)), end)
    return Read(PartOfDay(part, DayAway(OFFSETS[relation])), end)


def _night(relation: str) -> tuple[PartName, int]:
    """Last night begins in the evening before; this night is the nearest one."""
    if relation in {"last", "past"}:
        return "overnight", -1
    return ("nearest_night", 0) if relation == "this" else ("night", 1)


def clock(reader: Reader, at: int) -> Read | None:
    """Read "at 5pm", "alle 15:30", "15:30", "5 o'clock"."""
    marked = reader.has(at, Kind.AT) and not reader.has(at, Kind.NUMBER)
    read = clock_time(reader, at + 1 if marked else at, marked=False)
    return Read(read[0], read[1]) if read is not None else None


def clock_time(reader: Reader, at: int, *, marked: bool) -> tuple[Clock, int] | None:
    """Read a time of day; a bare hour only where it is `marked` as one by what stands before."""
    hour = reader.number(at, Kind.NUMBER)
    if hour is None or hour > 24 or reader.digits(at) > 2:
        return None
    end, minute = at + 1, None
    if reader.is_text(end, ":", ".") and reader.adjacent(end) and reader.digits(end + 1) == 2:
        minute = reader.number(end + 1, Kind.NUMBER)
        end += 2
    half = reader.number(end, Kind.HALF_DAY)
    o_clock = reader.is_text(end, "o'") and reader.is_text(end + 1, "clock")
    plain = minute is not None and reader.is_text(at + 1, ":")
    if not (marked or plain or half is not None or o_clock) or (minute or 0) > 59:
        return None
    if half is not None:
        hour, end = hour % 12 + half if hour <= 12 else hour, end + 1
    end += 2 if o_clock else 0
    return Clock(hour * 60 + (minute or 0), 1 if minute is not None else 60), end


def on_day(day: Expression, reader: Reader, at: int) -> Read | None:
    """Read what stands behind a day and narrows it: "morning", "in the afternoon", "at 5", "alle 15:30"."""
    begin = reader.skip(reader.skip_sign(at, ",", "-"), Kind.ON, Kind.THE, most=2)
    part = part_name(reader, begin)
    if part is not None and not reader.has(begin, Kind.DAY):
        timed = _hour_behind(reader, begin + 1, part, day)
        return timed or Read(PartOfDay(part, day), begin + 1)
    marked = reader.has(begin, Kind.AT)
    read = clock_time(reader, begin + marked, marked=marked or reader.has(begin - 1, Kind.AT))
    if read is None:
        return _hours_behind(reader, reader.skip_sign(at, ","), day)
    return Read(Clock(read[0].minutes, read[0].length, day), read[1])


def _hour_behind(reader: Reader, at: int, part: PartName, day: Expression) -> Read | None:
    """Read "at 7" behind a part of the day, which tells which of both sevens."""
    if not reader.has(at, Kind.AT):
        return None
    read = clock_time(reader, at + 1, marked=True)
    if read is None:
        return None
    hour, end = read
    late = part in {"afternoon", "evening", "dinner", "sunset"} and hour.minutes < _NOON
    return Read(Clock(hour.minutes + (_NOON if late else 0), hour.length, day), end)


_NOON = 12 * 60


def _hours_behind(reader: Reader, at: int, day: Expression) -> Read | None:
    """Read "from 5 to 7pm" behind a day."""
    hours = _hours(reader, at)
    if hours is None:
        return None
    first, last, end = hours
    return Read(_hours_of(first, last, day), end)


def clock_range(reader: Reader, at: int) -> Read | None:
    """Read "from 5pm to 7pm", "dalle 17 alle 19 di ieri", "between 10 and 11:30 on 1 May"."""
    hours = _hours(reader, at)
    if hours is None:
        return None
    first, last, end = hours
    day = reader.inner(reader.skip(reader.skip_sign(end, ","), Kind.OF, Kind.ON))
    if day is not None and is_day(day.expression):
        return Read(_hours_of(first, last, day.expression), day.end)
    told = any(reader.has(i, Kind.HALF_DAY) or reader.is_text(i, ":") for i in range(at, end))
    return Read(_hours_of(first, last, None), end) if told else None


def _hours(reader: Reader, at: int) -> tuple[Clock, Clock, int] | None:
    if not reader.has(at, Kind.FROM, Kind.BETWEEN, Kind.SINCE):
        return None
    first = clock_time(reader, at + 1, marked=True)
    if first is None or not reader.has(first[1], Kind.TO, Kind.AND, Kind.AT):
        return None
    last = clock_time(reader, first[1] + 1, marked=True)
    return (first[0], last[0], last[1]) if last is not None else None


def _hours_of(first: Clock, last: Clock, day: Expression | None) -> Between:
    """Join two times of one day; "5 to 7pm" begins at 5pm."""
    begin = first.minutes
    if begin < _NOON < last.minutes and begin + _NOON < last.minutes:
        begin += _NOON
    return Between(Clock(begin, first.length, day), Clock(last.minutes, last.length, day))


def part_then_day(reader: Reader, at: int) -> Read | None:
    """Read "the morning of 3 May", "la sera del 5 giugno", "at 5pm yesterday", "la mattina di Natale"."""
    begin = reader.skip(at, Kind.THE)
    part = part_name(reader, begin)
    timed = clock(reader, at) if part is None else None
    end = timed.end if timed is not None else begin + 1
    if (part is None and timed is None) or reader.has(begin, Kind.DAY):
        return None
    if part is not None and reader.items[begin].weak:
        return None  # "the dinner of yesterday" is a dinner
    day = reader.inner(reader.skip(reader.skip_sign(end, ","), Kind.OF, Kind.ON))
    if day is None or not isinstance(day.expression, DayAway | CalendarDay | Weekday | Holiday):
        return None
    if timed is not None and isinstance(timed.expression, Clock):
        hour = timed.expression
        return Read(Clock(hour.minutes, hour.length, day.expression), day.end)
    return Read(PartOfDay(part, day.expression), day.end) if part is not None else None


def is_day(expression: Expression) -> bool:
    """Whether an hour or a part of the day can stand behind the expression."""
    if isinstance(expression, Period):
        return expression.unit == "day"
    return isinstance(expression, DayAway | CalendarDay | Weekday | Holiday | Away)
