"""What the emotion heads see of a text besides its vector: hashed words and pieces of words, and its style.

Words, pairs of words, and runs of characters within a word are hashed (feature hashing: Weinberger et al.
2009). Pieces of words carry inflection and misspelling, which Italian has much of.
"""

import math
import re
from collections.abc import Sequence
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ricordo.language.tokenization import WORD_OR_SIGN

STYLE: Final = 10
"""How many numbers `style` gives."""

MOST_READ: Final = 4_000
"""Characters of a text that the heads read: whoever feels something has said it by then."""
_DIGIT = re.compile(r"\d")
_CAPITAL = re.compile("[A-ZÀ-ÖØ-Þ]")
_SHORTEST: Final = 3  # characters of a piece
_BETWEEN: Final = 31  # so that a pair is not its reverse
_LONGEST: Final = 40  # characters of a word that are cut into pieces

Hashes = NDArray[np.intp]


def tokens(text: str) -> list[str]:
    """Return the words and signs of `text`, in lower case, in order."""
    return WORD_OR_SIGN.findall(text[:MOST_READ].lower())


def pieces(token: str, longest: int) -> Hashes:
    """Return the hashes of a word or sign and of its pieces of up to `longest` characters, [k], each once."""
    padded = f" {token[:_LONGEST]} "
    sizes = range(_SHORTEST, longest + 1)
    cut = {padded[at : at + size] for size in sizes for at in range(len(padded) - size + 1)}
    return np.array([_hash(f"1{token}"), *(_hash(f"c{piece}") for piece in cut)], dtype=np.intp)


def pairs(read: Sequence[str]) -> Hashes:
    """Return the hashes of all pairs of neighbouring words and signs, [max(0, words - 1)]."""
    hashed = np.array([crc32(one) for one in _encoded(read)], dtype=np.intp)
    return _BETWEEN * hashed[:-1] + hashed[1:]


def style(text: str, read: Sequence[str]) -> list[float]:
    """Return how `text` is written: `STYLE` numbers, each about 0 to 1.

    Length in characters and in words, marks that exclaim, ask, trail off, quote and separate, digits,
    capitals, and whether it begins small.
    """
    text = text[:MOST_READ]
    size = max(1, len(text))
    return [
        math.log1p(len(text)) / 6,
        math.log1p(len(read)) / 4,
        min(3, text.count("!")) / 3,
        min(3, text.count("?")) / 3,
        float("..." in text or "…" in text),
        min(4, text.count('"')) / 4,
        min(4, text.count(",")) / 4,
        min(1.0, 5 * len(_DIGIT.findall(text)) / size),
        min(1.0, 2 * len(_CAPITAL.findall(text)) / size),
        float(text[:1].islower()),
    ]


def _encoded(read: Sequence[str]) -> list[bytes]:
    """Return words and signs, which hold no blanks, as bytes."""
    return " ".join(read).encode("utf-8", "surrogatepass").split(b" ") if read else []


def _hash(feature: str) -> int:
    return crc32(feature.encode("utf-8", "surrogatepass"))
