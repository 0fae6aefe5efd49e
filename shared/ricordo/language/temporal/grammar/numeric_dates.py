"""Rules for dates in digits, and for the years behind all kinds of dates."""

from operator import itemgetter

from ricordo.language.temporal.expressions.calendar_dates import CalendarDay, Month
from ricordo.language.temporal.grammar.token_reader import Read, Reader
from ricordo.language.temporal.lexicon import Kind

_SEPARATORS = ("/", "-", ".")
_YEARS = range(1500, 2101)


def full_year(number: int, digits: int) -> int | None:
    """Return the year that a number means; None when it is no year."""
    if digits == 2:
        return short_year(number)
    if digits in {0, 4} and 1000 <= number <= 9998:
        return number
    return None


def short_year(number: int) -> int:
    """Return the year of 1930 to 2029 that two digits mean."""
    return number + (2000 if number < 30 else 1900)


def year_at(reader: Reader, at: int) -> int | None:
    """Return the year that stands at `at`, written with four digits or in words."""
    number = reader.number(at, Kind.NUMBER)
    if number is None or reader.digits(at) == 2:
        return None
    return full_year(number, reader.digits(at))


def short_year_at(reader: Reader, at: int) -> tuple[int, int] | None:
    """Read "'87" at `at`: the year, and where it ends; not "'80s", which is a decade."""
    number = reader.number(at + 1, Kind.NUMBER) if reader.is_text(at, "'") else None
    if number is None or reader.digits(at + 1) != 2 or not reader.adjacent(at + 1):
        return None
    decade = reader.adjacent(at + 2) and reader.has(at + 2, Kind.DECADE_WORD)
    return None if decade else (short_year(number), at + 2)


def year_after(reader: Reader, at: int) -> tuple[int, int] | None:
    """Read ", 2018", "of 2018", "of '87", " '87", "del 2018" behind a date or a month."""
    begin = reader.skip_sign(at, ",", "-", "/", ".")
    joined = reader.skip(begin, Kind.OF, Kind.THE, most=2)
    year = year_at(reader, joined)
    if year is not None and (year >= _YEARS[0] or not reader.is_text(at, ",")):
        return year, joined + 1  # "on 29 May, 1200 men"
    number = reader.number(joined, Kind.NUMBER)
    if number is not None and reader.digits(joined) == 2 and joined > begin == at:
        return short_year(number), joined + 1
    return short_year_at(reader, joined)


def numeric_date(reader: Reader, at: int) -> Read | None:
    """Read 2016-11-02, 2019-sep-1, 21/04/16, 2/22/2016, 22/04; 4.22 where a day is expected."""
    return _three_parts(reader, at) or _two_numbers(reader, at)


def _three_parts(reader: Reader, at: int) -> Read | None:
    places = (at, at + 2, at + 4)
    numbers = [(reader.number(i, Kind.NUMBER) or 0, digits) for i in places if (digits := reader.digits(i))]
    months = [month for i in places if (month := reader.number(i, Kind.MONTH)) is not None]
    if len(numbers) + len(months) != len(places) or not reader.is_text(at + 1, *_SEPARATORS):
        return None
    if not reader.is_text(at + 3, reader.items[at + 1].text, ","):
        return None
    if len(months) == 1:
        (day, short), (year, long) = sorted(numbers, key=itemgetter(1))
        return Read(CalendarDay(day, months[0], year=year), at + 5) if short <= 2 and long == 4 else None
    if months:
        return None
    (first, size), (second, _), (third, last_size) = numbers
    if size == 4:
        return Read(CalendarDay(third, second, year=first), at + 5)
    full = full_year(third, last_size)
    day, month = _day_and_month(reader, first, second)
    return Read(CalendarDay(day, month, year=full), at + 5) if full is not None else None


def _two_numbers(reader: Reader, at: int) -> Read | None:
    first, second = reader.number(at, Kind.NUMBER), reader.number(at + 2, Kind.NUMBER)
    if first is None or second is None or not reader.is_text(at + 1, *_SEPARATORS):
        return None
    sizes = (reader.digits(at), reader.digits(at + 2))
    if sizes[0] == 4 and sizes[1] <= 2 and 1 <= second <= 12 and first in _YEARS:
        return Read(Month(second, year=first), at + 3)
    if sizes[1] == 4 and sizes[0] <= 2 and 1 <= first <= 12 and second in _YEARS:
        return Read(Month(first, year=second), at + 3)
    if max(sizes) > 2 or not all(sizes) or not _is_short_date(reader, at, (first, second)):
        return None
    day, month = _day_and_month(reader, first, second)
    return Read(CalendarDay(day, month), at + 3) if 1 <= month <= 12 and 1 <= day <= 31 else None


def _is_short_date(reader: Reader, at: int, numbers: tuple[int, int]) -> bool:
    if reader.is_text(at + 3, "%") or reader.has(at + 3, Kind.NOT_A_TIME):
        return False
    placed = reader.has(at - 1, Kind.ON, Kind.WEEKDAY)
    if reader.is_text(at + 1, "/"):
        joined = reader.has(at - 1, Kind.FROM, Kind.TO, Kind.RELATION)
        return placed or joined or not _is_share(numbers)
    joined = reader.adjacent(at + 1) and reader.adjacent(at + 2)
    return placed and joined and not reader.has(at + 3, Kind.UNIT)


def _is_share(numbers: tuple[int, int]) -> bool:
    """Whether it may be another thing than a date: 3/4 of it, 8/10 points, open 24/7."""
    return numbers[0] < numbers[1] <= 4 or (numbers[0] <= numbers[1] == 10) or numbers == (24, 7)


def _day_and_month(reader: Reader, first: int, second: int) -> tuple[int, int]:
    """Order two numbers as the language does, unless only the other order is a date."""
    month, day = (first, second) if reader.lexicon.month_first else (second, first)
    return (month, day) if month > 12 >= day else (day, month)
