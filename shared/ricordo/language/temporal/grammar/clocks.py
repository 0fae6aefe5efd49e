"""Rules for parts of the day and times on the clock, alone or with their day."""

from dataclasses import replace

from ricordo.language.temporal.expressions.base import OFFSETS, Expression
from ricordo.language.temporal.expressions.compounds import (
    Between,
    PartName,
    PartOfDay,
    TimeOfDay,
    each_hour,
    in_part,
    is_day,
)
from ricordo.language.temporal.expressions.relative_dates import Period
from ricordo.language.temporal.grammar.periods import second_next
from ricordo.language.temporal.grammar.token_reader import Read, Reader
from ricordo.language.temporal.lexicon import Kind


def part_of_day(reader: Reader, at: int) -> Read | None:
    """Read "last night", "this morning", "la scorsa notte", "questa mattina"."""
    begin = reader.skip(at, Kind.THE)
    relation = reader.relation(begin)
    place = begin + (relation is not None)
    part, end = reader.part(place), place + 1
    if part is None or reader.items[place].weak:
        return None
    if relation is None and part == "night":
        before = second_next(reader, end)
        if before is not None and before[0] < 0:
            return Read(PartOfDay("overnight", Period("day", -2)), before[1])
    if relation is None and reader.relation(end) is not None and not reader.leads_on(end):
        relation, end = reader.relation(end), end + 1
    if relation is None:
        return None
    if part == "night":
        part, offset = _night(relation)
        return Read(PartOfDay(part, Period("day", offset)), end)
    return Read(PartOfDay(part, Period("day", OFFSETS[relation])), end)


def _night(relation: str) -> tuple[PartName, int]:
    """Last night begins in the evening before; this night is the nearest one."""
    if relation in {"last", "past"}:
        return "overnight", -1
    return ("nearest_night", 0) if relation == "this" else ("night", 1)


def clock_time(reader: Reader, at: int, *, marked: bool) -> tuple[TimeOfDay, int] | None:
    """Read a time of day; a bare hour, and noon, only where it is `marked` as one by what stands before."""
    named = _NAMED.get(reader.part(at) or "morning") if marked else None
    if named is not None:
        return TimeOfDay(named * 60, 60), at + 1
    shift = reader.number(at, Kind.PAST_HOUR)
    at = at + 1 if shift is not None else at
    hour = reader.number(at, Kind.NUMBER)
    if hour is None or hour > 24 or reader.digits(at) > 2:
        return None
    minute, end = (shift, at + 1) if shift is not None else _minutes(reader, at + 1, marked=marked)
    half = reader.number(end, Kind.HALF_DAY)
    o_clock = reader.is_text(end, "o'") and reader.is_text(end + 1, "clock")
    plain = shift is not None or (minute is not None and reader.is_text(at + 1, ":"))
    if not (marked or plain or half is not None or o_clock) or (minute or 0) > 59:
        return None
    end += 2 if o_clock else 0
    if half is not None:
        hour, end = hour % 12 + half if hour <= 12 else hour, end + 1
    else:
        hour, end = _part_behind_hour(reader, hour, end)
    return TimeOfDay(hour * 60 + (minute or 0), 1 if minute is not None else 60), end


_NAMED: dict[PartName, int] = {"noon": 12, "midnight": 24}


def _minutes(reader: Reader, at: int, *, marked: bool) -> tuple[int | None, int]:
    """Read ":30", "e mezza", "e 15" behind an hour."""
    if reader.is_text(at, ":", ".") and reader.adjacent(at) and reader.digits(at + 1) == 2:
        return reader.number(at + 1, Kind.NUMBER), at + 2
    behind = reader.number(at, Kind.PAST_HOUR)
    if behind is not None and marked:
        return behind, at + 1
    if marked and reader.has(at, Kind.AND) and reader.digits(at + 1) == 2 and reader.ends_clause(at + 2):
        return reader.number(at + 1, Kind.NUMBER), at + 2
    return None, at


_LATE: frozenset[PartName] = frozenset({"afternoon", "evening", "dinner", "sunset"})


def _part_behind_hour(reader: Reader, hour: int, at: int) -> tuple[int, int]:
    """Read "in the afternoon", "di sera", which tell which of both fives is meant."""
    begin = reader.skip(at, Kind.ON, Kind.OF, Kind.THE, most=2)
    part = reader.part(begin)
    if begin == at or part not in _LATE | {"morning", "night"} or reader.has(begin, Kind.DAY):
        return hour, at
    late = part in _LATE or (part == "night" and hour >= 8)
    return (hour + 12 if late and hour < 12 else hour), begin + 1


