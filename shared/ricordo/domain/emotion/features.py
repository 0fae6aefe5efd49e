"""What the emotion heads see of a text besides its vector: hashed words and pieces of words, and its style.

Words, pairs of words, and runs of three to five characters within a word are hashed into buckets (feature
hashing: Weinberger et al. 2009). Pieces of words carry inflection and misspelling, which Italian has much of.
"""

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

BUCKETS: Final = 2**15
STYLE: Final = 10
"""How many numbers `style` gives."""

MOST_READ: Final = 4_000
"""Characters of a text that the heads read: whoever feels something has said it by then."""
_TOKEN = re.compile(r"[^\W_]+|[^\w\s]")
_PIECES: Final = (3, 4, 5)  # characters
_LONGEST: Final = 40  # characters of a word that are cut into pieces

Buckets = NDArray[np.intp]
Style = NDArray[np.float32]


def tokens(text: str) -> list[str]:
    """Return the words and signs of `text`, in lower case, in order."""
    return _TOKEN.findall(text[:MOST_READ].lower())


def buckets(read: list[str]) -> Buckets:
    """Return the places of all that `read` consists of: [k], each once, in no order; k may be 0."""
    found: set[int] = set()
    for token in read:
        found.update(pieces(token))
    found.update(_bucket(f"2{one} {other}") for one, other in pairwise(read))
    return np.fromiter(found, dtype=np.intp, count=len(found))


# A text has few words that others have not: what a word consists of is worked out once.
@lru_cache(maxsize=32_768)
def pieces(token: str) -> tuple[int, ...]:
    """Return the places of a word or sign and of its pieces, each once."""
    padded = f" {token[:_LONGEST]} "
    cut = (padded[at : at + size] for size in _PIECES for at in range(len(padded) - size + 1))
    return tuple({_bucket(f"1{token}"), *(_bucket(f"c{piece}") for piece in cut)})


def style(text: str, read: list[str]) -> Style:
    """Return how `text` is written: [STYLE], each about 0 to 1.

    Length in characters and in words, marks that exclaim, ask, trail off, quote and separate, digits,
    capitals, and whether it begins small.
    """
    text = text[:MOST_READ]
    size = max(1, len(text))
    return np.array(
        [
            np.log1p(len(text)) / 6,
            np.log1p(len(read)) / 4,
            min(3, text.count("!")) / 3,
            min(3, text.count("?")) / 3,
            float("..." in text or "…" in text),
            min(4, text.count('"')) / 4,
            min(4, text.count(",")) / 4,
            min(1.0, 5 * sum(map(str.isdigit, text)) / size),
            min(1.0, 2 * sum(map(str.isupper, text)) / size),
            float(text[:1].islower()),
        ],
        dtype=np.float32,
    )


def _bucket(feature: str) -> int:
    return crc32(feature.encode("utf-8", "surrogatepass")) % BUCKETS
