"""What is built like a time and means none: habits, wishes, names of people, the whole of a period."""

from ricordo.language.temporal.expressions.relative import Period
from ricordo.language.temporal.grammar.reader import Read, Reader
from ricordo.language.temporal.lexicon import Kind


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
    if (
        not reader.has(at, Kind.MONTH)
        or at + 1 >= len(reader.items)
        or (at > 0 and reader.items[at - 1].values)
    ):
        return False
    surname = reader.items[at + 1]
    return surname.capital and surname.text.isalpha() and not surname.values


def _is_whole(reader: Reader, at: int, read: Read) -> bool:
    """Whether it is how long something is, or whose something is: "the whole week", "book of the year"."""
    bare = isinstance(read.expression, Period) and read.expression.offset == 0
    if not bare or any(reader.has(i, Kind.RELATION) for i in range(at, read.end)):
        return False
    possessed = reader.has(at - 1, Kind.OF) and not reader.has(at - 1, Kind.IN, Kind.OVER)
    return possessed or reader.has(at - 1, Kind.WHOLE)
