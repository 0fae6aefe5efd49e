"""Decides which half of the day an hour belongs to: by language, and by the activity that is mentioned."""

import re
from dataclasses import replace
from typing import Final

from ricordo.language.event_times.relevance import TimeCandidate
from ricordo.language.event_times.windows import Signs
from ricordo.language.temporal import Language
from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.compounds import Between
from ricordo.language.temporal.expressions.shapes import after_noon, minutes, of_part

_AFTERNOON: Final[dict[Language, range]] = {"it": range(60, 4 * 60)}
_LATE_AFTERNOON: Final = range(60, 6 * 60)
"""Minutes since midnight at which an hour of no half is one of the afternoon; Italians often count to 24."""
_NOON: Final = 12 * 60
_DINNER: Final = range(5 * 60, 11 * 60)
_HALF: Final = re.compile(
    r"\b0\d|[ap]\.?m\b|morning|night|evening|afternoon|dawn|mattin|pomeriggio|sera\b|notte|alba",
    re.IGNORECASE,
)
_STOP: Final = re.compile(r"[,;:()]|\b(?:but|then|before|after|ma|poi|prima|dopo)\b")
_BREAK: Final = re.compile(rf"{_STOP.pattern}|\b(?:and|ed?(?!'))\b")
_AT_HOUR: Final = re.compile(r"\b(?:at|alle|ore) \d[\d.:]*(?: ?[ap]\.?m\b)?")
_PAUSE: Final = re.compile(f"{_STOP.pattern}|{_AT_HOUR.pattern}")


def in_half(
    expression: Expression, text: str, span: tuple[int, int], language: Language, signs: Signs
) -> Expression:
    """Return an hour as one after noon where it is said so without its half of the day: "Friday at 3".

    Beside words of night or waking it stays where it is. From one hour to another, the other comes later.
    """
    first, last = minutes(expression), minutes(expression.last) if isinstance(expression, Between) else None
    if first is None or _HALF.search(text, *span):
        return expression
    shifts = first in _AFTERNOON.get(language, _LATE_AFTERNOON) and (last is None or last < _NOON)
    if shifts and not _is_of_night(text, span, signs):
        return after_noon(expression)
    if isinstance(expression, Between) and last is not None and last <= first < last + _NOON:
        return replace(expression, last=after_noon(expression.last))
    return expression


def _is_of_night(text: str, span: tuple[int, int], signs: Signs) -> bool:
    """Whether the words around an hour are about the night, or about waking up."""
    before = _BREAK.split(text[: span[0]].lower())[-1]
    behind = _BREAK.split(text[span[1] :].lower().removeprefix(","), maxsplit=1)[0]
    return signs.night.search(before) is not None or signs.night.search(behind) is not None


def is_of_dinner(expression: Expression, low: str, span: tuple[int, int], signs: Signs) -> bool:
    """Whether a bare hour is that of a dinner in its clause: "dinner on Friday at 8"."""
    if minutes(expression) not in _DINNER or _HALF.search(low, *span):
        return False
    return is_beside_dinner(low, span, signs)


def is_beside_dinner(low: str, span: tuple[int, int], signs: Signs) -> bool:
    """Whether the clause of a time, or the time itself, mentions a dinner."""
    start, end = span
    if signs.dinner.search(low, start, end):
        return True
    clause_behind = _STOP.split(low[end:].removeprefix(","), maxsplit=1)[0]
    if signs.dinner_behind.match(clause_behind) and not _AT_HOUR.search(clause_behind):
        return True
    clauses = [clause for clause in _PAUSE.split(low[:start]) if any(map(str.isalnum, clause))]
    return bool(clauses) and signs.dinner.search(clauses[-1]) is not None


def hour_after_dinner(expression: Expression, dinner: int, one: TimeCandidate, signs: Signs) -> Expression:
    """Return an hour behind that of a dinner as one of the same evening: "dinner at 7, the film at 9"."""
    said = _AT_HOUR.split(one.before)[-1]
    if _HALF.search(one.reference) or _HALF.search(said) or signs.earlier.search(said):
        return expression
    late = of_part(expression, "evening")
    at = minutes(late)
    return late if at is not None and at > dinner else expression
