"""Finds the times of a clause, and whether its state began, ended or was in them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import lru_cache
from typing import Final, Literal

from ricordo.language.data_files import Patterns, read_patterns, read_table
from ricordo.language.named_times import is_named
from ricordo.language.temporal.moments import EARLIEST, Language, TimeSpan
from ricordo.language.temporal.time_extraction import find

Kind = Literal["in", "since", "until", "between", "lasting"]
"""`in` a time, `since` it, `until` it, `between` two, or `lasting` up to now from it on."""

_LONGEST: Final = 500  # characters of a clause: of a longer one nobody can tell what its times belong to
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
_BEFORE: Final = 40  # characters before a time that are looked at


@dataclass(frozen=True, slots=True)
class ClauseTime:
    """A time of a clause.

    Attributes:
        kind: how the clause places what it states there.
        start: its first instant, aware; None where it is open.
        end: where it ends: what is said to last until 2015 may have lasted until that year was over.
        begin: offset of its words in the text; after: that behind them.
        placed: whether the words say of which year or week, and do not leave it to whoever hears them.
        origin: whether it stands behind "from" alone, which also tells where a thing comes from.
    """

    kind: Kind
    start: datetime | None
    end: datetime
    begin: int
    after: int
    placed: bool = True
    origin: bool = False


class ClauseSigns(Patterns):
    """The words of one language that tell times of what is stated."""

    ago: str


@lru_cache(maxsize=2)
def clause_signs(language: Language) -> ClauseSigns:
    """Return the signs of a language."""
    ago = read_table("fact_times", language)["ago"]
    return ClauseSigns(**read_patterns("fact_times", language) | {"ago": ago})


@dataclass(frozen=True, slots=True)
class TimedText:
    """A text and from where it is told."""

    text: str
    low: str
    at: datetime
    zone: tzinfo
    language: Language


def times_of(telling: TimedText, begin: int, after: int) -> list[ClauseTime]:
    """Return the times that stand between two offsets of what is told, in no order; none of a long text."""
    if after - begin > _LONGEST:
        return []
    return [*_named(telling, begin, after), *_lasting(telling, begin, after)]


def _named(telling: TimedText, begin: int, after: int) -> Iterator[ClauseTime]:
    signs, low = clause_signs(telling.language), telling.low
    for span in find(telling.text[begin:after], telling.at, telling.zone, telling.language, prefer="past"):
        first, last = begin + span.span[0], begin + span.span[1]
        if (length := _LENGTH.match(low, first, last)) is not None:
            first = length.end()
        words, behind = low[first:last], low[last : last + _BEFORE]
        if signs.cue.search(words) is None or signs.not_behind.match(behind) or _is_vague(span, words, signs):
            continue
        if is_named(telling.text, low, first, last, telling.language):
            continue
        before = low[max(begin, first - _BEFORE) : first]
        kind = _kind(span, words, before, telling)
        if kind is not None:
            origin = kind == "since" and signs.from_before.search(before) is not None
            yield replace(_placed(kind, span, (first, last), telling), origin=origin)


def _kind(span: TimeSpan, words: str, before: str, telling: TimedText) -> Kind | None:
    signs = clause_signs(telling.language)
    if span.start == EARLIEST:
        return "until" if signs.until.match(words) else None
    if signs.since.match(words) or signs.between.match(words):
        return "since" if span.through >= telling.at else "between"
    if signs.since_before.search(before) or signs.from_before.search(before):
        return "since"
    # "In the last year" is some time of it, "after 2010" any.
    if span.end == telling.at or signs.after.match(words):
        return None
    alone = (span.type == "relative" or signs.dated.match(words)) and not signs.not_before.search(before)
    return "in" if alone or signs.at_before.search(before) else None


def _is_vague(span: TimeSpan, words: str, signs: ClauseSigns) -> bool:
    """Whether the words tell no more than that it was long ago, or in a decade."""
    return signs.decade.search(words) is not None or (
        span.approximate and signs.vague.search(words) is not None
    )


def _placed(kind: Kind, span: TimeSpan, place: tuple[int, int], telling: TimedText) -> ClauseTime:
    signs, words = clause_signs(telling.language), telling.low[slice(*place)]
    start = None if span.start == EARLIEST else _morning(span.start, telling)
    end = span.through
    if kind in ("until", "between") and span.end <= telling.at:
        end = min(end, telling.at)
    return ClauseTime(kind, start, end, *place, placed=signs.placed.search(words) is not None)


def _morning(instant: datetime, telling: TimedText) -> datetime:
    """Return the beginning of the day of `instant`: nobody tells at what hour they moved."""
    day = instant.astimezone(telling.zone)
    return day.replace(hour=0, minute=0, second=0, microsecond=0).astimezone(instant.tzinfo)


def _lasting(telling: TimedText, begin: int, after: int) -> Iterator[ClauseTime]:
    """Yield "for three years", "da tre anni": from the day on that many years ago."""
    signs = clause_signs(telling.language)
    for match in signs.lasting.finditer(telling.low, begin, after):
        words = signs.ago.format(_ELIDED.sub(lambda found: _WHOLE[found[0]], match["amount"]))
        found = find(words, telling.at, telling.zone, telling.language, prefer="past")
        if len(found) == 1 and found[0].span == (0, len(words)) and found[0].approximate:
            yield ClauseTime("lasting", _morning(found[0].start, telling), telling.at, *match.span())
