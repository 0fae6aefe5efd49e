"""Finds candidates that say the same and are one result: equal texts, and those with a typing error.

Never merged are texts of different speakers, with different times, names, numbers or negations, a question
and an answer, or what was corrected and what was not: each word has to be there, in its order.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, groupby
from operator import eq
from typing import Final, NamedTuple
from uuid import UUID

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.lemmas import is_known
from ricordo.language.name_lists import is_given, is_place
from ricordo.language.scripts import LETTERS_OF_RUNS, is_unspaced, marks, runs
from ricordo.memory.facts.name_matching import is_misspelling
from ricordo.memory.ranking import Ranked

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


@lru_cache(maxsize=1)
def _token() -> re.Pattern[str]:
    """Return the pattern of words, of marks, and of signs of numbers and names ("-5", "%", "€", "C++")."""
    currencies = "".join(sign for sign in map(chr, range(0x10000)) if unicodedata.category(sign) == "Sc")
    word = r"\w+(?:[.,:/]\d+)*"
    return re.compile(
        rf"{word}|(?![\w\s])(?:[-\u2212\uff0d](?<!-.)(?<![^\W{LETTERS_OF_RUNS}].)(?=\d){word}"
        rf"|[%‰٪\uff05{currencies}]|(?<=\w)[+#]+|[<>≤≥±](?= ?\d)"
        rf"|(?![\xad\u200c\u200d\u2060\ufe00-\ufe0f])[{marks()}])"  # those are not seen, as between emoji
    )


@lru_cache(maxsize=8_192)
def fold_words(text: str) -> Words:
    """Return the words and numbers of a text, case-folded, without words of degree ("really")."""
    words = tuple(_token().findall(text.casefold().replace("_", " ")))
    return tuple(word for word in words if word not in _boosters()) or words or (text,)


@lru_cache(maxsize=8_192)
def _without_spaces(words: Words) -> Words:
    """Return words with a run of those that others write without spaces as one."""
    parts = groupby(chain.from_iterable(map(runs, words)), is_unspaced)
    return tuple(chain.from_iterable(("".join(run),) if unspaced else run for unspaced, run in parts))


def _is_same(words: Words, others: Words, texts: str) -> bool:
    """Whether words of two texts, as many of each, are turned round or have typing errors."""
    if sum(map(eq, words, others)) >= max(_FEWEST, _SHARE * len(words)):
        wrong = (pair for pair in zip(words, others, strict=True) if pair[0] != pair[1])
        return all(_is_typo(*pair, texts) for pair in wrong)
    if len(words) < _FEWEST or others[0] not in words:
        return False
    return f" {' '.join(others)} " in f" {' '.join(words * 2)} "  # "every morning I …", "I … every morning"


def _is_typo(word: str, other: str, texts: str) -> bool:
    """Whether just one of two similar words is in the dictionary, and neither is a name."""
    if not (word.isalpha() and other.isalpha() and is_misspelling(word, other)):
        return False
    if any(is_given(name) or is_place(name) or name.capitalize() in texts for name in (word, other)):
        return False
    return is_word(word) != is_word(other)


@lru_cache(maxsize=8_192)
def is_word(word: str) -> bool:
    """Whether a case-folded word is in the dictionary of a language."""
    return any(is_known(word, language) for language in LANGUAGES)


class Repetitions:
    """Which candidates say the same."""

    def __init__(self, candidates: Iterable[CandidateText]) -> None:
        self._groups: defaultdict[Hashable, list[UUID]] = defaultdict(list)
        self._key: dict[UUID, Hashable] = {}
        self._near: defaultdict[Hashable, list[Hashable]] = defaultdict(list)
        alike: defaultdict[Hashable, dict[Hashable, tuple[Words, str]]] = defaultdict(dict)
        for candidate in candidates:
            words = fold_words(candidate.text)
            key = self._key[candidate.id] = (_without_spaces(words), candidate.circumstances)
            self._groups[key].append(candidate.id)
            if len(self._groups[key]) == 1:
                others = alike[len(words), candidate.circumstances]
                for other, (its_words, text) in others.items():
                    if _is_same(words, its_words, f"{candidate.text} {text}"):
                        self._near[key].append(other)
                        self._near[other].append(key)
                others[key] = words, candidate.text

    @property
    def count(self) -> int:
        """How many candidates say what another one says."""
        return sum(len(ids) for key, ids in self._groups.items() if len(ids) > 1 or key in self._near)

    def merge(self, ranked: Sequence[Ranked]) -> dict[UUID, list[UUID]]:
        """Return the first of those that say the same, in their order, each with the others."""
        merged: dict[UUID, list[UUID]] = {}
        gone: set[UUID] = set()
        for candidate in ranked:
            if candidate.id not in gone:
                key = self._key.get(candidate.id)
                same = chain.from_iterable(
                    self._groups.get(one, ()) for one in dict.fromkeys(self._alike(key))
                )
                merged[candidate.id] = [one for one in same if one != candidate.id and one not in gone]
                gone.update((candidate.id, *merged[candidate.id]))
        return merged

    def _alike(self, key: Hashable) -> Iterator[Hashable]:
        """Yield the keys that say the same; what is turned round says it of a typing error, too."""
        yield key
        for one in self._near.get(key, ()):
            yield one
            turned = (other for other in self._near[one] if other != key)
            yield from (other for other in turned if _words_of(other) == _words_of(one))


def _words_of(key: Hashable) -> Sequence[str]:
    words: Words = key[0]  # type: ignore[index]  # see `Repetitions`
    return sorted(words)
