"""Finds candidates that say the same and are one result: equal texts, and those with a typing error.

Never merged are texts of different speakers, with different times, names, numbers or negations, a question
and an answer, or what was corrected and what was not: each word has to be there, in its order.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from operator import eq
from typing import Final, NamedTuple
from uuid import UUID

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.lemmas import is_known
from ricordo.language.person_names import is_given, is_place
from ricordo.memory.facts.name_matching import is_misspelling
from ricordo.memory.ranking import Ranked

_TOKEN: Final = re.compile(r"(?:(?<![\w-])-(?=\d))?\w+(?:[.,:/]\d+)*|[^\w\s.,;:!?…\"'()\[\]{}«»“”‘’–—*~`-]")
_SHARE: Final = 0.8
"""The least share of equal words of texts that differ by typing errors."""
_FEWEST: Final = 4
"""The least number of equal words of such texts."""

Words = tuple[str, ...]


class CandidateText(NamedTuple):
    """A candidate: its text, and what has to be equal besides, such as who says it."""

    id: UUID
    text: str
    circumstances: Hashable


@lru_cache(maxsize=1)
def _boosters() -> frozenset[str]:
    return frozenset(word for language in LANGUAGES for word in read_table("feelings", language)["boosters"])


@lru_cache(maxsize=8_192)
def fold_words(text: str) -> Words:
    """Return the words, numbers and symbols of a text, case-folded, without words of degree ("really")."""
    words = tuple(_TOKEN.findall(text.casefold()))
    return tuple(word for word in words if word not in _boosters()) or words or (text,)


def is_same(words: Words, others: Words, written: str = "", other: str = "") -> bool:
    """Whether two texts say the same: in the same order, or turned round, or with typing errors.

    Args:
        words, others: as `fold_words` returns them.
        written, other: the texts, whose capitals tell names.
    """
    if len(words) != len(others):
        return False
    if sum(map(eq, words, others)) >= max(_FEWEST, _SHARE * len(words)):
        wrong = (pair for pair in zip(words, others, strict=True) if pair[0] != pair[1])
        return all(_is_typo(*pair, f"{written} {other}") for pair in wrong)
    if len(words) < _FEWEST or others[0] not in words:
        return False
    return f" {' '.join(others)} " in f" {' '.join(words * 2)} "  # "every morning I …", "I … every morning"


def _is_typo(word: str, other: str, texts: str) -> bool:
    """Whether just one of two similar words is in the dictionary, and neither is a name."""
    if not (word.isalpha() and other.isalpha() and is_misspelling(word, other)):
        return False
    if any(is_given(name) or is_place(name) or name.capitalize() in texts for name in (word, other)):
        return False
    return _is_word(word) != _is_word(other)


def _is_word(word: str) -> bool:
    return any(is_known(word, language) for language in LANGUAGES)


class Repetitions:
    """Which candidates say the same."""

    def __init__(self, candidates: Iterable[CandidateText]) -> None:
        self._groups: defaultdict[Hashable, list[UUID]] = defaultdict(list)
        self._key: dict[UUID, Hashable] = {}
        self._near: defaultdict[Hashable, list[Hashable]] = defaultdict(list)
        alike: defaultdict[Hashable, dict[Words, str]] = defaultdict(dict)
        for candidate in candidates:
            words = fold_words(candidate.text)
            key = self._key[candidate.id] = (words, candidate.circumstances)
            self._groups[key].append(candidate.id)
            if len(self._groups[key]) == 1:
                others = alike[len(words), candidate.circumstances]
                for other, text in others.items():
                    if is_same(words, other, candidate.text, text):
                        self._near[key].append((other, candidate.circumstances))
                        self._near[other, candidate.circumstances].append(key)
                others[words] = candidate.text

    @property
    def count(self) -> int:
        """How many candidates say what another one says."""
        return sum(len(ids) for key, ids in self._groups.items() if len(ids) > 1 or key in self._near)

    def merge(self, ranked: Sequence[Ranked]) -> dict[UUID, list[UUID]]:
        """Return the first of those that say the same, in their order, each with the others."""
        merged: dict[UUID, list[UUID]] = {}
        gone: set[UUID] = set()
        for candidate in ranked:
            if candidate.id in gone:
                continue
            key = self._key.get(candidate.id)
            same = [other for near in (key, *self._near.get(key, ())) for other in self._groups.get(near, ())]
            merged[candidate.id] = [other for other in same if other != candidate.id and other not in gone]
            gone.update((candidate.id, *merged[candidate.id]))
        return merged
