"""The clause that states something, with the time that stands before or behind what was read of it."""

from typing import Final

from ricordo.language.assertion_scope import plain
from ricordo.language.facts.clause_times import Telling, signs_of, times_of
from ricordo.language.facts.statement import Statement

Span = tuple[int, int]

_REACH: Final = 60
"""Characters before and behind what was read that are looked at."""
_ENDS: Final = ".!?;:\n…"


def whole_clause(telling: Telling, one: Statement) -> Span:
    """Return where the clause begins and ends in the text.

    What a mention states was read of the mention alone: "I've been with | my wife Anna | since 2012", "my dog
    Rex | died in May". A time that comes first may stand before a comma: "In 2021, | I moved …".
    """
    begin, after = one.span
    front, end = _front(telling, begin), _end(telling, after)
    if _goes_on(telling, one, front, end):
        return front, end
    return _with_front(telling, front, begin), end if _is_time(telling, after, end) else after


def _goes_on(telling: Telling, one: Statement, front: int, end: int) -> bool:
    """Whether what stands around a mention tells when its person, or pet, came or went."""
    signs, low, (begin, after) = signs_of(telling.language), telling.low, one.span
    if one.predicate == "partner":
        around = signs.with_partner.search(low, front, begin) or signs.partner_behind.match(low, after, end)
        return around is not None
    if one.predicate != "has_pet":
        return False
    if one.polarity == "past":
        return signs.died.search(low, front, end) is not None
    return signs.got.search(low, front, begin) is not None and _is_time(telling, after, end)


def _with_front(telling: Telling, front: int, begin: int) -> int:
    words = telling.low[front:begin].rstrip(" ,")
    return front if _is_time(telling, front, front + len(words)) else begin


def _is_time(telling: Telling, begin: int, after: int) -> bool:
    """Whether nothing stands there but a time, and before it no more than what a clause begins with."""
    signs, words = signs_of(telling.language), telling.low[begin:after]
    if signs.cue.search(words) is None:
        return False
    skipped = len(words) - len(words.lstrip())
    alone = telling.text[begin + skipped : after]
    told = Telling(alone, plain(alone), telling.at, telling.zone, telling.language)
    times = times_of(told, 0, len(alone))
    if len(times) != 1 or alone[times[0].after :].strip():
        return False
    return signs.lead.match(told.low[: times[0].begin]) is not None


def _front(telling: Telling, begin: int) -> int:
    """Return where the sentence begins, or what its first comma leaves of it."""
    furthest = max(0, begin - _REACH)
    before = telling.low[furthest:begin].rstrip(" ,")
    cut = max(before.rfind(sign) for sign in _ENDS + ",") + 1
    return furthest + cut + len(before[cut:]) - len(before[cut:].lstrip())


def _end(telling: Telling, after: int) -> int:
    """Return where the sentence ends, or its next comma is."""
    behind = telling.low[after : after + _REACH]
    return after + min(at for at in (*map(behind.find, _ENDS + ","), len(behind)) if at >= 0)
