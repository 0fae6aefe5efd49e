"""Compares spellings of names of people, places and things, and selects the one to show."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Self

from ricordo.language.text import with_straight_apostrophes

_EDGES = " \t\n.,;:!?\"'`()[]{}«»“”‘’-_"
StatementKey = tuple[str, str, str]
"""Subject, predicate and object of a statement, normalised."""
LONGEST_KEY: Final = 1_024
"""Bytes of a normalised name or value: 256 letters of four bytes. An index holds 2,700 of a row's key."""


def is_name(name: str) -> bool:
    """Whether that may be the name or the value of anything: not blank, and not without end."""
    return 0 < len(normalise(name).encode()) <= LONGEST_KEY


@lru_cache(maxsize=16_384)
def normalise(name: str) -> str:
    """Return the form under which spellings of `name` are compared.

    Case, accents, the form of apostrophes, control characters and spacing do not count: "  Zoë" and "zoe" are
    one name. A name made of punctuation alone keeps it, so that no name becomes empty unless it was blank.
    """
    spelled = unicodedata.normalize("NFKD", with_straight_apostrophes(name).casefold())  # "🅪" is "MC" now
    decomposed = unicodedata.normalize("NFKD", spelled.casefold())
    kept = "".join(
        " " if unicodedata.category(c) == "Cc" else c for c in decomposed if not unicodedata.combining(c)
    )
    collapsed = " ".join(kept.replace("’", "'").split())
    return collapsed.strip(_EDGES) or collapsed


def statement_key(subject: str, predicate: str, object: str) -> StatementKey:  # noqa: A002 - as on the wire
    """Return the form under which spellings of one statement are compared."""
    return normalise(subject), predicate, normalise(object)


def most_frequent(counts: Mapping[str, int]) -> str:
    """Return the spelling to show: the most frequent, then one with capitals, then the first by code point.

    Args:
        counts: how often each spelling was met.

    Raises:
        ValueError: there is no spelling.
    """
    if not counts:
        raise ValueError("an entity needs at least one spelling")
    return min(counts, key=lambda spelling: (-counts[spelling], spelling.islower(), spelling))


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing that evidence speaks of."""

    key: str
    name: str
    aliases: tuple[str, ...]
    mentions: int

    @classmethod
    def named(cls, key: str, spellings: Mapping[str, int], also: Iterable[str], mentions: int) -> Self:
        """Return the entity by how many messages have each spelling, and what was written in its place."""
        name = most_frequent(spellings)
        return cls(key, name, tuple(sorted({*spellings, *also} - {name})), mentions)
