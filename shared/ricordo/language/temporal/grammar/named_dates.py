"""Rules for dates with the name of the month, or with the day of the month and its weekday."""

from dataclasses import replace

from ricordo.language.temporal.expressions.calendar_dates import CalendarDay
from ricordo.language.temporal.expressions.parts import Nth
from ricordo.language.temporal.expressions.relative_dates import Period
from ricordo.language.temporal.grammar.anchor_rules import with_year
from ricordo.language.temporal.grammar.numeric_dates import numeric_date, short_year, year_after
from ricordo.language.temporal.grammar.token_reader import Read, Reader
from ricordo.language.temporal.lexicon import Kind


def _day_of_month(reader: Reader, at: int, most: int = 31) -> tuple[int, int] | None:
    """Read "2", "2nd", "the second", "twenty-first": a day, and where it ends."""
    at = reader.skip(at, Kind.THE)
    day = reader.day(at, most)
    return (day, at + 1) if day is not None else None


def _month(reader: Reader, at: int) -> tuple[int, int] | None:
    at = reader.skip_sign(at, "-", "/", ",")
    if reader.unit(at) == "day" and not reader.has(at, Kind.PLURAL):
        at += 1
    at = reader.skip(at, Kind.OF, Kind.THE, most=2)
    month = reader.number(at, Kind.MONTH)
    if month is None:
        return None
    # The point of an abbreviation, when the date goes on behind it.
    pointed = reader.is_text(at + 1, ".") and reader.has(at + 2, Kind.NUMBER, Kind.ORDINAL)
    return month, at + 1 + pointed


def _month_behind_point(reader: Reader, at: int) -> tuple[int, int] | None:
    """Read "Nov" of "25. Nov 2009", where the year tells that the point ends no sentence."""
    month = reader.number(at + 1, Kind.MONTH)
    pointed = reader.is_text(at, ".") and reader.digits(at - 1) > 0 and year_after(reader, at + 2) is not None
    return (month, at + 2) if month is not None and pointed else None


_LONGEST_SHORT = 5  # letters of "Thurs."


def _weekday_before(reader: Reader, at: int) -> tuple[int | None, int]:
    weekday = reader.number(at, Kind.WEEKDAY)
    if weekday is None:
        return None, at
    short = len(reader.items[at].text) <= _LONGEST_SHORT
    end = reader.skip_sign(at + 1, ".") if short else at + 1
    end = reader.skip_sign(end, ",")
    return weekday, reader.skip(end, Kind.THE)


def _relation_before(reader: Reader, at: int) -> int:
    """Skip "on this" before a weekday that a date follows: the date tells more."""
    begin = reader.skip(at, Kind.ON)
    if not reader.has(begin, Kind.RELATION):
        return begin if reader.has(begin, Kind.WEEKDAY) else at
    return begin + 1 if reader.has(begin + 1, Kind.WEEKDAY) else at


def named_date(reader: Reader, at: int) -> Read | None:
    """Read "Wed, 22 of Jan", "15 June 2016", "May the twenty-first, 1978"."""
    weekday, begin = _weekday_before(reader, _relation_before(reader, at))
    return (
        _day_month(reader, begin, weekday)
        or _month_day(reader, begin, weekday)
        or (numeric_date(reader, begin) if weekday is not None else None)
    )


def _day_month(reader: Reader, at: int, weekday: int | None) -> Read | None:
    day = _day_of_month(reader, at, 99)  # "il 40 agosto" is no time, and not all of August
    month = _month(reader, day[1]) or _month_behind_point(reader, day[1]) if day else None
    if day is None or month is None or (day[0] > 31 and reader.has(day[1], Kind.IN)):
        return None
    return _dated(reader, CalendarDay(day[0], month[0], weekday), month[1])


def _dated(reader: Reader, day: CalendarDay, at: int) -> Read:
    """Read the year of a day, or the relation that places it: "3 May last", "il 3 maggio scorso"."""
    short = _joined_year(reader, at)
    if short is not None:
        return Read(replace(day, year=short), at + 2)
    placed = with_year(reader, day, at)
    alone = reader.relation(at) is not None and not reader.has(at + 1, Kind.UNIT, Kind.WEEKDAY, Kind.MONTH)
    return Read(replace(day, relation=reader.relation(at)), at + 1) if placed.end == at and alone else placed


def _month_day(reader: Reader, at: int, weekday: int | None) -> Read | None:
    month = _month(reader, at) if reader.has(at, Kind.MONTH) else None
    if month is None:
        return None
    begin = reader.skip_sign(month[1], "-", "/", ",")
    day = _day_of_month(reader, reader.skip(begin, Kind.THE))
    if day is None or reader.has(day[1], Kind.UNIT):
        return None
    # "Due in February, first one": a word that counts something else.
    if begin > month[1] and not reader.has_digit(day[1] - 1) and not _stands_alone(reader, day[1]):
        return None
    return _dated(reader, CalendarDay(day[0], month[0], weekday), day[1])


