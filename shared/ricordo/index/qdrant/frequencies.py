"""Cached document frequencies of a user's words, updated while memories come and go.

The engine can count them for each query by examining every memory of the user; for tens of thousands of them
that takes longer than the search.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ricordo.index.qdrant.conditions import WINDOW_TERMS
from ricordo.memory.ranking.bm25 import SparseVector, idf

_OF_WINDOWS: Final = 1 << 32  # above every word's id


class Words(NamedTuple):
    """The ids of a memory's words, ascending and unique in both."""

    text: list[int]
    window: list[int]


class Frequencies:
    """The counts of one user: twelve bytes per word of texts, and of windows.

    Attributes:
        documents: number of counted memories.
        counted_below: memories with lower ids are counted; None once all are.
    """

    def __init__(self) -> None:
        self.documents = 0
        self.counted_below: UUID | None = UUID(int=0)
        self._words = np.empty(0, np.uint64)  # ascending
        self._counts = np.empty(0, np.int32)

    def counts(self, item: UUID) -> bool:
        """Return whether the memory with this id, if there is one, is counted."""
        return self.counted_below is None or item < self.counted_below

    def change(self, documents: Sequence[Words], by: int) -> None:
        """Add memories to the counts (`by` 1), or subtract them (-1)."""
        words, counts = np.unique(_joined(documents), return_counts=True)
        changes = (by * counts).astype(np.int32)
        at, known = self._places(words)
        self._counts[at[known]] += changes[known]
        if not known.all():
            self._words = np.insert(self._words, at[~known], words[~known])
            self._counts = np.insert(self._counts, at[~known], changes[~known])
        self.documents += by * len(documents)

    def weighed(self, signal: str, terms: SparseVector) -> SparseVector:
        """Multiply terms by their inverse document frequency, and drop terms of no memory.

        Args:
            signal: the named vector, of texts or of windows.
        """
        words = terms.indices + np.uint64(_OF_WINDOWS if signal == WINDOW_TERMS else 0)
        containing = np.zeros(len(words), np.int32)
        at, known = self._places(words)
        containing[known] = self._counts[at[known]]
        present = containing > 0
        rarity = np.array([idf(self.documents, int(item)) for item in containing[present]], np.float32)
        return SparseVector(terms.indices[present], terms.weights[present] * rarity)

    def _places(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return the position of each word, and whether it is there."""
        at = np.searchsorted(self._words, words)
        known = at < len(self._words)
        known[known] = self._words[at[known]] == words[known]
        return at, known


class CountedMemory(NamedTuple):
    """A memory as it is counted: its owner, id and words."""

    whose: str
    id: UUID
    words: Words


class Corpora:
    """The counts of users by owner."""

    def __init__(self) -> None:
        self._of: dict[str, Frequencies] = {}

    def __bool__(self) -> bool:
        return bool(self._of)

    def begun(self, whose: str) -> Frequencies:
        """Return the counts of a user, created if missing."""
        return self._of.setdefault(whose, Frequencies())

    def complete(self, whose: str) -> Frequencies | None:
        """Return the counts of a user if all memories are counted."""
        counted = self._of.get(whose)
        return counted if counted is not None and counted.counted_below is None else None

    def replace(self, before: Sequence[CountedMemory], after: Sequence[CountedMemory]) -> None:
        """Replace memories in the counts; users without counts are skipped."""
        self._change([item for item in before if item not in after], -1)
        self._change([item for item in after if item not in before], 1)

    def clear(self) -> None:
        """Drop all counts."""
        self._of.clear()

    def _change(self, memories: Iterable[CountedMemory], by: int) -> None:
        changed: dict[str, list[Words]] = {}
        for item in memories:
            counted = self._of.get(item.whose)
            if counted is not None and counted.counts(item.id):
                changed.setdefault(item.whose, []).append(item.words)
        for whose, documents in changed.items():
            self._of[whose].change(documents, by)


def _joined(documents: Sequence[Words]) -> NDArray[np.uint64]:
    """Return the words of all documents in one array, those of windows shifted."""
    text = np.fromiter(chain.from_iterable(item.text for item in documents), np.uint64)
    window = np.fromiter(chain.from_iterable(item.window for item in documents), np.uint64)
    return np.concatenate((text, window + np.uint64(_OF_WINDOWS)))
