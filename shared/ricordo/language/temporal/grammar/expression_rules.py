"""The table of all rules, and the loop that tries them where a time may stand."""

from collections.abc import Iterator, Sequence

from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.calendar_dates import Years
from ricordo.language.temporal.expressions.compounds import PartOfDay, is_day
from ricordo.language.temporal.expressions.parts import Nth
from ricordo.language.temporal.expressions.relative_dates import Period
from ricordo.language.temporal.grammar.anchor_rules import counted, in_year, is_year, neighbour, nth
from ricordo.language.temporal.grammar.clocks import clock, on_day, on_part, part_of_day, part_then_day
from ricordo.language.temporal.grammar.distances import (
    away,
    bounded_away,
    day_away,
    rolling,
)
from ricordo.language.temporal.grammar.named_dates import day_alone, named_date
from ricordo.language.temporal.grammar.numeric_dates import numeric_date, short_year_at, year_at
from ricordo.language.temporal.grammar.periods import calendar_period, weekday, yearly
from ricordo.language.temporal.grammar.ranges import between, bound, within
from ricordo.language.temporal.grammar.stretches import decade, edge, some_of_period, week_of
from ricordo.language.temporal.grammar.token_reader import Lexeme, Read, Reader, RuleTable, furthest, longest
from ricordo.language.temporal.lexicon import KEY_KINDS, Kind, Lexicon


def bare_year(reader: Reader, at: int) -> Read | None:
    """Read "2016" where it can only be a year, "in '98", "the year two hundred and sixty seven"."""
    begin = reader.skip(at, Kind.THE)
    if reader.word(begin, Kind.UNIT) == "year":
        place = reader.skip(begin + 1, Kind.OF)
        number = reader.number(place, Kind.NUMBER)
        if number is not None and _LEAST <= number <= 9998 and reader.digits(place) != 2:
            return Read(Years(number), place + 1)
        return None
    year = year_at(reader, at)
    if year is not None:
        return Read(Years(year), at + 1) if _is_year(reader, at, year) else None
    short = short_year_at(reader, at)
    if short is None or not _is_short_year(reader, at, short[1]):
        return None
    return Read(Years(short[0]), short[1])


_LEAST = 100  # "year 5" of something


def _is_short_year(reader: Reader, at: int, end: int) -> bool:
    measured = reader.has(end, Kind.UNIT) or reader.is_text(end, "%", "€", "$", "°", "£")
    return reader.has(at - 1, *_YEAR_COMPANY) and not measured


_YEAR_COMPANY = (
    Kind.IN, Kind.OVER, Kind.OF, Kind.SINCE, Kind.FROM, Kind.TO, Kind.BETWEEN, Kind.BEFORE, Kind.AFTER,
    Kind.UNTIL, Kind.MONTH, Kind.WITHIN, Kind.ORDINAL, Kind.EDGE,
)  # fmt: skip


_SIGNS = ("-", "/", ".", ":", ",")


def _in_number(reader: Reader, sign: int, other: int) -> bool:
    """Whether a sign joins the digits to others that are no year, as in a telephone number."""
    return reader.is_text(sign, *_SIGNS) and reader.digits(other) > 0 and year_at(reader, other) is None


def _is_year(reader: Reader, at: int, year: int) -> bool:
    after = at + 1
    if not 1500 <= year <= 2100 or _in_number(reader, at - 1, at - 2) or _in_number(reader, after, after + 1):
        return False
    if reader.has(after, Kind.UNIT) or reader.is_text(after, "%", "€", "$", "°", "£"):
        return False
    if reader.has(at - 1, Kind.THING):
        return False
    listed = reader.has(at - 1, Kind.AND) and year_at(reader, at - 2) is not None
    if listed or (reader.has(at - 1, *_YEAR_COMPANY) and not _counts(reader, at)):
        return True
    joined = reader.has(after, Kind.OR, Kind.TO, Kind.OR_LATER, Kind.WHEN)
    return year >= 1900 and (joined or reader.ends_clause(after)) and reader.digits(at) == 4


def _counts(reader: Reader, at: int) -> bool:
    """Whether the number counts what stands behind it: "over 2000 people"."""
    if not reader.has(at - 1, Kind.MORE, Kind.FOR):
        return False
    return not reader.ends_clause(at + 1) and reader.items[at + 1].text not in reader.lexicon.follows_day


_JOINTS = (Kind.IN, Kind.ON, Kind.AT, Kind.OF, Kind.THE)


def year_then_part(reader: Reader, at: int) -> Read | None:
    """Read "last year in May", "l'anno scorso a Natale", "two years ago on 3 May", "2016, in the spring"."""
    year = calendar_period(reader, at) or bare_year(reader, at) or away(reader, at)
    if year is None or not is_year(year.expression):
        return None
    begin = reader.skip_sign(year.end, ",")
    places = dict.fromkeys((begin, reader.skip(begin, *_JOINTS), reader.skip(begin, *_JOINTS, most=2)))
    return furthest(*(_part(reader, place, year.expression) for place in places))


