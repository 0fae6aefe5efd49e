"""What a context tells, line by line: safe inside a recalled span, and short where it is long."""

import json
import re
from typing import Final

from ricordo.domain.context.lexicon import phrase
from ricordo.domain.instructions import marked
from ricordo.domain.memory import Memory, MemoryKind
from ricordo.domain.recalled import escape_recalled
from ricordo.domain.text import excerpt
from ricordo.domain.working import NAME_LENGTH, SpokenTurn, as_name

NOTE_LENGTH: Final = 200
_MOST_READ: Final = 2_000  # characters of what is shown in a line of its own
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SEEN = re.compile(r"[^\s\x00-\x1f\x7f-\x9f]")
_BREAK = re.compile(r"[ \t]*[\r\n\u2028\u2029]\s*")
_INDENTED: Final = "\n  "
_MADE_HERE: Final = frozenset(
    {MemoryKind.SUMMARY, MemoryKind.SYNTHESIS, MemoryKind.REFLECTION, MemoryKind.EXTRACT}
)


def safe(text: str) -> str:
    """Make `text` fit to stand inside a span: without its own tags, and without control characters."""
    # A tag with a control character in it becomes one with a space in it: escaped last.
    return escape_recalled(_CONTROL.sub(" ", text))


def is_blank(text: str) -> bool:
    """Whether nothing of `text` would be seen."""
    return _SEEN.search(text) is None


CLOSING: Final = "</recalled>"


def opening(name: str) -> str:
    """Return the opening tag of a span."""
    return f'<recalled id="{name}">'


def turn_line(turn: SpokenTurn, told: str, language: str) -> str:
    """Say who said what; a line break within is indented, so that nobody's words look like another's."""
    who = as_name(turn.speaker) or phrase(language, turn.role)
    said = marked(_indented(told), language)
    return safe(f"{who}: {said}")


def decision_line(turn: SpokenTurn, language: str) -> str:
    """Say what was decided, and by whom."""
    who = as_name(turn.speaker) or phrase(language, turn.role)
    told = marked(excerpt(turn.content[:_MOST_READ], NOTE_LENGTH), language)
    return safe(f"- {phrase(language, 'decided', who=who, what=told)}")


def memory_block(memory: Memory, told: str, language: str) -> str:
    """Say a memory: when, who or in which document, and what is told of it, inside its span."""
    made = phrase(language, memory.kind.value) if memory.kind in _MADE_HERE else ""
    document = _name(memory.title) if memory.kind is MemoryKind.EXTRACT else ""
    who = document or as_name(memory.speaker) or made or phrase(language, memory.role.value)
    inner = safe(f"{memory.date.isoformat()}, {who}: {marked(_indented(told), language)}")
    return f"{opening(str(memory.id))}{inner}{CLOSING}"


def note_line(key: str, value: object) -> str:
    """Say a value that the bot set."""
    told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return safe(f"- {_name(key)}: {excerpt(told[:_MOST_READ], NOTE_LENGTH)}")


def _indented(told: str) -> str:
    return _BREAK.sub(_INDENTED, told.strip())


def _name(text: str) -> str:
    return excerpt(text[:_MOST_READ], NAME_LENGTH) if text else ""
