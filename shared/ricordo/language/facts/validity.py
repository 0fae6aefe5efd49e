"""Finds when a stated fact began or ended, where the words say so.

Rather no time than a wrong one: a time counts only where the clause's verb and the words around the time say
that the state began or ended then. What lies ahead is not so yet, and is left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Final, Literal

from ricordo.language.assertion_scope import plain
from ricordo.language.data_files import LANGUAGES, Patterns, read_patterns, read_table
from ricordo.language.event_times.named_times import is_named
from ricordo.language.facts.evidence import Polarity, Statement
from ricordo.language.facts.vocabulary import BEGINS_LATER, TIMED
from ricordo.language.temporal.moments import EARLIEST, Language, TimeSpan
from ricordo.language.temporal.time_extraction import find

_VISITS: Final = "visited"
_LEAST: Final = timedelta(days=27)
"""The shortest time in which a state is said to have been; shorter ones tell of something that happened."""
_NEAR: Final = timedelta(days=275)
"""How far back "da settembre" reaches: before that, it is rather the next one."""
_LONG: Final = timedelta(days=366)
"""How long ago something began of which nobody can tell whether it has lasted."""
_LONGEST: Final = 500  # characters of a clause: of a longer one nobody can tell what its times belong to
_BEFORE: Final = 40  # characters before a time that are looked at
_WHOLE: Final = {
    "vent'": "venti ",
    "trent'": "trenta ",
    "quarant'": "quaranta ",
    "cinquant'": "cinquanta ",
    "sessant'": "sessanta ",
}
_ELIDED: Final = re.compile("|".join(_WHOLE))
_LENGTH: Final = re.compile(r"(?:years?|months?|weeks?|ann[oi]|mes[ei]) (?:in|during|nel|nell') ?\b")
"""Of "for a | year in 2015", which lasted a year and was in that one."""
_Kind = Literal["in", "since", "until", "between", "lasting"]
"""`in` a time, `since` it, `until` it, `between` two, or `lasting` up to now from it on."""
_Bounds = tuple[datetime | None, datetime | None]


class _ValiditySigns(Patterns):
    """The words of one language that tell times of what is stated."""

    ago: str


@lru_cache(maxsize=len(LANGUAGES) + 1)
def _load_signs(language: Language) -> _ValiditySigns:
    ago = read_table("fact_times", language)["ago"]
    return _ValiditySigns(**read_patterns("fact_times", language) | {"ago": ago})


@dataclass(frozen=True, slots=True)
class _ClauseTime:
    """A time of a clause.

    Attributes:
        kind: how the clause places what it states there.
        start: its first instant, aware; None where it is open.
        end: where it ends: what is said to last until 2015 may have lasted until that year was over.
        begin: offset of its words in the text; after: that behind them.
        placed: whether the words say of which year or week, and do not leave it to whoever hears them.
        origin: whether it stands behind "from" alone, which also tells where a thing comes from.
    """

    kind: _Kind
    start: datetime | None
    end: datetime
    begin: int
    after: int
    placed: bool = True
    origin: bool = False


def timed(
    statement: Statement, text: str, *, at: datetime, zone: tzinfo, language: Language
) -> Statement | None:
    """Return a statement of `text` with the times that its clause tells; None of one that lies ahead.

    Raises:
        ValueError: `at` is naive.
    """
    if at.tzinfo is None:
        raise ValueError("the moment of saying needs a time zone")
    if statement.predicate not in TIMED and statement.predicate != _VISITS:
        return statement
    clause = _Clause(statement, text, plain(text), at, zone, language)
    times = list(clause.times())
    return None if clause.is_ahead(times) else clause.timed(times)


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause that states something, and from where its text is told; `low` is the text in plain letters."""

    statement: Statement
    text: str
    low: str
    at: datetime
    zone: tzinfo
    language: Language

    @property
    def _signs(self) -> _ValiditySigns:
        return _load_signs(self.language)

    def _has(self, sign: re.Pattern[str]) -> bool:
        """Whether the clause has a sign."""
        return sign.search(self.low[slice(*self.statement.span)]) is not None

    def times(self) -> Iterator[_ClauseTime]:
        """Yield the times of the clause, in no order; none of a long one."""
        begin, after = self.statement.span
        if after - begin <= _LONGEST and self._has(self._signs.cue):
            yield from self._named(begin, after)
            yield from self._lasting(begin, after)

    def _named(self, begin: int, after: int) -> Iterator[_ClauseTime]:
        signs, low = self._signs, self.low
        for span in find(self.text[begin:after], self.at, self.zone, self.language):
            first, last = begin + span.span[0], begin + span.span[1]
            if (length := _LENGTH.match(low, first, last)) is not None:
                first = length.end()
            words, behind = low[first:last], low[last : last + _BEFORE]
            if signs.cue.search(words) is None or signs.not_behind.match(behind):
                continue
            if self._is_vague(span, words) or is_named(self.text, low, first, last, self.language):
                continue
            before = low[max(begin, first - _BEFORE) : first]
            kind = self._kind(span, words, before)
            if kind is None:
                continue
            start, end = None if span.start == EARLIEST else self._morning(span.start), span.through
            if kind in ("until", "between") and span.end <= self.at:
                end = min(end, self.at)
            origin = kind == "since" and signs.from_before.search(before) is not None
            placed = signs.placed.search(words) is not None
            yield _ClauseTime(kind, start, end, first, last, placed, origin)

    def _kind(self, span: TimeSpan, words: str, before: str) -> _Kind | None:
        signs = self._signs
        if span.start == EARLIEST:
            return "until" if signs.until.match(words) else None
        if signs.since.match(words) or signs.between.match(words):
            return "since" if span.through >= self.at else "between"
        if signs.since_before.search(before) or signs.from_before.search(before):
            return "since"
        # "In the last year" is some time of it, "after 2010" any.
        if span.end == self.at or signs.after.match(words):
            return None
        alone = (span.type == "relative" or signs.dated.match(words)) and not signs.not_before.search(before)
        return "in" if alone or signs.at_before.search(before) else None

    def _is_vague(self, span: TimeSpan, words: str) -> bool:
        """Whether the words tell no more than that it was long ago, or in a decade."""
        vague = span.approximate and self._signs.vague.search(words) is not None
        return vague or self._signs.decade.search(words) is not None

    def _morning(self, instant: datetime) -> datetime:
        """Return the beginning of the day of `instant`: nobody tells at what hour they moved."""
        day = instant.astimezone(self.zone)
        return day.replace(hour=0, minute=0, second=0, microsecond=0).astimezone(instant.tzinfo)

    def _lasting(self, begin: int, after: int) -> Iterator[_ClauseTime]:
        """Yield "for three years", "da tre anni": from the day on that many years ago."""
        for match in self._signs.lasting.finditer(self.low, begin, after):
            words = self._signs.ago.format(_ELIDED.sub(lambda found: _WHOLE[found[0]], match["amount"]))
            found = find(words, self.at, self.zone, self.language)
            if len(found) == 1 and found[0].span == (0, len(words)) and found[0].approximate:
                yield _ClauseTime("lasting", self._morning(found[0].start), self.at, *match.span())

    def is_ahead(self, times: list[_ClauseTime]) -> bool:
        """Whether the clause tells of what is to begin after the day on which it is told."""
        begins_later = self.statement.predicate in BEGINS_LATER and self.statement.polarity == "holds"
        if not begins_later or self._has(self._signs.begins):
            return False
        ahead = (time for time in times if time.start is not None and self.at < time.start)
        its = {"since": self._belongs, "in": self._beside}
        return any(time.kind in its and its[time.kind](time) for time in ahead)

    def timed(self, times: list[_ClauseTime]) -> Statement:
        """Return the statement with its times, if its clause tells exactly one beginning or end."""
        told = {bounds for time in times if (bounds := self._bounds(time)) is not None}
        if len(told) != 1:
            return self.statement
        valid_from, valid_to = told.pop()
        stated = self.statement.polarity
        lasts = stated == "holds" and valid_to is None
        polarity: Polarity = stated if lasts or stated == "denied" else "past"
        # A beginning long ago, of which nothing says that it has been so since.
        if lasts and valid_from is not None and self.at - valid_from > _LONG:
            began = (time.kind == "in" for time in times if time.start == valid_from)
            polarity = "began" if all(began) else polarity
        return replace(self.statement, valid_from=valid_from, valid_to=valid_to, polarity=polarity)

    def _bounds(self, time: _ClauseTime) -> _Bounds | None:
        """Return from when to when it was so, as a time of the clause says; None if it says nothing of it."""
        if not self._belongs(time):
            return None
        bounds = self._told_bounds(time)
        return bounds if bounds is not None and self._is_possible(*bounds) else None

    def _told_bounds(self, time: _ClauseTime) -> _Bounds | None:
        signs, polarity = self._signs, self.statement.polarity
        if self.statement.predicate == _VISITS:
            told = time.kind in ("in", "between") and not self._has(signs.returns)
            return (time.start, None) if told and not self._has(signs.habit) else None
        if polarity == "holds":
            return self._of_present(time)
        if self._has(signs.ends):
            ended = min(time.end, self.at) if time.kind == "in" else time.start
            return (None, ended) if time.kind in ("in", "lasting") else None
        if polarity == "denied" or self._has(signs.over):
            return (None, time.start) if time.kind in ("since", "lasting") else None
        return self._of_past(time)

    def _of_present(self, time: _ClauseTime) -> _Bounds | None:
        begins, goes_on = self._has(self._signs.begins), self._has(self._signs.goes_on)
        match time.kind:
            case "in" if begins and not self._has(self._signs.habit):
                return time.start, None
            case "since" if self._is_since(time, goes_on=goes_on or begins):
                return time.start, None
            case "lasting" if self._has(self._signs.lasts):
                return time.start, None
            case "between" if goes_on and _is_long(time):
                return time.start, time.end
            case _:
                return None

    def _of_past(self, time: _ClauseTime) -> _Bounds | None:
        match time.kind:
            case "until":
                return None, time.end
            case "between" if _is_long(time) or time.placed:
                return time.start, time.end
            case "since":
                return time.start, None
            case "in" if _is_long(time) and not self._has(self._signs.habit):
                return time.start, time.end
            case _:
                return None

    def _is_since(self, time: _ClauseTime, *, goes_on: bool) -> bool:
        """Whether what is said in the present has begun then.

        "Da settembre" is rather the last September than the next one; of a weekday nobody can tell. "A Vespa
        from 1965" is that old.
        """
        if goes_on:
            return True
        if time.origin or time.start is None:
            return False
        if time.placed:
            return True
        words = self.low[time.begin : time.after]
        return not self._signs.weekday.search(words) and self.at - time.start <= _NEAR

    def _is_possible(self, valid_from: datetime | None, valid_to: datetime | None) -> bool:
        if valid_from is None:
            return valid_to is not None and valid_to <= self.at
        return valid_from <= self.at and (valid_to is None or valid_from < valid_to <= self.at)

    def _belongs(self, time: _ClauseTime) -> bool:
        """Whether a time is one of what is stated, and not of something else that the clause speaks of."""
        low, signs = self.low, self._signs
        begin, after = self._object()
        if time.begin < after and begin < time.after:
            return False
        if self.statement.polarity == "denied":
            return True  # of which nothing is read that has more behind it than a time
        first, last = self.statement.span
        if time.begin >= after:
            behind = low[time.after : last].lstrip()
            if "," in low[after : time.begin] and behind[:1].isalpha():
                return False  # "I left, since Monday I work …"
            return signs.between_both.search(low, after, time.begin) is None
        return signs.between_front.search(low, first, time.begin) is None

    def _beside(self, time: _ClauseTime) -> bool:
        """Whether a time comes first in the clause, or stands directly behind what is stated."""
        low, (_, after) = self.low, self._object()
        if time.begin < after:
            return self._signs.lead.match(low[self.statement.span[0] : time.begin]) is not None
        return self._signs.joint.match(low[after : time.begin]) is not None

    def _object(self) -> tuple[int, int]:
        """Return where the object stands; at the beginning of the clause, when it stands elsewhere."""
        stated, low = self.statement, self.low
        begin = low.find(plain(stated.object), *stated.span)
        if begin < 0:
            return stated.span[0], stated.span[0]
        after = begin + len(stated.object)
        behind = self._signs.partner_behind.match(low, after) if stated.predicate == "partner" else None
        return begin, after if behind is None else behind.end()


def _is_long(time: _ClauseTime) -> bool:
    return time.start is not None and time.end - time.start >= _LEAST
