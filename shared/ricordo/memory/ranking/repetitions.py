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


class _Text(NamedTuple):
    """A text that some candidates have.

    Attributes:
        place: among the texts, in the order of the candidates.
        words: of its first candidate, as `written` is.
    """

    place: int
    words: Words
    written: str
    ids: list[UUID]


class Repetitions:
    """Which candidates say the same; texts are compared when one of them is shown."""

    def __init__(self, candidates: Iterable[CandidateText]) -> None:
        numbers: dict[Hashable, int] = {}
        texts: dict[tuple[Words, int], _Text] = {}
        self._comparable: defaultdict[tuple[int, int], list[_Text]] = defaultdict(list)
        self._of: dict[UUID, tuple[_Text, list[_Text]]] = {}
        for candidate in candidates:
            words = fold_words(candidate.text)
            circumstances = numbers.setdefault(candidate.circumstances, len(numbers))
            key = _without_spaces(words), circumstances
            others = self._comparable[len(words), circumstances]
            if (text := texts.get(key)) is None:
                text = texts[key] = _Text(len(texts), words, candidate.text, [])
                others.append(text)
            else:
                others = self._of[text.ids[0]][1]
            text.ids.append(candidate.id)
            self._of[candidate.id] = text, others

    def merge(self, ranked: Iterable[Ranked]) -> Iterator[tuple[Ranked, Sequence[UUID]]]:
        """Yield the first of those that say the same, in their order, each with the others."""
        gone: set[UUID] = set()
        for candidate in ranked:
            if candidate.id not in gone:
                same = dict.fromkeys(one for text in self._alike(candidate.id) for one in text.ids)
                others = [one for one in same if one != candidate.id and one not in gone]
                gone.update((candidate.id, *others))
                yield candidate, others

    def _alike(self, candidate: UUID) -> Iterator[_Text]:
        """Yield the texts that say the same; what is turned round says it of a typing error, too."""
        if candidate not in self._of:
            return
        text, others = self._of[candidate]
        yield text
        for near in _near(text, others):
            yield near
            turned = (other for other in _near(near, others) if other is not text)
            yield from (other for other in turned if sorted(other.words) == sorted(near.words))


def _near(text: _Text, others: Iterable[_Text]) -> list[_Text]:
    """Return the texts that differ from one by their order or by typing errors."""
    near = []
    for other in others:
        if other is not text:
            first, second = (other, text) if other.place < text.place else (text, other)
            if _is_same(second.words, first.words, f"{second.written} {first.written}"):
                near.append(other)
    return near
