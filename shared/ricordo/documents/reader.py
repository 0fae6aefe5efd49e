"""Documents are read into text.

This module is loaded by the process that reads a document, for each anew: it imports next to nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ricordo.memory.documents import DocumentPart


class Unreadable(Exception):
    """A document cannot be read, now or later; the text says why, as the rest of a sentence about it."""


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What reading a document may take.

    Attributes:
        seconds: of time.
        memory_mb: of memory, where the operating system can tell.
        pages: of a document that has pages.
        characters: of text that is read, in all.
    """

    seconds: float = 30.0
    memory_mb: int = 1024
    pages: int = 2_000
    characters: int = 2_000_000


class DocumentReader(Protocol):
    """Reads documents into text."""

    async def read(self, name: str, media_type: str, data: bytes) -> Sequence[DocumentPart]:
        """Return what is read, at least one part with text in it.

        Raises:
            Unreadable: nobody can read it, it is broken or encrypted, holds no text, or takes too much.
        """
        ...
