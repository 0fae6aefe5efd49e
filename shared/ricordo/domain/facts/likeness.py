"""Names that may be one although they begin with other words: "Nico" and "Nicola", "Sara" and "Sarah".

A name is a vector of the three-letter pieces it is made of, so that names which share most of them are near
each other, whatever the language (Cavnar and Trenkle, 1994). Whether two near ones are one, no rule can say.
"""

from collections.abc import Sequence
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

DIMENSIONS: Final = 512
NEAR: Final = 0.6
"""The least cosine of names that may be one."""
_PREFIX: Final = 3
"""Letters of a short form: "Ale" of "Alessandra"."""


def name_vectors(names: Sequence[str]) -> NDArray[np.float32]:
    """Return the vectors of `names` (normalised): float32 [n, 512], unit norm; zero for a blank name."""
    vectors = np.zeros((len(names), DIMENSIONS), dtype=np.float32)
    for row, name in enumerate(names):
        padded = f"  {name} "
        for start in range(len(padded) - 2):
            vectors[row, crc32(padded[start : start + 3].encode()) % DIMENSIONS] += 1
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    norms[norms == 0] = 1
    scaled: NDArray[np.float32] = vectors / norms
    return scaled


def near(name: str, others: Sequence[str]) -> list[str]:
    """Return those of `others` that may be `name`, the nearest first: alike, or a short form of it.

    Args:
        name: a normalised name.
        others: normalised names.
    """
    if not others:
        return []
    cosines = name_vectors(others) @ name_vectors([name])[0]
    order = np.argsort(-cosines, kind="stable")
    return [
        others[n] for n in order if others[n] != name and (cosines[n] >= NEAR or _short_form(name, others[n]))
    ]


def _short_form(one: str, other: str) -> bool:
    """Whether the first word of one begins that of the other."""
    short, full = sorted((one.partition(" ")[0], other.partition(" ")[0]), key=len)
    return len(short) >= _PREFIX and full != short and full.startswith(short)
