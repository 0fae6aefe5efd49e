"""Limits and errors of reading documents, and decoding; imports little, as each reader process loads it."""

import codecs
import re
from dataclasses import dataclass
from typing import Final

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# windows-1252, in which the five bytes that it leaves out are what they are in latin-1
_LAST_RESORT: Final = "cp1252"
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MOST_CONTROL: Final = 0.01  # share of the characters


class Unreadable(Exception):
    """A document cannot be read; the text continues a sentence about it."""


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Limits of reading a document.

    Attributes:
        memory_mb: of memory, on Linux.
    """

    seconds: float = 30.0
    memory_mb: int = 1024
    pages: int = 2_000
    characters: int = 2_000_000


def decoded(data: bytes, declared: str | None = None) -> str:
    """Return `data` as text.

    Args:
        declared: the declared character set; ignored if unknown or wrong.

    Raises:
        Unreadable: it is not text.
    """
    marked = [name for mark, name in _MARKS if data.startswith(mark)][:1]
    names = [*marked, *([declared] if declared else []), "utf-8"]
    text = next(filter(None, (_by(data, name) for name in names)), None)
    if text is None:
        text = data.decode(_LAST_RESORT, "replace")
    if len(_CONTROL.findall(text)) > _MOST_CONTROL * len(text):
        raise Unreadable("contains bytes that are not text")
    return text


def _by(data: bytes, name: str) -> str | None:
    try:
        if not codecs.lookup(name)._is_text_encoding:  # noqa: SLF001 - "hex" or "zip" turn bytes into bytes
            return None
        return data.decode(name)
    except (LookupError, ValueError):
        return None
