"""Classifies a text as a type and a kind of memory by the way people word such things.

A sentence that asks states nothing, so it decides nothing. Languages without patterns are episodic messages,
but for numbered steps, which look alike everywhere.
"""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
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
_KINDS = (MemoryKind.NOTE, MemoryKind.DECISION, MemoryKind.AGREEMENT, MemoryKind.PROBLEM)


class _Cue(NamedTuple):
    """A pattern, and the words and beginnings of words without all of which it cannot fit."""

    words: frozenset[str]
    beginnings: tuple[str, ...]
    pattern: re.Pattern[str]

    def fits(self, text: str, words: AbstractSet[str]) -> bool:
        """Return whether a sentence fits: a look at its words saves most expressions."""
        begun = (any(word.startswith(beginning) for word in words) for beginning in self.beginnings)
        return self.words <= words and all(begun) and self.pattern.search(text) is not None


@lru_cache(maxsize=len(LANGUAGES))
def _load_classes(language: str) -> Mapping[str, Sequence[_Cue]]:
    """Return the cues of `classes.toml` by class, read once."""
    found: dict[str, list[_Cue]] = {}
    for name, patterns in read_table("classes", language).items():
        for cues, pattern in patterns:
            for alternative in map(str.split, cues.split("|")):
                whole = frozenset(word for word in alternative if not word.endswith("*"))
                begun = tuple(word[:-1] for word in alternative if word.endswith("*"))
                found.setdefault(name, []).append(_Cue(whole, begun, re.compile(pattern)))
    return found


# Its type and its kind are asked of one text in turn.
@lru_cache(maxsize=16)
def _statements_of(document: Document) -> Sequence[tuple[str, AbstractSet[str]]]:
    """Return the sentences of a text that state something, each with its words."""
    sentences = document.with_text(document.text[:MOST_READ]).statements
    return [(sentence, frozenset(_LETTERS.findall(sentence))) for sentence in sentences]


def _says(document: Document, name: str, unless: str = "") -> bool:
    """Return whether one sentence of a text fits a class, and not another one."""
    if document.language not in LANGUAGES:
        return False
    classes = _load_classes(document.language)
    fit, unfit = classes.get(name, ()), classes.get(unless, ())
    return any(
        any(cue.fits(*sentence) for cue in fit) and not any(cue.fits(*sentence) for cue in unfit)
        for sentence in _statements_of(document)
    )


def memory_type(document: Document, reading: Reading, emotion: Emotion, role: Role = Role.USER) -> MemoryType:
    """Say what sort of remembering a text makes.

    Procedural when it tells how something is done, semantic when it states what is so in general or who
    someone is, emotional when it is felt strongly, else episodic.
    """
    if _has_steps(document.text) or _says(document, "procedural") or reading.procedural >= _PROCEDURAL:
        return MemoryType.PROCEDURAL
    if _says(document, "semantic", unless="tied_to_a_day"):
        return MemoryType.SEMANTIC
    if emotion.intensity >= STRONG_INTENSITY and role in {Role.USER, Role.ASSISTANT}:
        return MemoryType.EMOTIONAL
    return MemoryType.EPISODIC


def memory_kind(document: Document) -> MemoryKind:
    """Say what a text is: a note, decision, agreement or problem when it says so, else a message."""
    return next((kind for kind in _KINDS if _says(document, kind.value)), MemoryKind.MESSAGE)


def _has_steps(text: str) -> bool:
    """Return whether a text numbers its steps from 1 on."""
    if text.isascii() and "1" not in text:
        return False
    numbers = [int(match[1]) for match in _STEP.finditer(text)]
    return numbers[:2] == [1, 2]
