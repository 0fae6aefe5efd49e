"""Names that may be one although they begin with other words: "Nico" and "Nicola", "Sara" and "Sarah".

A name is a vector of the three-letter pieces it is made of, so that names which share most of them are near
each other, whatever the language (Cavnar and Trenkle, 1994). Whether two near ones are one, no rule can say.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

DIMENSIONS: Final = 512
NEAR: Final = 0.6
"""The least cosine of names that may be one."""
_PREFIX: Final = 3
"""Letters of a short form: "Ale" of "Alessandra"."""
_LONG: Final = 6
"""Letters of a name in which two may be mistyped."""


def name_vectors(names: Sequence[str]) -> NDArray[np.float32]:
    """Return the vectors of `names` (normalised): float32 [n, 512], unit norm; zero for a blank name."""
    vectors = np.zeros((len(names), DIMENSIONS), dtype=np.float32)
    pieces = [_pieces(name) for name in names]
    places = [row * DIMENSIONS + piece for row, each in enumerate(pieces) for piece in each]
    np.add.at(vectors.reshape(-1), np.asarray(places, dtype=np.intp), 1)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    norms[norms == 0] = 1
    scaled: NDArray[np.float32] = vectors / norms
    return scaled


def misspelled(name: str, other: str) -> bool:
    """Whether one of two names (normalised) may be the other, mistyped.

    One letter is missing, too many, another, or two have changed places (Damerau, 1964); of names of six
    letters and more, that may have happened twice.
    """
    most = 1 if min(len(name), len(other)) < _LONG else 2
    if name == other or abs(len(name) - len(other)) > most:
        return False
    before: list[int] = []
    last = list(range(len(other) + 1))
    for here, letter in enumerate(name, 1):
        row = [here]
        for there, another in enumerate(other, 1):
            cost = min(last[there] + 1, row[-1] + 1, last[there - 1] + (letter != another))
            if here > 1 and there > 1 and (letter, name[here - 2]) == (other[there - 2], another):
                cost = min(cost, before[there - 2] + 1)
            row.append(cost)
        before, last = last, row
        if min(before, default=0) > most and min(last) > most:
            return False
    return last[-1] <= most


class Likeness:
    """Finds who of many may be meant by another name.

    Args:
        names: normalised.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._vectors = name_vectors(names)
        self._by_word: defaultdict[str, set[int]] = defaultdict(set)
        self._by_beginning: defaultdict[str, set[int]] = defaultdict(set)
        for place, name in enumerate(names):
            word = name.partition(" ")[0]
            self._by_word[word].add(place)
            for length in range(_PREFIX, len(word)):
                self._by_beginning[word[:length]].add(place)

    def near(self, name: str) -> list[int]:
        """Return the places of those that may be `name` (normalised), the nearest first.

        They are alike, or one is a short form of the other; none is the very name.
        """
        if not self._names:
            return []
        cosines = self._vectors @ name_vectors([name])[0]
        found = set(np.flatnonzero(cosines >= NEAR).tolist()) | self._short_forms(name.partition(" ")[0])
        return sorted(
            (place for place in found if self._names[place] != name),
            key=lambda place: (-float(cosines[place]), place),
        )

    def _short_forms(self, word: str) -> set[int]:
        """Return those whose first word begins with `word`, or is the beginning of it."""
        longer = self._by_beginning.get(word, set()) if len(word) >= _PREFIX else set()
        shorter = (self._by_word.get(word[:length], set()) for length in range(_PREFIX, len(word)))
        return longer.union(*shorter)


@lru_cache(maxsize=16_384)
def _pieces(name: str) -> tuple[int, ...]:
    """Return the dimensions of the three-letter pieces of a name; none of a blank one."""
    if not name.strip():
        return ()
    padded = f"  {name} "
    return tuple(crc32(padded[start : start + 3].encode()) % DIMENSIONS for start in range(len(padded) - 2))
