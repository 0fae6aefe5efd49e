"""Words of grief that are said of things: "my phone died", "kill the lights"."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ricordo.domain.tables import read_table
from ricordo.domain.text import stem

REACH: Final = 4
"""Words between a thing and what is said of it, at most."""


@dataclass(frozen=True, slots=True)
class _Things:
    """The words of one language: `dying` and `things` by their stems, the others as written."""

    dying: frozenset[str]
    things: frozenset[str]
    between: frozenset[str]
    of: frozenset[str]


@lru_cache(maxsize=4)
def _load(language: str) -> _Things:
    table: dict[str, str] = read_table("things")[language]
    words = {name: table[name].split() for name in table}
    return _Things(
        frozenset(stem(word, language) for word in words["dying"]),
        frozenset(stem(word, language) for word in words["things"]),
        frozenset(words["between"]),
        frozenset(words["of"]),
    )


def died_without_grief(words: Sequence[str], at: int, language: str) -> bool:
    """Say whether the word at `at` speaks of the end of a thing, which nobody mourns.

    Args:
        words: the case-folded words of one clause.
        at: the index of the word of grief.
        language: "it" or "en".
    """
    known = _load(language)
    if stem(words[at], language) not in known.dying:
        return False
    return _thing(words, at, -1, known, language) or _thing(words, at, 1, known, language)


def _thing(words: Sequence[str], at: int, step: int, known: _Things, language: str) -> bool:
    """Find a thing before (`step` -1) or after (1) the word, with nothing but function words between."""
    for place in range(at + step, at + step * (REACH + 1), step):
        if not 0 <= place < len(words):
            return False
        if stem(words[place], language) in known.things:
            return not _belongs(words, place, known)  # "the driver of the car died"
        if words[place] not in known.between:
            return False
    return False


def _belongs(words: Sequence[str], thing: int, known: _Things) -> bool:
    """Whether the thing only tells of which person or place it is said: "the man in the red car"."""
    return any(word in known.of for word in words[max(0, thing - 3) : thing])
