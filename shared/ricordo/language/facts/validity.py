"""Finds when a stated fact began or ended, where the words say so.

Rather no time than a wrong one: a time counts only where the clause's verb and the words around the time say
that the state began or ended then. What lies ahead is not so yet, and is left out.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from typing import Final

from ricordo.language.assertion_scope import plain
from ricordo.language.facts.clause_times import ClauseSigns, ClauseTime, TimedText, clause_signs, times_of
from ricordo.language.facts.evidence import Polarity, Statement
from ricordo.language.facts.vocabulary import BEGINS_LATER, TIMED
from ricordo.language.temporal.moments import Language

Span = tuple[int, int]
_VISITS: Final = "visited"
_LEAST: Final = timedelta(days=27)
"""The shortest time in which a state is said to have been; shorter ones tell of something that happened."""
_NEAR: Final = timedelta(days=275)
"""How far back "da settembre" reaches: before that, it is rather the next one."""
_LONG: Final = timedelta(days=366)
"""How long ago something began of which nobody can tell whether it has lasted."""
Bounds = tuple[datetime | None, datetime | None]


def timed(
    statements: Iterable[Statement], text: str, *, at: datetime, zone: tzinfo, language: Language
) -> tuple[Statement, ...]:
    """Return `statements` with the times that their clauses tell, without those that lie ahead.

    Raises:
        ValueError: `at` is naive.
    """
    if at.tzinfo is None:
        raise ValueError("the moment of saying needs a time zone")
    telling = TimedText(text, plain(text), at, zone, language)
    if clause_signs(language).cue.search(telling.low) is None:
        return tuple(statements)
    clauses: dict[Span, _Clause] = {}
    found: list[Statement] = []
    for one in statements:
        if one.predicate not in TIMED and one.predicate != _VISITS:
            found.append(one)
            continue
        clause = clauses.get(one.span) or clauses.setdefault(one.span, _Clause(telling, one.span))
        if not clause.is_ahead(one):
            found.append(clause.timed(one))
    return tuple(found)


class _Clause:
    """A clause that states something, and the times in it."""

    def __init__(self, telling: TimedText, span: Span) -> None:
        self._telling = telling
        self._signs: ClauseSigns = clause_signs(telling.language)
        self._begin, self._after = span
        self._low = telling.low[self._begin : self._after]
        told = self._signs.cue.search(self._low) is not None
        self._times = times_of(telling, self._begin, self._after) if told else []

    def is_ahead(self, one: Statement) -> bool:
        """Whether the clause tells of what is to begin after the day on which it is told."""
        if (
            one.predicate not in BEGINS_LATER
            or one.polarity != "holds"
            or self._signs.begins.search(self._low)
        ):
            return False
        at = self._telling.at
        ahead = (time for time in self._times if time.start is not None and at < time.start)
        its = {"since": self._belongs, "in": self._beside}
        return any(time.kind in its and its[time.kind](one, time) for time in ahead)

    def timed(self, one: Statement) -> Statement:
        """Return a statement with its times, if its clause tells exactly one beginning or end."""
        told = {bounds for time in self._times if (bounds := self._bounds(one, time)) is not None}
        if len(told) != 1:
            return one
        valid_from, valid_to = told.pop()
        lasts = one.polarity == "holds" and valid_to is None
        polarity: Polarity = one.polarity if lasts or one.polarity == "denied" else "past"
        if lasts and self._is_of_old(valid_from):
            polarity = "began"
        return replace(one, valid_from=valid_from, valid_to=valid_to, polarity=polarity)

    def _is_of_old(self, valid_from: datetime | None) -> bool:
        """Whether the clause tells of a beginning long ago, and not that it has been so since."""
        began = [time for time in self._times if time.start == valid_from]
        told = valid_from is not None and all(time.kind == "in" for time in began)
        return told and valid_from is not None and self._telling.at - valid_from > _LONG

    def _bounds(self, one: Statement, time: ClauseTime) -> Bounds | None:
        """Return from when to when it was so, as a time of the clause says; None if it says nothing of it."""
        if not self._belongs(one, time):
            return None
        bounds = self._of(one, time)
        return bounds if bounds is not None and self._is_possible(*bounds) else None

    def _of(self, one: Statement, time: ClauseTime) -> Bounds | None:
        if one.predicate == _VISITS:
            told = time.kind in ("in", "between") and not self._signs.returns.search(self._low)
            return (time.start, None) if told and not self._signs.habit.search(self._low) else None
        if one.polarity == "holds":
            return self._of_present(time)
        if self._signs.ends.search(self._low):
            ended = min(time.end, self._telling.at) if time.kind == "in" else time.start
            return (None, ended) if time.kind in ("in", "lasting") else None
        if one.polarity == "denied" or self._signs.over.search(self._low):
            return (None, time.start) if time.kind in ("since", "lasting") else None
        return self._of_past(time)

    def _of_present(self, time: ClauseTime) -> Bounds | None:
        begins = self._signs.begins.search(self._low) is not None
        goes_on = self._signs.goes_on.search(self._low) is not None
        match time.kind:
            case "in" if begins and not self._signs.habit.search(self._low):
                return time.start, None
            case "since" if self._is_since(time, goes_on=goes_on or begins):
                return time.start, None
            case "lasting" if self._signs.lasts.search(self._low):
                return time.start, None
            case "between" if goes_on and self._is_long(time):
                return time.start, time.end
            case _:
                return None

    def _of_past(self, time: ClauseTime) -> Bounds | None:
        match time.kind:
            case "until":
                return None, time.end
            case "between" if self._is_long(time) or time.placed:
                return time.start, time.end
            case "since":
                return time.start, None
            case "in" if self._is_long(time) and not self._signs.habit.search(self._low):
                return time.start, time.end
            case _:
                return None

    def _is_long(self, time: ClauseTime) -> bool:
        return time.start is not None and time.end - time.start >= _LEAST

    def _is_since(self, time: ClauseTime, *, goes_on: bool) -> bool:
        """Whether what is said in the present has begun then.

        "Da settembre" is rather the last September than the next one; of a weekday nobody can tell. "A Vespa
        from 1965" is that old.
        """
        if goes_on:
            return True
        words = self._telling.low[time.begin : time.after]
        if time.origin or time.start is None:
            return False
        if time.placed:
            return True
        return not self._signs.weekday.search(words) and self._telling.at - time.start <= _NEAR

    def _is_possible(self, valid_from: datetime | None, valid_to: datetime | None) -> bool:
        at = self._telling.at
        if valid_from is None:
            return valid_to is not None and valid_to <= at
        return valid_from <= at and (valid_to is None or valid_from < valid_to <= at)

    def _belongs(self, one: Statement, time: ClauseTime) -> bool:
        """Whether a time is one of what is stated, and not of something else that the clause speaks of."""
        low, signs = self._telling.low, self._signs
        begin, after = self._object(one)
        if time.begin < after and begin < time.after:
            return False
        if one.polarity == "denied":
            return True  # of which nothing is read that has more behind it than a time
        if time.begin >= after:
            behind = low[time.after : self._after].lstrip()
            if "," in low[after : time.begin] and behind[:1].isalpha():
                return False  # "I left, since Monday I work …"
            return signs.between_both.search(low, after, time.begin) is None
        return signs.between_front.search(low, self._begin, time.begin) is None

    def _beside(self, one: Statement, time: ClauseTime) -> bool:
        """Whether a time comes first in the clause, or stands directly behind what is stated."""
        low, (_, after) = self._telling.low, self._object(one)
        if time.begin < after:
            return self._signs.lead.match(low[self._begin : time.begin]) is not None
        return self._signs.joint.match(low[after : time.begin]) is not None

    def _object(self, one: Statement) -> tuple[int, int]:
        """Return where the object stands; at the beginning of the clause, when it stands elsewhere."""
        low = self._telling.low
        begin = low.find(plain(one.object), *one.span)
        if begin < 0:
            return self._begin, self._begin
        after = begin + len(one.object)
        behind = self._signs.partner_behind.match(low, after) if one.predicate == "partner" else None
        return begin, after if behind is None else behind.end()