def _joined_year(reader: Reader, at: int) -> int | None:
    """Return the year of "05-gen-97", whose signs are alike."""
    number = reader.number(at + 1, Kind.NUMBER)
    alike = reader.is_text(at, "-", "/") and reader.is_text(at - 2, reader.items[at].text)
    if number is None or not alike or not all(reader.adjacent(i) for i in (at - 1, at, at + 1)):
        return None
    return short_year(number) if reader.digits(at + 1) == 2 else None


def day_alone(reader: Reader, at: int) -> Read | None:
    """Read "the 27th", "Thursday the 21st", "the 20th of next month", "il 3" of "il 3 e il 5 maggio"."""
    weekday, begin = _weekday_before(reader, _relation_before(reader, at))
    place = reader.skip(begin, Kind.THE)
    numbered = reader.has(place, Kind.DATED) and reader.digits(place + 1) > 0
    begin = place + 1 if numbered else begin
    the = numbered or reader.has(begin, Kind.THE) or reader.has(begin - 1, Kind.THE)
    day = _day_of_month(reader, begin)
    if day is None:
        return None
    if weekday is not None:
        counts = _counts(reader, day[1]) or (reader.is_text(begin - 1, ",") and not reader.has_digit(begin))
        return None if counts else Read(CalendarDay(day[0], weekday=weekday), day[1])
    placed = _placed_behind(reader, *day) if the else None
    if placed is None and (the or reader.has(at - 1, *_PLACES) or reader.is_text(at - 1, ",")):
        placed = _listed(reader, *day)
    if placed is not None:
        return placed
    if not _stands_alone(reader, day[1]) or not _means_a_day(reader, at, day[1] - 1, the=the):
        return None
    return Read(CalendarDay(day[0]), day[1])


def _counts(reader: Reader, at: int) -> bool:
    """Whether the number before `at` counts something: "Tuesday 5 pm", "Monday two people"."""
    if reader.has(at, Kind.UNIT, Kind.HALF_DAY) or reader.is_text(at, ":", "/"):
        return True
    # "On Sunday, 9 degrees": behind a pause a bare number counts what follows it.
    if reader.is_text(at - 2, ",") and reader.digits(at - 1) and not _stands_alone(reader, at):
        return True
    return not reader.has_digit(at - 1) and not _stands_alone(reader, at)


def _placed_behind(reader: Reader, day: int, at: int) -> Read | None:
    """Read what places a day behind it: "of next month", "scorso"."""
    month = reader.inner(at)
    if month is not None and isinstance(month.expression, Period) and month.expression.unit == "month":
        return Read(Nth(month.expression, day, "day"), month.end)
    if reader.relation(at) != "last" or reader.has(at + 1, Kind.UNIT, Kind.WEEKDAY, Kind.MONTH):
        return None
    return Read(CalendarDay(day, relation="last"), at + 1)


def _listed(reader: Reader, day: int, at: int) -> Read | None:
    """Give a day the month of the one that is listed behind it: "the 3rd, 5th and 7th of May"."""
    place = at
    for _ in range(_LONGEST_LIST):
        comma = reader.skip_sign(place, ",")
        joined = reader.skip(comma, Kind.AND)
        if joined == place:
            return None
        following = _day_of_month(reader, reader.skip(joined, Kind.ON))
        if following is None:
            return None
        month = _month(reader, following[1])
        if month is not None:
            placed = with_year(reader, CalendarDay(day, month[0]), month[1])
            return Read(placed.expression, at)
        place = following[1]
    return None


_LONGEST_LIST = 4


def _means_a_day(reader: Reader, at: int, number: int, *, the: bool) -> bool:
    """Whether a number alone is a day: "the 15", "on 29th", "for the second", but not "the second"."""
    if reader.has_digit(number):
        return the or (reader.has(number, Kind.ORDINAL) and reader.has(at - 1, *_PLACES))
    # In Italian "il ventidue" is a day by itself, "il secondo" is not.
    joined = reader.has(number - 1, Kind.ON) and not reader.has(number, Kind.ORDINAL)
    before = number - 1 if joined else number - 2
    placed = reader.has(before, Kind.ON, Kind.SINCE, Kind.UNTIL) and not reader.has(before, Kind.IN, Kind.AT)
    return the and placed


_PLACES = (Kind.ON, Kind.FROM, Kind.TO, Kind.BETWEEN, Kind.SINCE, Kind.UNTIL, Kind.OF, Kind.AND)


def _stands_alone(reader: Reader, at: int) -> bool:
    if at >= len(reader.items):
        return True
    if reader.has(at, Kind.NOT_A_TIME):
        return False  # "il 10 per cento"
    text = reader.items[at].text
    if text in {"%", "°", "€", "$", "/", ":"} or (text in {",", "-", "."} and reader.digits(at + 1)):
        return False
    if text == "-" and reader.adjacent(at):
        return False
    return reader.ends_clause(at) or text in reader.lexicon.follows_day