def on_day(day: Expression, reader: Reader, at: int) -> Read | None:
    """Read what stands behind a day and narrows it: "in the afternoon", "at 5", "from 5 to 7pm"."""
    begin = reader.skip(reader.skip_sign(at, ",", "-"), Kind.ON, Kind.THE, most=2)
    part = reader.part(begin)
    if part is not None and not reader.has(begin, Kind.DAY, Kind.PLURAL):
        return Read(PartOfDay(part, day), begin + 1)
    marked = reader.has(begin, Kind.AT)
    hour = clock_time(reader, begin + marked, marked=marked or reader.has(begin - 1, Kind.AT))
    read = hour or _hours(reader, reader.skip_sign(at, ","))
    return Read(each_hour(read[0], lambda hour: replace(hour, day=day)), read[1]) if read else None


def on_part(part: PartOfDay, reader: Reader, at: int) -> Read | None:
    """Read "at 7" behind a part of a day, which tells which of both sevens: "tonight at 8"."""
    at = reader.skip_sign(at, ",")
    read = clock_time(reader, at + 1, marked=True) if reader.has(at, Kind.AT) else _hours(reader, at)
    return Read(_of_part(read[0], part), read[1]) if read is not None else None


def _of_part(hours: Expression, part: PartOfDay) -> Expression:
    """Return hours of a part of the day; which night is the nearest one depends on the moment."""
    day = part if part.part == "nearest_night" else part.day
    return each_hour(hours, lambda hour: replace(in_part(hour, part.part), day=day))


_NOON = 12 * 60


def _hours(reader: Reader, at: int) -> tuple[Between, int] | None:
    """Read from one hour to another of the same day; "5 to 7pm" begins at 5pm."""
    if not reader.has(at, Kind.FROM, Kind.BETWEEN, Kind.SINCE):
        return None
    first = clock_time(reader, reader.skip(at + 1, Kind.HOURS), marked=True)
    if first is None or not reader.has(first[1], Kind.TO, Kind.AND, Kind.AT):
        return None
    last = clock_time(reader, reader.skip(first[1] + 1, Kind.THE), marked=True)
    if last is None:
        return None
    begin = first[0].minutes
    if begin < _NOON < last[0].minutes and begin + _NOON < last[0].minutes:
        begin += _NOON
    return Between(replace(first[0], minutes=begin), last[0]), last[1]


def part_then_day(reader: Reader, at: int) -> Read | None:
    """Read "the morning of 3 May", "la sera del 5 giugno", "la mattina di Natale"."""
    begin = reader.skip(at, Kind.THE)
    part = reader.part(begin)
    if part is None or reader.has(begin, Kind.DAY) or reader.has(begin, Kind.PLURAL):
        return None
    if reader.items[begin].weak and part not in _TWILIGHTS:
        return None  # "the dinner of yesterday" is a dinner
    day = _day_behind(reader, begin + 1)
    return Read(PartOfDay(part, day.expression), day.end) if day is not None else None


_TWILIGHTS: frozenset[PartName] = frozenset({"dawn", "sunset"})


def clock(reader: Reader, at: int) -> Read | None:
    """Read "at 5pm", "5 o'clock", "from 5pm to 7pm", "alle 17 di ieri", "at 8 yesterday evening"."""
    hours = _hours(reader, at)
    marked = reader.has(at, Kind.AT) and not reader.has(at, Kind.NUMBER)
    read = hours or clock_time(reader, at + marked, marked=marked)
    if read is None:
        return None
    expression, end = read
    day = _day_behind(reader, end)
    if day is not None:
        part = reader.part(day.end) if hours is None else None
        placed = each_hour(expression, lambda hour: replace(in_part(hour, part), day=day.expression))
        return Read(placed, day.end + (part is not None))
    tonight = reader.inner(reader.skip(reader.skip_sign(end, ","), Kind.OF)) if hours is None else None
    if tonight is not None and isinstance(tonight.expression, PartOfDay):
        return Read(_of_part(expression, tonight.expression), tonight.end)
    if hours is None:
        read = clock_time(reader, at + marked, marked=False)
        return Read(*read) if read is not None else None
    told = any(reader.has(i, Kind.HALF_DAY, Kind.HOURS) or reader.is_text(i, ":") for i in range(at, end))
    return Read(expression, end) if told else None


def _day_behind(reader: Reader, at: int) -> Read | None:
    day = reader.inner(reader.skip(reader.skip_sign(at, ","), Kind.OF, Kind.ON))
    return day if day is not None and is_day(day.expression) else None
