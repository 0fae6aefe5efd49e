"""Finds times in a text and resolves them against the moment of speaking."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.relative_dates import Weekday, Weekend
from ricordo.language.temporal.grammar.clocks import clock_time
from ricordo.language.temporal.grammar.expression_rules import expressions
from ricordo.language.temporal.grammar.token_reader import Reader
from ricordo.language.temporal.lexemes import lexemes
from ricordo.language.temporal.lexicon import LEXICONS, Kind
from ricordo.language.temporal.moments import Language, Moment, Preference, TimeSpan, Window, bounded
from ricordo.language.temporal.tense import direction

_MOST_ATTEMPTS = 80  # places at which the rules are tried: bounds what a hostile text can cost
_SHORT = 80  # characters up to which what was read in a text is kept
_LONGEST_DAY = timedelta(hours=25)  # on which summer time ends


def find(
    text: str, now: datetime, zone: tzinfo, language: Language, *, prefer: Preference = "told"
) -> list[TimeSpan]:
    """Find all times that `text` names, from left to right, none overlapping.

    Args:
        prefer: Which way to resolve what could lie either way: "in May", "on Friday". What is told follows
            its words ("cancel Friday" lies ahead), a question is about the past.

    Raises:
        ValueError: `now` is naive.
    """
    moment = _moment(now, zone, prefer)
    return [span for _, span in _spans(text, moment, language, told=prefer == "told")]


def resolve(
    text: str, now: datetime, zone: tzinfo, language: Language, *, prefer: Preference = "told"
) -> TimeSpan | None:
    """Find the time that `text` is about: of several, the most precise one, then the first.

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
    """Words that name a time, before it is known which way they point."""

    reference: str
    span: tuple[int, int]
    expression: Expression

    def at(self, moment: Moment) -> TimeSpan | None:
        """Return the time that they name at `moment`; None where there is no such time."""
        try:
            window = self.expression.window(moment)
        except (ValueError, OverflowError):
            # No such day, or one outside of the calendar: the words name no time.
            return None
        length = window.end - window.start
        if length <= timedelta(0):
            return None
        relative = self.expression.deictic
        return TimeSpan(
            type="relative" if relative else "exact" if length <= _LONGEST_DAY else "range",
            reference=self.reference,
            start=window.start,
            end=window.end,
            span=self.span,
            through=window.through or window.end,
            approximate=self.expression.approximate,
        )


def time_mentions(text: str, language: Language) -> Iterable[TimeMention]:
    """Find the words of `text` that name times, from left to right, none overlapping.

    In a language without a lexicon there are none.
    """
    if language not in LEXICONS:
        return ()
    return _mentions_of_short(text, language) if len(text) <= _SHORT else _mentions(text, language)


def hour(text: str, language: Language) -> TimeMention | None:
    """Read the hour with which `text` begins, of a day that stands elsewhere: "at 10", "alle 9"."""
    lexicon = LEXICONS[language]
    items = lexemes(text, lexicon)
    at = 1 if items and not items[0].text[0].isdigit() and Kind.AT in items[0].values else 0
    read = clock_time(Reader(items, lexicon, ()), at, marked=True)
    if read is None:
        return None
    span = items[0].start, items[read[1] - 1].end
    return TimeMention(text[slice(*span)], span, read[0])


def _moment(now: datetime, zone: tzinfo, prefer: Preference) -> Moment:
    if now.tzinfo is None:
        raise ValueError("now needs a time zone")
    return Moment(now.astimezone(UTC), zone, "future" if prefer == "future" else "past")


def _leans_on_another(expression: Expression) -> bool:
    """Whether it can be a part of a period before it: a weekend or a weekday that nothing places."""
    bare = isinstance(expression, Weekday) and expression.relation is None and expression.within is None
    return bare or isinstance(expression, Weekend)


def _precision(span: TimeSpan) -> tuple[bool, int]:
    """Bounded spans first; then what more words name."""
    window = Window(span.start, span.end)
    return bounded(window), len(span.reference.split())


def _spans(
    text: str, moment: Moment, language: Language, *, told: bool
) -> Iterator[tuple[Expression, TimeSpan]]:
    for mention in time_mentions(text, language):
        span = mention.at(moment)
        ahead = mention.at(moment.leaning(moment.now, "future")) if told else span
        # Most times lie where they lie: only the others are worth a look at the words beside them.
        if ahead != span and direction(text, mention.span, language) == "future":
            span = ahead
        if span is not None:
            yield mention.expression, span


# "last Friday" is said again and again, and reads the same whenever it is said.
@lru_cache(maxsize=4096)
def _mentions_of_short(text: str, language: Language) -> tuple[TimeMention, ...]:
    return tuple(_mentions(text, language))


def _mentions(text: str, language: Language) -> Iterator[TimeMention]:
    lexicon = LEXICONS[language]
    items = lexemes(text, lexicon)
    for at, read in expressions(items, lexicon, _MOST_ATTEMPTS):
        span = items[at].start, items[read.end - 1].end
        yield TimeMention(text[slice(*span)], span, read.expression)