def _part(reader: Reader, at: int, year: Expression) -> Read | None:
    n, unit = reader.number(at, Kind.ORDINAL), reader.unit(at + 1)
    if n is not None and unit in {"quarter", "half"}:
        return Read(Nth(year, n, unit), at + 2)
    part = reader.period(at)
    if part is None or not part.expression.partial or part.expression.of_year(2000) is None:
        return None
    return Read(in_year(part.expression, year), part.end)


_LEADING = frozenset({Kind.THE, Kind.RELATION})
_DAY_NAMES = frozenset({Kind.WEEKDAY, Kind.ON}) | _LEADING
# With what a period can begin, for each rule: most words of a text begin none.
_PERIODS: RuleTable = (
    (numeric_date, frozenset({Kind.NUMBER, Kind.MONTH})),
    (named_date, _DAY_NAMES | {Kind.NUMBER, Kind.ORDINAL, Kind.MONTH}),
    (day_alone, _DAY_NAMES | {Kind.ORDINAL}),
    (day_away, frozenset({Kind.THE, Kind.DAY})),
    (counted, frozenset({Kind.NUMBER, Kind.IN})),
    (away, frozenset({Kind.NUMBER, Kind.MINUTES, Kind.HALVING, Kind.IN})),
    (rolling, _LEADING | {Kind.NUMBER, Kind.MINUTES, Kind.WITHIN, Kind.UNIT, Kind.IN, Kind.OVER}),
    (weekday, _DAY_NAMES | {Kind.ORDINAL, Kind.UNIT}),
    (neighbour, _DAY_NAMES | {Kind.UNIT, Kind.ORDINAL}),
    (nth, frozenset({Kind.ON, Kind.THE, Kind.ORDINAL, Kind.QUARTER, Kind.HALF, Kind.NUMBER})),
    (week_of, frozenset({Kind.THE, Kind.UNIT, Kind.HOLIDAY, Kind.NUMBER})),
    (edge, _LEADING | {Kind.EDGE, Kind.UNIT, Kind.ORDINAL}),
    (calendar_period, _LEADING | {Kind.UNIT}),
    (yearly, _LEADING | {Kind.MONTH, Kind.NUMBER, Kind.SEASON, Kind.HOLIDAY}),
    (decade, frozenset({Kind.THE, Kind.DECADE, Kind.DECADE_WORD, Kind.NUMBER, Kind.SIGN})),
    (bare_year, frozenset({Kind.THE, Kind.UNIT, Kind.NUMBER, Kind.SIGN})),
    (year_then_part, _LEADING | {Kind.UNIT, Kind.NUMBER, Kind.SIGN}),
    (part_of_day, _LEADING | {Kind.PART}),
    (some_of_period, _DAY_NAMES | {Kind.NUMBER, Kind.UNIT, Kind.PART}),
)
_OPENING = frozenset({Kind.FROM, Kind.BETWEEN})
_ENDS = frozenset(
    {Kind.IN, Kind.OF, Kind.NUMBER, Kind.ORDINAL, Kind.MONTH, Kind.DAY, Kind.UNIT, Kind.NOW, Kind.HOLIDAY}
    | {Kind.SEASON, Kind.EDGE, Kind.QUARTER}
)
_COMPOSED: RuleTable = (
    (between, _OPENING | _DAY_NAMES | _ENDS),
    (within, _OPENING | _LEADING | {Kind.MONTH, Kind.UNIT, Kind.NUMBER, Kind.ORDINAL}),
    (bound, _OPENING | _DAY_NAMES | _ENDS | {Kind.BEFORE, Kind.AFTER, Kind.SINCE, Kind.UNTIL, Kind.UP_TO}),
    (part_then_day, frozenset({Kind.THE, Kind.PART})),
    (clock, frozenset({Kind.AT, Kind.NUMBER, Kind.PAST_HOUR, Kind.FROM, Kind.BETWEEN, Kind.SINCE})),
    (bounded_away, frozenset({Kind.MORE, Kind.LESS})),
)  # fmt: skip
_LEAD = 6  # lexemes that may stand before the first strong one: "from the end of the first"


def expressions(items: Sequence[Lexeme], lexicon: Lexicon, attempts: int) -> Iterator[tuple[int, Read]]:
    """Yield the expressions from left to right, none overlapping, with the index where each begins.

    Args:
        attempts: at how many places the rules are tried at most.
    """
    reader = Reader(items, lexicon, _PERIODS)
    reach = _distance_to_strong(items)
    at = 0
    while at < len(items) and attempts > 0:
        if reach[at] > _LEAD:
            at += 1
            continue
        attempts -= 1
        read = _phrase(reader, at)
        if read is None or _glued(reader, at, read.end):
            at += 1
        else:
            if not means_no_time(reader, at, read):
                yield at, read
            at = read.end


