"""In how many of a user's memories each word stands, counted once and kept while memories come and go.

The engine can count that for each query, by looking at every memory of the user; with tens of thousands of
them it takes longer than the search itself.
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
    """The ids of a memory's words, ascending, none twice in either."""

    text: list[int]
    window: list[int]


class Frequencies:
    """The counts of one user: twelve bytes for each word of texts, and of windows.

    Attributes:
        documents: memories that were counted.
        counted_below: the memories that were counted are those of lower ids; None once all were.
    """

    def __init__(self) -> None:
        self.documents = 0
        self.counted_below: UUID | None = UUID(int=0)
        self._words = np.empty(0, np.uint64)  # ascending
        self._counts = np.empty(0, np.int32)

    def holds(self, one: UUID) -> bool:
        """Whether the memory of this id, if there is one, is among those that were counted."""
        return self.counted_below is None or one < self.counted_below

    def change(self, documents: Sequence[Words], by: int) -> None:
        """Count memories, `by` 1, or take back that they were counted, by -1."""
        words, counts = np.unique(_joined(documents), return_counts=True)
        changes = (by * counts).astype(np.int32)
        at, known = self._places(words)
        self._counts[at[known]] += changes[known]
        if not known.all():
            self._words = np.insert(self._words, at[~known], words[~known])
            self._counts = np.insert(self._counts, at[~known], changes[~known])
        self.documents += by * len(documents)

    def weighed(self, signal: str, terms: SparseVector) -> SparseVector:
        """Multiply terms by their inverse document frequency, and leave out those that no memory holds.

        Args:
            signal: the named vector that is asked, of texts or of windows.
            terms: of the query.
        """
        words = terms.indices + np.uint64(_OF_WINDOWS if signal == WINDOW_TERMS else 0)
        containing = np.zeros(len(words), np.int32)
        at, known = self._places(words)
        containing[known] = self._counts[at[known]]
        held = containing > 0
        rarity = np.array([idf(self.documents, int(one)) for one in containing[held]], np.float32)
        return SparseVector(terms.indices[held], terms.weights[held] * rarity)

    def _places(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return where each word stands or would stand, and whether it does."""
        at = np.searchsorted(self._words, words)
        known = at < len(self._words)
        known[known] = self._words[at[known]] == words[known]
        return at, known


class Spoken(NamedTuple):
    """A memory, as far as counting goes: whose it is, its id, and its words."""

    whose: str
    id: UUID
    words: Words


class Corpora:
    """The counts of those users for whom counting pays, by whose memories they are."""

    def __init__(self) -> None:
        self._of: dict[str, Frequencies] = {}

    def __bool__(self) -> bool:
        return bool(self._of)

    def begun(self, whose: str) -> Frequencies:
        """Return the counts of a user, begun now if they were not."""
        return self._of.setdefault(whose, Frequencies())

    def complete(self, whose: str) -> Frequencies | None:
        """Return the counts of a user once they are of all memories."""
        counted = self._of.get(whose)
        return counted if counted is not None and counted.counted_below is None else None

    def replace(self, before: Sequence[Spoken], after: Sequence[Spoken]) -> None:
        """Count what stands there now in place of what did; who is not counted stays so."""
        self._change([one for one in before if one not in after], -1)
        self._change([one for one in after if one not in before], 1)

    def clear(self) -> None:
        """Forget all counts."""
        self._of.clear()

    def _change(self, memories: Iterable[Spoken], by: int) -> None:
        changed: dict[str, list[Words]] = {}
        for one in memories:
            counted = self._of.get(one.whose)
            if counted is not None and counted.holds(one.id):
                changed.setdefault(one.whose, []).append(one.words)
        for whose, documents in changed.items():
            self._of[whose].change(documents, by)


def _joined(documents: Sequence[Words]) -> NDArray[np.uint64]:
    """Return the words of all documents one after the other, those of windows apart from those of texts."""
    text = np.fromiter(chain.from_iterable(one.text for one in documents), np.uint64)
    window = np.fromiter(chain.from_iterable(one.window for one in documents), np.uint64)
    return np.concatenate((text, window + np.uint64(_OF_WINDOWS)))
