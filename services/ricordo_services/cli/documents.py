"""JSON Lines as people write them: what is wrong with a line is said so that they find it."""

import json
from typing import Final, TypeVar

from ricordo.messages.base import Message
from ricordo.messages.codec import decode_as
from ricordo.messages.errors import DeadLetterCode, DecodeError

M = TypeVar("M", bound=Message)

_SHOWN: Final = 24  # characters around a fault
_ADVICE: Final = 'each line must hold one whole JSON object, such as {"id": "m-1", ...}'


def read_document(model: type[M], line: bytes) -> M:
    """Read a line as `model`.

    Raises:
        DecodeError: it cannot be; the message says why to a person who wrote it.
    """
    try:
        return decode_as(model, line)
    except DecodeError as error:
        if error.code is not DeadLetterCode.NOT_JSON and error.field is not None:
            raise
        raise DecodeError(error.code, _fault(line), error.field) from None


def is_text(line: bytes) -> bool:
    """Return whether `line` is UTF-8 without the NUL characters of binary files."""
    try:
        return "\x00" not in line.decode()
    except UnicodeDecodeError:
        return False


def _fault(line: bytes) -> str:
    if not is_text(line):
        return "it is not text in UTF-8"
    text = line.decode().strip()
    if not text:
        return f"it is empty: {_ADVICE}"
    if not text.startswith("{"):
        return f"“{_short(text)}” is no JSON object: {_ADVICE}"
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return _misspelt(text, error)
    except (ValueError, RecursionError):
        pass
    return "it holds a number or a nesting that JSON readers refuse"


def _misspelt(text: str, error: json.JSONDecodeError) -> str:
    if error.pos >= len(text):
        return f"it ends within the JSON object: {_ADVICE}"
    if error.msg.startswith("Extra data"):
        return f"something follows the JSON object: “{_short(text[error.pos :])}”; {_ADVICE}"
    if error.msg.startswith("Unterminated string"):
        return f"the text that begins at character {error.pos + 1} has no closing quote"
    return f"it is no JSON from character {error.pos + 1} on: “{_short(text[error.pos :])}”"


def _short(text: str) -> str:
    shown = "".join(char if char.isprintable() else " " for char in text)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
