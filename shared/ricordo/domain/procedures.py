"""Whether a text tells how something is done: by the shape of its clauses, not by what it is about.

Who passes on a way to do something strings short clauses together: instructions ("hold it down"), measures
("a quarter turn"), what comes first, next and until when; and often says that it is passed on.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from ricordo.domain.tables import read_table

LANGUAGES: Final = ("it", "en")
_ENOUGH: Final = 4
"""Clauses that are signs, of all kinds together, with which a text tells how."""
_ENOUGH_TAUGHT: Final = 2
"""The same, where the text says that it is passed on."""
_CLAUSE: Final = re.compile(r"[.;:,!?()\n]+|\s[-–—]\s|\s(?:and then|and|e poi|e)\s")
_SPACE: Final = re.compile(r"\s+")
_MOST_READ: Final = 2_000  # characters
_Signs = dict[str, re.Pattern[str]]


def tells_how(text: str, language: str) -> bool:
    """Say whether `text` tells how something is done.

    Four clauses that are instructions, measures or say an order are enough if one of them is an instruction;
    any two, where the text says that it is passed on, or noted for the next time.

    Args:
        text: what was said; questions in it count as any other clause.
        language: "it" or "en"; of other languages nothing is known.
    """
    if language not in LANGUAGES:
        return False
    signs, lowered = _signs(language), text[:_MOST_READ].lower().replace("’", "'")
    clauses = _clauses(lowered)
    steps = _count(clauses, signs["step"])
    found = steps + _count(clauses, signs["measure"]) + _count(clauses, signs["order"])
    if signs["taught"].search(lowered) is not None:
        return found >= _ENOUGH_TAUGHT
    return steps > 0 and found >= _ENOUGH


def _clauses(text: str) -> Sequence[str]:
    return [clause for each in _CLAUSE.split(text) if (clause := _SPACE.sub(" ", each).strip(" \"'"))]


def _count(clauses: Sequence[str], sign: re.Pattern[str]) -> int:
    return sum(sign.search(clause) is not None for clause in clauses)


@lru_cache(maxsize=len(LANGUAGES))
def _signs(language: str) -> _Signs:
    """Return the signs of `lexicon/procedures.toml` for a language, read once."""
    table: dict[str, list[str]] = read_table("procedures")[language]
    return {name: re.compile("|".join(f"(?:{each})" for each in listed)) for name, listed in table.items()}