def _glued(reader: Reader, start: int, end: int) -> bool:
    """Whether an expression is a piece of a longer word or code ("3am3ioY"), in which it means nothing."""
    items = reader.items
    before = reader.adjacent(start) and (_is_word(items[start - 1]) or _is_fraction(reader, start))
    after = reader.adjacent(end) and (items[end].text.isalnum() or _leads_on(reader, end))
    clock = after and items[end].text == "t" and reader.digits(end + 1) == 2
    return before or (after and not clock)


def _is_fraction(reader: Reader, start: int) -> bool:
    """Whether it goes on with what is before a sign: the "000" of "1.000", the "Mart" of "Wal-Mart"."""
    if not reader.adjacent(start - 1):
        return False
    sign, before = reader.items[start - 1].text, reader.items[start - 2]
    if reader.digits(start):
        return sign in {".", ","} and before.digits > 0
    return sign == "-" and before.text.isalpha() and not before.values


def _leads_on(reader: Reader, end: int) -> bool:
    """Whether a hyphen joins another word: the "17" of "17-story", the "Jun" of "Jun-song"."""
    if not reader.is_text(end, "-") or not reader.adjacent(end + 1):
        return False
    behind = reader.items[end + 1]
    return behind.text.isalpha() and (not behind.values or Kind.UNIT in behind.values)


def _is_word(item: Lexeme) -> bool:
    """Whether it is one word or number: a phrase may end with an elision, which is joined to what follows."""
    return item.text.isalnum() and len(item.text) == item.end - item.start


def _distance_to_strong(items: Sequence[Lexeme]) -> list[int]:
    """For each lexeme, how many of its island stand before the next strong one."""
    far = _LEAD + 1
    distances = [far] * (len(items) + 1)
    for at in range(len(items) - 1, -1, -1):
        values = items[at].values
        if not KEY_KINDS.isdisjoint(values):
            distances[at] = 0
        elif values:
            distances[at] = distances[at + 1] + 1
    return distances


def _phrase(reader: Reader, at: int) -> Read | None:
    read = _untimed(reader, at)
    if read is None or not isinstance(read.expression, PartOfDay):
        return read
    return on_part(read.expression, reader, read.end) or read


def _untimed(reader: Reader, at: int) -> Read | None:
    period = reader.period(at)
    best = longest(reader, at, _COMPOSED)
    if period is not None and is_day(period.expression):
        narrowed = on_day(period.expression, reader, period.end)
        if narrowed is not None and (best is None or narrowed.end >= best.end):
            return narrowed
    if best is not None and (period is None or best.end > period.end):
        return best
    return period


def means_no_time(reader: Reader, at: int, read: Read) -> bool:
    """Whether what stands around an expression from `at` on says that no time is meant."""
    return (
        reader.has(at - 1, Kind.WISH)
        or _is_habit(reader, at, read.end)
        or _is_name(reader, at, read.end)
        or _is_whole(reader, at, read)
    )


def _is_habit(reader: Reader, at: int, end: int) -> bool:
    """Whether it comes again and again: "every Monday", "every other Friday", "each day at 3 pm"."""
    between = (Kind.NUMBER, Kind.ORDINAL, Kind.OTHER, Kind.PART, Kind.UNIT)
    other = reader.has(at - 2, Kind.EVERY) and reader.has(at - 1, *between)
    return other or reader.has(at - 1, Kind.EVERY) or reader.has(end, Kind.EVERY)


def _is_name(reader: Reader, at: int, end: int) -> bool:
    """Whether somebody is called so: "aunt May", "April told me"."""
    if end != at + 1 or not reader.items[at].capital:
        return False
    return reader.has(at - 1, Kind.TITLE) or reader.has(end, Kind.SPEAKING) or _has_surname(reader, at)


def _has_surname(reader: Reader, at: int) -> bool:
    """Whether a month stands alone before another name: "August Strindberg", not "in August Anna"."""
    led = at > 0 and bool(reader.items[at - 1].values)
    if led or not reader.has(at, Kind.MONTH) or at + 1 >= len(reader.items):
        return False
    surname = reader.items[at + 1]
    return surname.capital and surname.text.isalpha() and not surname.values


def _is_whole(reader: Reader, at: int, read: Read) -> bool:
    """Whether it is how long something is, or whose something is: "the whole week", "book of the year"."""
    expression = read.expression  # "today" is a day, not one of several
    bare = isinstance(expression, Period) and expression.offset == 0 and expression.unit != "day"
    if not bare or any(reader.has(i, Kind.RELATION) for i in range(at, read.end)):
        return False
    possessed = reader.has(at - 1, Kind.OF) and not reader.has(at - 1, Kind.IN, Kind.OVER)
    return possessed or reader.has(at - 1, Kind.WHOLE)
