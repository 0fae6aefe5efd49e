"""Finds times in a text and resolves them against the moment of speaking."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.relative_dates import Weekday, Weekend
from ricordo.language.temporal.grammar.clocks import clock_time
from ricordo.language.temporal.grammar.expression_rules import expressions
from ricordo.language.temporal.grammar.token_reader import Reader, lexemes
from ricordo.language.temporal.lexicon import LEXICONS, Kind
from ricordo.language.temporal.moments import Direction, Language, Moment, TimeSpan

_MOST_ATTEMPTS = 80  # places at which the rules are tried: bounds what a hostile text can cost
_SHORT = 80  # characters up to which what was read in a text is kept
_LONGEST_DAY = timedelta(hours=25)  # on which summer time ends


def find(
    text: str, now: datetime, zone: tzinfo, language: Language, *, prefer: Direction = "past"
) -> list[TimeSpan]:
    """Find all times that `text` names, from left to right, none overlapping.

    Args:
        prefer: Which way to resolve what could lie either way: "in May", "on Friday".

    Raises:
        ValueError: `now` is naive.
    """
    return [span for _, span in _spans(text, now, zone, language, prefer)]


def resolve(
    text: str, now: datetime, zone: tzinfo, language: Language, *, prefer: Direction = "past"
) -> TimeSpan | None:
    """Find the time that `text` is about: of several, the most precise one, then the first.

    Arguments and errors are those of `find`.
    """
    found: list[TimeSpan] = []
    for expression, span in _spans(text, now, zone, language, prefer):
        # "In February, what did we do on the weekend?" asks for no weekend of its own.
        if not (_leans_on_another(expression) and any(one.bounded for one in found)):
            found.append(span)
    # Bounded ones first; then what more words name.
    return max(found, key=lambda one: (one.bounded, len(one.reference.split())), default=None)


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


def _leans_on_another(expression: Expression) -> bool:
    """Whether it can be a part of a period before it: a weekend or a weekday that nothing places."""
    bare = isinstance(expression, Weekday) and expression.relation is None and expression.within is None
    return bare or isinstance(expression, Weekend)


def _spans(
    text: str, now: datetime, zone: tzinfo, language: Language, prefer: Direction
) -> Iterator[tuple[Expression, TimeSpan]]:
    if now.tzinfo is None:
        raise ValueError("now needs a time zone")
    moment = Moment(now.astimezone(UTC), zone, prefer)
    for mention in time_mentions(text, language):
        if (span := mention.at(moment)) is not None:
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
