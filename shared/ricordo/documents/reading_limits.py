"""Limits and errors of reading documents; imports little, as each reader process loads it."""

from dataclasses import dataclass


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
