"""Selects the times at which something happens once, to the speakers or near them."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from ricordo.language.event_times.windows import Signs
from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.compounds import shape
from ricordo.language.temporal.moments import TimeSpan

_WORD: Final = re.compile(r"[a-z]+|\d+")
_LONGEST: Final = timedelta(days=367)
_LONGEST_STATE: Final = timedelta(days=31)
_YEAR: Final = timedelta(days=360)
_OLDEST: Final = timedelta(days=366 * 110)
_FARTHEST: Final = timedelta(days=366 * 11)
_RECENT: Final = timedelta(days=366)
_HOURS: Final = timedelta(hours=20)


@dataclass(frozen=True, slots=True)
class TimeCandidate:
    """A time of an assertion, and what says whether it is the one.

    Attributes:
        reference: the words of the time, plain, without an article.
        opens: whether something goes on from then, or until then.
    """

    span: TimeSpan
    sentence: str
    reference: str
    before: str
    behind: str
    expression: Expression
    opens: bool = False


def names_a_day(one: TimeCandidate, signs: Signs) -> bool:
    """Whether a time is more than an hour: "at 5 pm" is of any day."""
    if one.span.end - one.span.start >= _HOURS or shape(one.expression) in {"day", "date"}:
        return True
    return not signs.cues.isdisjoint(_WORD.findall(one.reference))


def is_of_event(one: TimeCandidate, said_at: datetime, signs: Signs) -> bool:
    """Whether a time is one at which something happens once, to those who speak or near them."""
    span = one.span
    bare = signs.placed.search(one.reference) is None
    if not _is_near(span, said_at) or _is_elsewhere(one, signs) or (bare and _is_topic_or_habit(one, signs)):
        return False
    length = span.through - span.start
    if length > _LONGEST or (
        length > _LONGEST_STATE and (_lasts(one, signs) or signs.thing_before.search(one.before))
    ):
        return False
    if length >= _YEAR and span.type != "relative" and not _is_own_year(one, signs):
        return False
    if signs.born.search(one.sentence) is None or (span.type == "relative" and not bare):
        return True
    return signs.being_born.search(one.sentence) is not None and abs(span.start - said_at) < _RECENT


def _is_near(span: TimeSpan, said_at: datetime) -> bool:
    """Whether it has a beginning and an end, both within a life of the moment of speaking."""
    return span.bounded and -_OLDEST < span.start - said_at < _FARTHEST


def _is_elsewhere(one: TimeCandidate, signs: Signs) -> bool:
    """Whether it is counted from the event ("two weeks later"), wished, or the present at large."""
    if signs.elsewhere.search(one.reference):
        return True
    if signs.wished_before.search(one.before) or (
        one.reference.startswith("in ") and signs.missed_before.search(one.before)
    ):
        return True
    booked = shape(one.expression) in {"day", "date"} and signs.booked.search(one.before)
    return not booked and signs.at_large_before.search(one.before) is not None


def _is_topic_or_habit(one: TimeCandidate, signs: Signs) -> bool:
    """Whether a day by its name only is what is spoken of, or what something is done on again and again."""
    if shape(one.expression) in {"day", "date"}:
        return signs.habit.search(one.sentence) is not None
    before = (signs.liked_before, signs.always_before)
    if any(sign.search(one.before) for sign in before) or signs.topic_behind.match(one.behind):
        return True
    if signs.habit.search(one.sentence):
        return True
    return bool(signs.habitual.match(one.reference) and signs.habit_before.search(one.before))


def _lasts(one: TimeCandidate, signs: Signs) -> bool:
    return bool(signs.lasting.match(one.reference) or signs.lasting_before.search(one.before))


def _is_own_year(one: TimeCandidate, signs: Signs) -> bool:
    """Whether a year is one of a life: neither a number nor a year of the world's."""
    return bool(signs.before_year.search(one.before) and signs.personal.search(one.sentence))
