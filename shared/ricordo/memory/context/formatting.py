"""Formats what people said, and the notices of a context, as escaped lines."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from ricordo.language.annotations import MemoryKind
from ricordo.language.text import excerpt
from ricordo.language.unmasking import unmasked
from ricordo.memory.context.material import Material
from ricordo.memory.context.page import CLOSING, OPENING
from ricordo.memory.context.recalled_tags import escape_recalled
from ricordo.memory.context.syntax import counted_phrase, is_imitation, phrase
from ricordo.memory.model import MADE_KINDS, Memory, is_user_statement
from ricordo.memory.spoken_turns import NAME_LENGTH, SpokenTurn, as_name

NOTE_LENGTH: Final = 200
_MOST_READ: Final = 2_000  # characters of what is shown in a line of its own
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SEEN = re.compile(r"[^\s\x00-\x1f\x7f-\x9f]")
# Looking behind keeps it linear: a run of spaces is tried at its beginning only.
_BREAK = re.compile(r"(?<![ \t])[ \t]*+[\r\n\u2028\u2029]\s*+")
_INDENT: Final = "\n  "
_SPEAKER: Final = re.compile(r"\W*\w+(?:[ .'-]+\w+){0,2}\W*:")


def escape_text(text: str) -> str:
    """Escape the tags of a context in `text` and drop control characters."""
    # A tag with a control character in it becomes one with a space in it: escaped last.
    return escape_recalled(_CONTROL.sub(" ", text))


def is_blank(text: str) -> bool:
    """Whether nothing of `text` is visible."""
    return _SEEN.search(text) is None


def escape_lines(text: str) -> str:
    """Escape `text` for a place behind a mark or a name.

    Line breaks are indented; a line that looks like one of the context's own gets a backslash.
    """
    lines = _BREAK.split(_CONTROL.sub(" ", text).strip())
    return escape_recalled(_INDENT.join(f"\\{line}" if is_imitation(line) else line for line in lines))


def starts_with_speaker(text: str) -> bool:
    """Whether `text` begins like the speech of another: "Anna: hello"."""
    return _SPEAKER.match(unmasked(text[:NAME_LENGTH])) is not None


def speaker_label(turn: SpokenTurn, language: str) -> str:
    """Return the name of the speaker, else the role."""
    return escape_text(_own(as_name(turn.speaker)) or phrase(language, turn.role))


def source_label(memory: Memory, language: str) -> str:
    """Return the speaker of a memory, the title of its document, or its kind if it is derived."""
    made = phrase(language, memory.kind.value) if memory.kind in MADE_KINDS else ""
    document = _name(memory.title) if memory.kind is MemoryKind.EXTRACT else ""
    return escape_text(
        _own(document or as_name(memory.speaker)) or made or phrase(language, memory.role.value)
    )


def has_single_speaker(memories: Sequence[Memory]) -> bool:
    """Whether all user statements carry the same name, or none."""
    return len({as_name(memory.speaker) for memory in memories if is_user_statement(memory)}) <= 1


def format_decision(turn: SpokenTurn, language: str) -> str:
    """Format a decision with its speaker."""
    shown = excerpt(turn.content[:_MOST_READ], NOTE_LENGTH)
    return escape_text(phrase(language, "decided", who=speaker_label(turn, language), what=shown))


def format_note(key: str, value: object) -> str:
    """Format a value that the bot set."""
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return escape_lines(f"{_name(key)}: {excerpt(shown[:_MOST_READ], NOTE_LENGTH)}")


def _own(name: str) -> str:
    """Quote a name that looks like a line of the context's own."""
    return f"«{name}»" if is_imitation(name) else name


def _name(text: str) -> str:
    return excerpt(text[:_MOST_READ], NAME_LENGTH) if text else ""


ABOUT_LENGTH: Final = 80
_SIGNS: Final = {"nothing": "∅", "degraded": "?", "omitted": "…"}
"""One-token fallbacks."""


def notices(material: Material, language: str) -> Iterator[list[str]]:
    """Yield the notices, most needed first, each as alternatives from the longest to the shortest."""
    if material.degraded:
        missing = ", ".join(sorted(material.degraded))
        yield [phrase(language, "degraded", missing=missing), phrase(language, "degraded_short")]
    if material.found_nothing:
        about = _about("nothing_about", material, language)
        yield [*about, phrase(language, "nothing"), phrase(language, "nothing_short")]
    elif material.uncertain:
        yield [*_about("uncertain", material, language), phrase(language, "uncertain_short")]
    if material.archived_matches > 0:
        name = "archive_instead" if material.found_nothing else "archive_more"
        count = material.archived_matches
        yield [counted_phrase(language, name, count), phrase(language, "archive_short", count=count)]
    if material.minor > 0:
        yield [counted_phrase(language, "minor", material.minor)]


def _about(name: str, material: Material, language: str) -> Iterator[str]:
    about = material.subject or material.about
    if not is_blank(about):
        yield escape_lines(phrase(language, name, about=excerpt(about[: 2 * ABOUT_LENGTH], ABOUT_LENGTH)))


def minimal_notices(material: Material, language: str) -> Iterator[str]:
    """Yield notices for a tiny budget, longest first, down to a sign of one token.

    All but the last two stand in a tag, so that they are recognised as an echo.
    """
    name = "degraded" if material.degraded else "nothing" if material.found_nothing else "omitted"
    word = phrase(language, f"{name}_word")
    yield f"{OPENING}{phrase(language, f'{name}_short')}{CLOSING}"
    yield f"<recalled {word}/>"
    yield word
    yield _SIGNS[name]
