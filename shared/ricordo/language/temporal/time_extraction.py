"""Times found in a text and resolved against the moment of speaking."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.distances import Weekday, Weekend
from ricordo.language.temporal.grammar.clocks import clock_time
from ricordo.language.temporal.grammar.expression_rules import Attempts, expressions
from ricordo.language.temporal.grammar.reader import Reader
from ricordo.language.temporal.lexemes import lexemes, passages
from ricordo.language.temporal.lexicon import LEXICONS, Kind
from ricordo.language.temporal.moments import (
    Language,
    Moment,
    Preference,
    SpanType,
    TimeSpan,
    Window,
    bounded,
)
from ricordo.language.temporal.tense import direction

_MOST_ATTEMPTS = 80
_SHORT = 80  # characters up to which what was read in a text is kept
_Placed = tuple[int, int, Expression]
_LONG_DAY_HOURS = 25  # of the day on which summer time ends


def find(
    text: str, now: datetime, zone: ZoneInfo, language: Language, *, prefer: Preference = "told"
) -> list[TimeSpan]:
    """Find all times that `text` names, from left to right, none overlapping.

    Words that name no real time (31 February) yield nothing. The cost is linear in the length of the text.

    Args:
        text: Any text.
        now: The moment of speaking, aware.
        zone: The speaker's zone: days begin at its midnights, with its daylight saving.
        language: Whose words to look for.
        prefer: Which way to resolve what could lie either way: "in May", "on Friday". What is told follows
            its words ("cancel Friday" lies ahead), a question is about the past.

    Raises:
        ValueError: `now` is naive.
    """
    moment = _moment(now, zone, prefer)
    return [span for _, span in _spans(text, moment, language, told=prefer == "told")]


def resolve(
    text: str, now: datetime, zone: ZoneInfo, language: Language, *, prefer: Preference = "told"
) -> TimeSpan | None:
    """Find the time that `text` is about: of several, the one that is told most precisely, then the first.

    Arguments and errors are those of `find`.
    """
    moment = _moment(now, zone, prefer)
    found: list[TimeSpan] = []
    for expression, span in _spans(text, moment, language, told=prefer == "told"):
        # "In February, what did we do on the weekend?" asks for no weekend of its own.
        if not (_leans_on_another(expression) and any(bounded(Window(one.start, one.end)) for one in found)):
            found.append(span)
    return max(found, key=_precision, default=None)


@dataclass(frozen=True, slots=True)
class TimeMention:
    """Words that name a time, before it is known which way they point.

    Attributes:
        reference: The words.
        span: Their offsets in the text, in characters, half-open.
        expression: What they say.
    """

    reference: str
    span: tuple[int, int]
    expression: Expression

    def at(self, moment: Moment) -> TimeSpan | None:
        """Return the time that they name at `moment`; None where there is no such time."""
        window = _window(self.expression, moment)
        if window is None:
            return None
        start, end = self.span
        return replace(_span(self.reference, (0, end - start), self.expression, window), span=self.span)


def time_mentions(text: str, language: Language) -> list[TimeMention]:
    """Find the words of `text` that name times, from left to right, none overlapping."""
    return [
        TimeMention(text[start:end], (start, end), expression)
        for start, end, expression in _read(text, language)
    ]


def hour(text: str, language: Language) -> TimeMention | None:
    """Read the hour with which `text` begins, of a day that is told elsewhere: "at 10", "alle 9"."""
    lexicon = LEXICONS[language]
    items = lexemes(text, 0, len(text), lexicon)
    at = 1 if items and not items[0].text[0].isdigit() and Kind.AT in items[0].values else 0
    read = clock_time(Reader(items, lexicon, ()), at, marked=True)
    if read is None:
        return None
    span = items[0].start, items[read[1] - 1].end
    return TimeMention(text[slice(*span)], span, read[0])


def _moment(now: datetime, zone: ZoneInfo, prefer: Preference) -> Moment:
    if now.tzinfo is None:
        raise ValueError("now needs a time zone")
    return Moment(now.astimezone(UTC), zone, "future" if prefer == "future" else "past")


def _leans_on_another(expression: Expression) -> bool:
    """Whether it can be a part of a period told before it: a weekend or a weekday that nothing places."""
    bare = isinstance(expression, Weekday) and expression.relation is None and expression.within is None
    return bare or (isinstance(expression, Weekend) and not expression.ahead)


def _precision(span: TimeSpan) -> tuple[bool, int]:
    """Bounded spans first; then what more words name."""
    window = Window(span.start, span.end)
    return bounded(window), len(span.reference.split())


def _spans(
    text: str, moment: Moment, language: Language, *, told: bool
) -> Iterator[tuple[Expression, TimeSpan]]:
    for start, end, expression in _read(text, language):
        window = _window(expression, moment)
        ahead = _window(expression, moment.leaning(moment.now, "future")) if told else window
        # Most times lie where they lie: only the others are worth a look at the words beside them.
        if ahead != window and direction(text, (start, end), language) == "future":
            window = ahead
        if window is not None:
            yield expression, _span(text, (start, end), expression, window)


def _read(text: str, language: Language) -> Iterable[_Placed]:
    """Return the expressions of `text`, each with the offsets of its words."""
    return _read_short(text, language) if len(text) <= _SHORT else _expressions(text, language)


# "last Friday" is said again and again, and reads the same whenever it is said.
@lru_cache(maxsize=4096)
def _read_short(text: str, language: Language) -> tuple[_Placed, ...]:
    return tuple(_expressions(text, language))


def _expressions(text: str, language: Language) -> Iterator[_Placed]:
    lexicon = LEXICONS[language]
    attempts = Attempts(_MOST_ATTEMPTS)
    for begin, after in passages(text, lexicon):
        items = lexemes(text, begin, after, lexicon)
        for at, read in expressions(items, lexicon, attempts):
            yield items[at].start, items[read.end - 1].end, read.expression


def _span(text: str, span: tuple[int, int], expression: Expression, window: Window) -> TimeSpan:
    return TimeSpan(
        type=_type(expression, window),
        reference=text[slice(*span)],
        start=window.start,
        end=window.end,
        span=span,
        through=window.through or window.end,
        approximate=expression.approximate,
    )


def _window(expression: Expression, moment: Moment) -> Window | None:
    try:
        window = expression.window(moment)
    except (ValueError, OverflowError):
        # No such day, or one outside of the calendar: the words name no time.
        return None
    return window if window.start < window.end else None


def _type(expression: Expression, window: Window) -> SpanType:
    if expression.deictic:
        return "relative"
    hours = (window.end - window.start).total_seconds() / 3600
    return "exact" if hours <= _LONG_DAY_HOURS else "range"
