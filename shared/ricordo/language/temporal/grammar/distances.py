"""Rules for times by distance: yesterday, two weeks ago, in 3 days, the last 7 days."""

from ricordo.language.temporal.expressions.compounds import Between, Bound, PartOfDay, is_day
from ricordo.language.temporal.expressions.relative_dates import (
    HALVES,
    NOW,
    Amount,
    Away,
    Period,
    Rolling,
    Unit,
)
from ricordo.language.temporal.grammar.token_reader import Read, Reader
from ricordo.language.temporal.lexicon import Kind


def day_away(reader: Reader, at: int) -> Read | None:
    """Read "yesterday", "the day after tomorrow", "stamattina"."""
    begin = reader.skip(at, Kind.THE)
    offset = reader.number(begin, Kind.DAY)
    if offset is None:
        return None
    part = reader.part(begin)
    day = Period("day", offset)
    return Read(PartOfDay(part, day) if part is not None else day, begin + 1)


def away(reader: Reader, at: int) -> Read | None:
    """Read "two weeks ago", "3 days later", "in 10 days", "tra due settimane"."""
    ahead = reader.has(at, Kind.IN)
    begin = reader.skip(reader.skip(at, Kind.IN), Kind.AT) if ahead else at
    read = reader.amount(begin)
    if read is None:
        return None
    amount, end = read
    distance = _placed(reader, amount, end)
    if distance is None and ahead and not _soon(reader, begin):
        return Read(Away(amount, 1), end)
    return distance


def _soon(reader: Reader, at: int) -> bool:
    """Whether it is said for "soon": "in a minute"."""
    return reader.has(at, Kind.ARTICLE) and reader.unit(at + 1) in {"second", "minute"}


def _placed(reader: Reader, amount: Amount, end: int) -> Read | None:
    if reader.has(end, Kind.AGO) and not _starts_period(reader, end):
        day = reader.number(end + 1, Kind.DAY)
        return Read(Away(amount, -1, Period("day", day) if day else None), end + 1 + (day is not None))
    later = reader.has(end, Kind.LATER) and not reader.has(end + 1, Kind.RELATION)
    if later and not _starts_period(reader, end):
        return Read(Away(amount, 1), end + 1)
    return _anchored(reader, amount, end)


def _starts_period(reader: Reader, at: int) -> bool:
    """Whether "prima", "dopo" or "back" leads on to another time instead of ending this one."""
    leads = reader.has(at, Kind.BEFORE, Kind.AFTER)
    return leads and _anchor(reader, at + 1) is not None


def _anchored(reader: Reader, amount: Amount, at: int) -> Read | None:
    """Read what the distance is counted from: "after Easter", "before 13 May", "from tomorrow", "da oggi"."""
    sign = -1 if reader.has(at, Kind.BEFORE) else 1
    if not reader.has(at, Kind.BEFORE, Kind.AFTER, Kind.FROM):
        return None
    anchor = _anchor(reader, at + 1)
    if anchor is None:
        return None
    return Read(Away(amount, sign, anchor.expression), anchor.end)


def _anchor(reader: Reader, at: int) -> Read | None:
    read = reader.period(at)
    return read if read is not None and is_day(read.expression) else None


def bounded_away(reader: Reader, at: int) -> Read | None:
    """Read "more than 2 weeks ago", "less than 3 days after tomorrow", "meno di un mese fa"."""
    read = away(reader, at + 1)
    if read is None or not isinstance(read.expression, Away):
        return None
    far = read.expression
    if reader.has(at, Kind.MORE):
        return Read(Bound("before" if far.sign < 0 else "after", far), read.end)
    near = far.anchor or NOW
    return Read(Between(far, near) if far.sign < 0 else Between(near, far), read.end)


def rolling(reader: Reader, at: int) -> Read | None:
    """Read "the last 7 days", "negli ultimi due mesi", "i 3 giorni scorsi", "in the last week"."""
    return _within(reader, at) or _counted(reader, reader.skip(at, Kind.THE)) or _in_the_last(reader, at)


