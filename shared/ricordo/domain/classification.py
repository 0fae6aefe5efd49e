"""What sort of memory a text makes (type), and what the text is (kind), by how people put such things.

A sentence that asks states nothing, so it decides nothing. Languages without patterns are episodic messages,
but for numbered steps, which look alike everywhere.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ricordo.domain.markup import MOST_READ
from ricordo.domain.memory import Emotion, MemoryKind, MemoryType, Role
from ricordo.domain.tables import read_table
from ricordo.domain.text import statements

STRONG_INTENSITY = 0.4

_STEP = re.compile(r"(?:^|\n|[\s:;.,])(?:(?:step|passo|punto)\s*)?(\d{1,2})[.):]\s+\S", re.IGNORECASE)
# The first that fits decides: what someone asks to note down is a note, whatever it tells of.
_KINDS = (MemoryKind.NOTE, MemoryKind.DECISION, MemoryKind.AGREEMENT, MemoryKind.PROBLEM)


@dataclass(frozen=True, slots=True)
class Pattern:
    """How people put something: a regular expression, and parts of which all that fits holds one."""

    parts: tuple[str, ...]
    whole: re.Pattern[str]

    def fits(self, sentence: str) -> bool:
        """Say whether a sentence in lower case is put so."""
        return any(part in sentence for part in self.parts) and self.whole.search(sentence) is not None


@lru_cache(maxsize=1)
def load_classes() -> dict[str, dict[str, tuple[Pattern, ...]]]:
    """Return the patterns of each class and language of `lexicon/classes.toml`, read once."""
    table: dict[str, dict[str, list[tuple[str, str]]]] = read_table("classes")
    return {
        name: {
            language: tuple(Pattern(tuple(parts.split("|")), re.compile(whole)) for parts, whole in patterns)
            for language, patterns in by_language.items()
        }
        for name, by_language in table.items()
    }


def memory_type(text: str, language: str, emotion: Emotion, role: Role = Role.USER) -> MemoryType:
    """Say what sort of remembering a text makes.

    Procedural when it tells how something is done, semantic when it states what is so in general or who
    someone is, emotional when it is felt strongly, else episodic.

    Args:
        text: what was said.
        language: ISO 639-1.
        emotion: the feeling estimated of the same text.
        role: who said it; what a tool or the system says is felt by nobody.
    """
    stated = statements(text[:MOST_READ])
    if _has_steps(text) or _says("procedural", stated, language):
        return MemoryType.PROCEDURAL
    if _states_a_fact(stated, language):
        return MemoryType.SEMANTIC
    if emotion.intensity >= STRONG_INTENSITY and role in {Role.USER, Role.ASSISTANT}:
        return MemoryType.EMOTIONAL
    return MemoryType.EPISODIC


def memory_kind(text: str, language: str) -> MemoryKind:
    """Say what a text is: a note, decision, agreement or problem when it says so, else a message."""
    stated = statements(text[:MOST_READ])
    for kind in _KINDS:
        if _says(kind.value, stated, language):
            return kind
    return MemoryKind.MESSAGE


def _says(name: str, stated: Iterable[str], language: str) -> bool:
    patterns = load_classes()[name].get(language, ())
    return any(pattern.fits(sentence) for sentence in stated for pattern in patterns)


def _states_a_fact(stated: Sequence[str], language: str) -> bool:
    said = (sentence for sentence in stated if _says("semantic", (sentence,), language))
    return any(not _says("tied_to_a_day", (sentence,), language) for sentence in said)


def _has_steps(text: str) -> bool:
    """Say whether a text numbers its steps from 1 on."""
    numbers = [int(match[1]) for match in _STEP.finditer(text)]
    return numbers[:2] == [1, 2]
