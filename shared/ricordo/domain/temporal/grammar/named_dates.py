"""Dates with the month's name, or with the day of the month and its weekday."""

from ricordo.domain.temporal.expressions.composed import Nth
from ricordo.domain.temporal.expressions.dated import CalendarDay
from ricordo.domain.temporal.expressions.relative import Period
from ricordo.domain.temporal.grammar.numeric_dates import numeric_date, year_after
from ricordo.domain.temporal.grammar.reader import Read, Reader
from ricordo.domain.temporal.lexicon import Kind


def _day_of_month(reader: Reader, at: int) -> tuple[int, int] | None:
    """Read "2", "2nd", "the second", "twenty-first": a day, and where it ends."""
    at = reader.skip(at, Kind.THE)
    day = reader.number(at, Kind.ORDINAL)
    if day is None and reader.digits(at) <= 2:
        day = reader.number(at, Kind.NUMBER)
    return (day, at + 1) if day is not None and 1 <= day <= 31 else None


def _month(reader: Reader, at: int) -> tuple[int, int] | None:
    at = reader.skip_sign(at, "-", "/", ",")
    month = reader.number(reader.skip(at, Kind.OF, Kind.THE, most=2), Kind.MONTH)
    if month is None:
        return None
    end = reader.skip(at, Kind.OF, Kind.THE, most=2) + 1
    # The point of an abbreviation, when the date goes on behind it.
    return month, end + 1 if reader.is_text(end, ".") and reader.has(
        end + 1, Kind.NUMBER, Kind.ORDINAL
    ) else end


def _weekday_before(reader: Reader, at: int) -> tuple[int | None, int]:
    weekday = reader.number(at, Kind.WEEKDAY)
    if weekday is None:
        return None, at
    end = reader.skip_sign(at + 1, ".")
    end = reader.skip_sign(end, ",")
    return weekday, reader.skip(end, Kind.THE)


def _relation_before(reader: Reader, at: int) -> int:
    """Skip "on this" before a weekday that a date follows: the date tells more."""
    begin = reader.skip(at, Kind.ON)
    if not reader.has(begin, Kind.RELATION):
        return begin if reader.has(begin, Kind.WEEKDAY) else at
    return begin + 1 if reader.has(begin + 1, Kind.WEEKDAY) else at


def named_date(reader: Reader, at: int) -> Read | None:
    """Read "Wed, 22 of Jan", "15 June 2016", "May the twenty-first, 1978", "2019-sep-1"."""
    weekday, begin = _weekday_before(reader, _relation_before(reader, at))
    return (
        _day_month(reader, begin, weekday)
        or _month_day(reader, begin, weekday)
        or _year_between(reader, begin)
        or _numeric_after(reader, begin, weekday)
    )


def _numeric_after(reader: Reader, at: int, weekday: int | None) -> Read | None:
    return numeric_date(reader, at) if weekday is not None else None


def _day_month(reader: Reader, at: int, weekday: int | None) -> Read | None:
    day = _day_of_month(reader, at)
    month = _month(reader, day[1]) if day else None
    if day is None or month is None:
        return None
    year = year_after(reader, month[1])
    if year is None:
        return Read(CalendarDay(day[0], month[0], None, weekday), month[1])
    return Read(CalendarDay(day[0], month[0], year[0], weekday), year[1])


def _month_day(reader: Reader, at: int, weekday: int | None) -> Read | None:
    month = _month(reader, at) if reader.has(at, Kind.MONTH) else None
    if month is None:
        return None
    begin = reader.skip_sign(month[1], "-", "/", ",")
    day = _day_of_month(reader, reader.skip(begin, Kind.THE))
    if day is None or reader.has(day[1], Kind.UNIT):
        return None
    year = year_after(reader, day[1])
    if year is None:
        return Read(CalendarDay(day[0], month[0], None, weekday), day[1])
    return Read(CalendarDay(day[0], month[0], year[0], weekday), year[1])


def _year_between(reader: Reader, at: int) -> Read | None:
    """Read the orders that have the year first or in the middle, with signs between."""
    numbers: list[tuple[int, int]] = []
    month: int | None = None
    place = at
    for step in range(3):
        number = reader.number(place, Kind.NUMBER)
        named = reader.number(place, Kind.MONTH)
        if number is not None and reader.digits(place):
            numbers.append((number, reader.digits(place)))
        elif named is not None and month is None:
            month = named
        else:
            return None
        place += 1
        if step < 2:
            if not reader.is_text(place, "-", "/"):
                return None
            place += 1
    years = [number for number, digits in numbers if digits == 4]
    days = [number for number, digits in numbers if digits <= 2]
    if month is None or len(years) != 1 or len(days) != 1:
        return None
    return Read(CalendarDay(days[0], month, years[0]), place)


def day_alone(reader: Reader, at: int) -> Read | None:
    """Read "the 27th", "il 15", "Thursday the 21st", "the 20th of next month"."""
    weekday, begin = _weekday_before(reader, _relation_before(reader, at))
    the = reader.has(begin, Kind.THE) or reader.has(begin - 1, Kind.THE)
    day = _day_of_month(reader, begin)
    if day is None:
        return None
    if weekday is not None:
        counted = reader.has(day[1], Kind.UNIT, Kind.HALF_DAY) or reader.is_text(day[1], ":", "/", ".")
        return None if counted else Read(CalendarDay(day[0], weekday=weekday), day[1])
    month = reader.inner(day[1]) if the else None
    if month is not None and isinstance(month.expression, Period) and month.expression.unit == "month":
        return Read(Nth(day[0], month.expression, "day"), month.end)
    if not _stands_alone(reader, day[1]) or not _means_a_day(reader, at, day[1] - 1, the=the):
        return None
    return Read(CalendarDay(day[0]), day[1])


def _means_a_day(reader: Reader, at: int, number: int, *, the: bool) -> bool:
    """Whether a number alone is a day: "the 15", "on 29th", "for the second", but not "the second"."""
    if reader.has_digit(number):
        return the or (reader.has(number, Kind.ORDINAL) and reader.has(at - 1, *_PLACES))
    return (
        the
        and reader.has(at - 1, Kind.ON, Kind.SINCE, Kind.UNTIL)
        and not reader.has(at - 1, Kind.IN, Kind.AT)
    )


_PLACES = (Kind.ON, Kind.FROM, Kind.TO, Kind.BETWEEN, Kind.SINCE, Kind.UNTIL, Kind.OF, Kind.AND)


def _stands_alone(reader: Reader, at: int) -> bool:
    if at >= len(reader.items):
        return True
    text = reader.items[at].text
    if text in {"%", "°", "€", "$", "/", ":"} or (text in {",", "-", "."} and reader.digits(at + 1)):
        return False
    return reader.ends_clause(at) or text in reader.lexicon.follows_day