def _within(reader: Reader, at: int) -> Read | None:
    """Read "within 5 days", "in less than a week", "entro i prossimi 3 mesi"."""
    less = reader.has(at, Kind.IN, Kind.OVER) and not reader.has(at, Kind.FOR)
    less = less and reader.has(at + 1, Kind.LESS)
    if not less and not reader.has(at, Kind.WITHIN):
        return None
    begin = reader.skip(at + 1 + less, Kind.THE)
    if reader.relation(begin) in {"last", "past"}:
        return _counted(reader, begin)
    read = reader.amount(reader.skip(begin, Kind.RELATION))
    return Read(Rolling(read[0], 1, from_now=True), read[1]) if read is not None else None


def _counted(reader: Reader, at: int) -> Read | None:
    """Read a relation before, between or behind a number and its unit."""
    this = reader.relation(at) == "this" and reader.relation(at + 1) in {"last", "past", "next", "coming"}
    at = at + 1 if this else at
    relation, count, unit = reader.relation(at), reader.number(at, Kind.NUMBER), reader.unit(at + 2)
    if relation is not None:
        read = _behind_relation(reader, at)
    elif count is not None and unit is not None and reader.relation(at + 1) is not None:
        # "The 2 upcoming months"
        relation, read = reader.relation(at + 1), (Amount(((count, unit),)), at + 3)
    else:
        read = reader.amount(at) or _days_of(reader, at)
        relation = reader.relation(read[1]) if read is not None else None
        read = (read[0], read[1] + 1) if read is not None else None
    if read is None or relation in {None, "this"} or reader.leads_on(read[1] - 1):
        return None
    return Read(Rolling(read[0], -1 if relation in {"last", "past"} else 1), read[1])


def _behind_relation(reader: Reader, at: int) -> tuple[Amount, int] | None:
    """Read the length behind "last" and "next", unless "last" is a verb there: "it will last two days"."""
    if reader.has(at, Kind.VERB) and _has_subject(reader, at - 1):
        return None
    read = reader.amount(at + 1)
    if read is not None and reader.has(read[1], Kind.AGO) and len(read[0].parts) > 1:
        # "For the last 3 months and 2 days ago" goes on with another time.
        read = reader.amount(at + 1, len(read[0].parts) - 1)
    if read is not None:
        verb = reader.has(at, Kind.VERB) and read[0].fine and not reader.has(at - 1, Kind.THE, Kind.OVER)
        return None if verb else read
    return _unit_and_a_half(reader, at + 1) or _days_of(reader, at + 1)


def _has_subject(reader: Reader, at: int) -> bool:
    """Whether the word at `at` makes a verb of the next: "it will last two days"."""
    if reader.has(at, Kind.MODAL):
        return True
    return 0 <= at < len(reader.items) and reader.items[at].text.isalpha() and not reader.items[at].values


def _unit_and_a_half(reader: Reader, at: int) -> tuple[Amount, int] | None:
    """Read "year and a half", "anno e mezzo"."""
    unit = reader.unit(at)
    half = HALVES.get(unit) if unit is not None and reader.has(at + 1, Kind.AND_HALF) else None
    return (Amount(((1, unit), half)), at + 2) if unit is not None and half is not None else None


def _days_of(reader: Reader, at: int) -> tuple[Amount, int] | None:
    """Read "last days", "ultimi giorni": a few of them."""
    unit = reader.unit(at)
    if unit is None or not reader.has(at, Kind.PLURAL):
        return None
    return Amount(((3, unit),)), at + 1


_ROLLED: frozenset[Unit] = frozenset({"day", "week", "month", "year", "hour", "minute", "fortnight"})


def _in_the_last(reader: Reader, at: int) -> Read | None:
    """Read "in the last week", "over the past month", "nell'ultima settimana", "the past day": up to now."""
    over = reader.has(at - 1, Kind.OVER) or reader.has(at - 2, Kind.OVER)
    the = reader.has(at, Kind.THE)
    begin = reader.skip(at, Kind.THE)
    relation, unit = reader.relation(begin), reader.unit(begin + 1)
    if unit not in _ROLLED or reader.has(begin + 1, Kind.PLURAL):
        return None
    if reader.has(begin + 2, Kind.OF, Kind.RELATION, Kind.WEEKDAY):
        return None
    rolls = relation == "past" or (relation == "last" and over and the and reader.is_text(begin, "last"))
    return Read(Rolling(Amount(((1, unit),)), -1), begin + 2) if rolls else None
