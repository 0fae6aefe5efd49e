"""Which half of the day an hour is of that is told without it: by language, and by what is done then."""

import re
from typing import Final

from ricordo.domain.event_signs import Signs
from ricordo.domain.temporal import Language
from ricordo.domain.temporal.direction import is_over
from ricordo.domain.temporal.expressions.base import Expression
from ricordo.domain.temporal.expressions.composed import Clock
from ricordo.domain.temporal.shapes import after_noon, minutes

_AFTERNOON: Final[dict[Language, range]] = {"en": range(60, 6 * 60), "it": range(60, 4 * 60)}
"""Minutes since midnight at which an hour of no half is one of the afternoon; Italians often count to 24."""
_DINNER: Final = range(5 * 60, 11 * 60)
_HALF: Final = re.compile(
    r"\b0\d|[ap]\.?m\b|morning|night|evening|afternoon|dawn|mattin|pomeriggio|sera\b|notte|alba",
    re.IGNORECASE,
)
_STOP: Final = re.compile(r"[,;:()]|\b(?:but|then|before|after|ma|poi|prima|dopo)\b")
_AT_HOUR: Final = re.compile(r"\b(?:at|alle|ore) \d[\d.:]*")
_PAUSE: Final = re.compile(f"{_STOP.pattern}|{_AT_HOUR.pattern}")


def in_half(expression: Expression, text: str, span: tuple[int, int], language: Language) -> Expression:
    """Return an hour as one after noon where it is said so without its half of the day: "Friday at 3".

    What Italians did at 3 may have been at night.

    Args:
        expression: what the words say.
        text: the telling.
        span: where in it the words stand.
        language: of it.
    """
    at = minutes(expression) if isinstance(expression, Clock) else None
    if at not in _AFTERNOON[language] or _HALF.search(text, *span):
        return expression
    return expression if language == "it" and is_over(text, span, language) else after_noon(expression)


def is_of_dinner(expression: Expression, low: str, span: tuple[int, int], signs: Signs) -> bool:
    """Whether a bare hour is that of a dinner, which is told in its clause: "dinner on Friday at 8".

    Args:
        expression: what the words say.
        low: the telling, plain.
        span: where in it the words stand.
        signs: those of the language.
    """
    start, end = span
    if minutes(expression) not in _DINNER or _HALF.search(low, start, end):
        return False
    clause_behind = _STOP.split(low[end:].removeprefix(","), maxsplit=1)[0]
    if signs.dinner_behind.match(clause_behind) and not _AT_HOUR.search(clause_behind):
        return True
    clauses = [clause for clause in _PAUSE.split(low[:start]) if any(map(str.isalnum, clause))]
    return bool(clauses) and signs.dinner.search(clauses[-1]) is not None
