"""Decides by tense whether an ambiguous time lies back or ahead: "cancel Sunday", "ci vediamo venerdì".

The words beside it decide: a verb of planning, a future or an appointment points ahead, a past tense back.
"""

import re
from typing import Final

from ricordo.language.data_files import Patterns, read_patterns
from ricordo.language.temporal.moments import Direction, Language

_END: Final = re.compile(r"[.!?;\n]")
_CLAUSE_END: Final = re.compile(
    r"[,:()]| (?:but|because|while|ma|per[oò]|perch[eéè]|mentre) "
    r"| and (?=(?:i|we|you|he|she|they)\b)| e (?=(?:ho|hai|ha|abbiamo|avete|hanno)\b)"
    r"|(?<=said|told|eard|rmed) (?:\w+ )?that |(?<=detto|ritto|rmato|aputo) che "
)
_REACH: Final = 160  # characters of a sentence that are looked at, on each side


def direction(text: str, span: tuple[int, int], language: Language) -> Direction | None:
    """Say which way the words of its sentence place the time at `span`; None when nothing does.

    The nearest sign wins, one before the time over one behind it.
    """
    tenses, (before, behind) = _tenses(language), _around(text, span)
    for part, last in ((before, True), (behind, False)):
        ahead, back = (_nearest(signs, part, last=last) for signs in (tenses.ahead, tenses.back))
        if ahead is not None or back is not None:
            return "future" if back is None or (ahead is not None and ahead < back) else "past"
    return None


def is_over(text: str, span: tuple[int, int], language: Language) -> bool:
    """Return whether a past tense rules the clause of the time at `span`.

    A time that is all of its clause belongs to the one behind it: "on Saturday at 9, we left".
    """
    past = _tenses(language).past
    before, behind = map(_small, _around(text, span))
    head, clauses = _CLAUSE_END.split(before)[-1], _CLAUSE_END.split(behind)
    clause = f"{head} · {clauses[0]}"  # not the time itself: "sat" is a day and a deed
    if not any(map(str.isalnum, head + clauses[0])) and len(clauses) > 1:
        clause += clauses[1]
    return past.search(clause) is not None


def is_planned(text: str, span: tuple[int, int], language: Language) -> bool:
    """Say whether the clause of the time at `span` is in the present tense, and nothing in it is past.

    "Martedì ho la riunione", "my flight leaves on 3 July". A clause without a verb that is known ("on
    Tuesday, at ten, …") leaves it to its sentence.
    """
    tenses = _tenses(language)
    before, behind = map(_small, _around(text, span))
    if tenses.of.search(before):
        return False
    time = text[slice(*span)].lower()
    clause = _CLAUSE_END.split(before)[-1] + time + _CLAUSE_END.split(behind, maxsplit=1)[0]
    for part in (clause, before + time + behind):
        if tenses.past.search(part):
            return False
        if tenses.present.search(part):
            return True
    return False


def _small(text: str) -> str:
    return text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def _tenses(language: Language) -> Patterns:
    """Return the patterns of the table `tense` in `event_times.toml`."""
    tenses: Patterns = read_patterns("event_times", language)["tense"]
    return tenses


def _around(text: str, span: tuple[int, int]) -> tuple[str, str]:
    """Return what stands in the same sentence before and behind `span`."""
    before = _END.split(text[max(0, span[0] - _REACH) : span[0]])[-1]
    behind = _END.split(text[span[1] : span[1] + _REACH], maxsplit=1)[0]
    return before, behind


def _nearest(signs: re.Pattern[str], part: str, *, last: bool) -> int | None:
    """Return the distance of the nearest sign from the time, None without any."""
    distances = [len(part) - match.end() if last else match.start() for match in signs.finditer(part)]
    return min(distances, default=None)
