"""Classifies a text as a type and a kind of memory by the way people word such things.

A sentence that asks states nothing, so it decides nothing. Languages without patterns are episodic messages,
but for numbered steps, which look alike everywhere.
"""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from ricordo.language.annotations import Emotion, MemoryKind, MemoryType, Role
from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.document import Document
from ricordo.language.markup import MOST_READ
from ricordo.language.reading import Reading

STRONG_INTENSITY = 0.4
_PROCEDURAL: Final = 0.5
_LETTERS = re.compile(r"[^\W\d_]+")
_STEP = re.compile(r"(?:^|\n|[\s:;.,])(?:(?:step|passo|punto)\s*)?(\d{1,2})[.):]\s+\S", re.IGNORECASE)
# The first that fits decides: what someone asks to note down is a note, whatever it tells of.
_KINDS = {
    kind.value: kind
    for kind in (MemoryKind.NOTE, MemoryKind.DECISION, MemoryKind.AGREEMENT, MemoryKind.PROBLEM)
}


@dataclass(frozen=True, slots=True)
class _Cue:
    """What a word hints at: the class of a pattern, the other words that it needs, and the pattern."""

    name: str
    needs: frozenset[str]
    pattern: re.Pattern[str]


class _Sentence(NamedTuple):
    """A sentence in lower case, its words, and the cues among them."""

    text: str
    words: AbstractSet[str]
    cues: Sequence[_Cue]

    def says(self, name: str) -> bool:
        """Return whether one of the patterns of a class fits."""
        return any(
            cue.needs <= self.words and cue.pattern.search(self.text) is not None
            for cue in self.cues
            if cue.name == name
        )


class _Classes:
    """The patterns of one language, found by the words that each needs."""

    def __init__(self, table: Mapping[str, Sequence[tuple[str, str]]]) -> None:
        self._whole: dict[str, list[_Cue]] = {}
        self._begun: dict[str, list[_Cue]] = {}
        for name, patterns in table.items():
            for cues, pattern in patterns:
                self._enter(name, cues, re.compile(pattern))
        self._cues_of = lru_cache(maxsize=16_384)(self._cues_of_word)

    def read(self, text: str) -> _Sentence:
        """Return a sentence in lower case with its cues: a look at each word saves most expressions."""
        words = frozenset(_LETTERS.findall(text))
        return _Sentence(text, words, list(chain.from_iterable(map(self._cues_of, words))))

    def _enter(self, name: str, cues: str, pattern: re.Pattern[str]) -> None:
        for alternative in cues.split("|"):
            words = alternative.split()
            # The longest is the rarest, as good as always.
            key = next((word for word in words if word.endswith("*")), max(words, key=len))
            cue = _Cue(name, frozenset(words) - {key}, pattern)
            kept = self._begun if key.endswith("*") else self._whole
            kept.setdefault(key.removesuffix("*"), []).append(cue)

    def _cues_of_word(self, word: str) -> Sequence[_Cue]:
        begun = (cues for beginning, cues in self._begun.items() if word.startswith(beginning))
        return (*self._whole.get(word, ()), *chain.from_iterable(begun))


@lru_cache(maxsize=1)
def _load_classes() -> Mapping[str, _Classes]:
    """Return the patterns of `classes.toml` by language, read once."""
    return {language: _Classes(read_table("classes", language)) for language in LANGUAGES}


class _Statements(NamedTuple):
    """The sentences of a text that state something, and the classes that they hint at."""

    sentences: Sequence[_Sentence]
    hinted: AbstractSet[str]

    def says(self, name: str) -> bool:
        """Return whether one of the sentences fits a class."""
        return name in self.hinted and any(sentence.says(name) for sentence in self.sentences)

    def states_a_fact(self) -> bool:
        """Return whether one states what is so in general, and is not tied to a day."""
        return "semantic" in self.hinted and any(
            sentence.says("semantic") and not sentence.says("tied_to_a_day") for sentence in self.sentences
        )


# Its type and its kind are asked of one text in turn.
@lru_cache(maxsize=16)
def _statements_of(document: Document) -> _Statements:
    """Return what a text states; nothing in a language without patterns."""
    classes = _load_classes().get(document.language)
    if classes is None:
        return _Statements((), frozenset())
    read = document.with_text(document.text[:MOST_READ])
    sentences = [classes.read(sentence) for sentence in read.statements]
    return _Statements(sentences, {cue.name for sentence in sentences for cue in sentence.cues})


def memory_type(document: Document, reading: Reading, emotion: Emotion, role: Role = Role.USER) -> MemoryType:
    """Say what sort of remembering a text makes.

    Procedural when it tells how something is done, semantic when it states what is so in general or who
    someone is, emotional when it is felt strongly, else episodic.
    """
    stated = _statements_of(document)
    if _has_steps(document.text) or stated.says("procedural") or reading.procedural >= _PROCEDURAL:
        return MemoryType.PROCEDURAL
    if stated.states_a_fact():
        return MemoryType.SEMANTIC
    if emotion.intensity >= STRONG_INTENSITY and role in {Role.USER, Role.ASSISTANT}:
        return MemoryType.EMOTIONAL
    return MemoryType.EPISODIC


def memory_kind(document: Document) -> MemoryKind:
    """Say what a text is: a note, decision, agreement or problem when it says so, else a message."""
    stated = _statements_of(document)
    for name, kind in _KINDS.items():
        if stated.says(name):
            return kind
    return MemoryKind.MESSAGE


def _has_steps(text: str) -> bool:
    """Return whether a text numbers its steps from 1 on."""
    if text.isascii() and "1" not in text:
        return False
    numbers = [int(match[1]) for match in _STEP.finditer(text)]
    return numbers[:2] == [1, 2]
