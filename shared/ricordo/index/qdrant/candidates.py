"""A search in two steps: candidates by most signals, then all signals of each candidate."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from ricordo.index.port import Hit, Neighbour, Vector
from ricordo.index.qdrant.conditions import TEXT, TEXT_TERMS, WINDOW, WINDOW_TERMS
from ricordo.memory.ranking.bm25 import SparseVector

COMPARED_AT_ONCE: Final = 4
"""Memories whose neighbours are searched together: some three milliseconds each with 100,000 memories."""

Scores = dict[UUID, float]
Found = Mapping[str, Scores]


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """A vector, words, both or neither."""

    vector: Vector | None
    terms: SparseVector

    @property
    def signals(self) -> tuple[str, ...]:
        """The named vectors that can be searched."""
        dense = (TEXT, WINDOW) if self.vector is not None else ()
        sparse = (TEXT_TERMS, WINDOW_TERMS) if len(self.terms.indices) else ()
        return dense + sparse

    @property
    def naming(self) -> tuple[str, ...]:
        """Signals that select candidates, without the text vector: searching vectors costs most.

        The window contains the text. A memory whose predecessor is long and about something else may be
        missed, unless its words select it.
        """
        return tuple(name for name in self.signals if name != TEXT)

    def lacking(self, found: Found, limit: int, candidates: int) -> tuple[str, ...]:
        """Return the signals that have not scored all candidates.

        A signal that returned fewer than `limit` has scored all: the others score 0.
        """
        if not candidates:
            return ()
        return tuple(
            name for name in self.signals if name not in found or limit <= len(found[name]) < candidates
        )

    def dense(self, signal: str) -> Vector | None:
        """Return the vector for `signal`; None for a signal of words."""
        return self.vector if signal in {TEXT, WINDOW} else None


def named(found: Found) -> list[UUID]:
    """Return the candidates of all signals, sorted by id."""
    return sorted(set[UUID]().union(*found.values()), key=lambda item: item.int)  # faster than comparing them


def hits(ids: Sequence[UUID], found: Found) -> list[Hit]:
    """Combine the scores of each candidate."""
    scores = [found.get(name, {}) for name in (TEXT, WINDOW, TEXT_TERMS, WINDOW_TERMS)]
    return list(map(Hit, ids, *([one.get(item, 0.0) for item in ids] for one in scores)))


def idf_of(found: Any, term: int) -> float:  # noqa: ANN401 - a scored point of the server or of the engine
    """Return the IDF of a term: the score of a memory for the term alone, divided by its weight there."""
    words = found.vector[TEXT_TERMS]
    return float(found.score / words.values[words.indices.index(term)])


def others(memory_id: UUID, scores: Iterable[tuple[UUID, float]], limit: int) -> list[Neighbour]:
    """Return the neighbours of a memory, without itself, which equal texts may have pushed out."""
    near = [Neighbour(other, cosine) for other, cosine in scores if other != memory_id][:limit]
    return sorted(near, key=lambda neighbour: (-neighbour.cosine, neighbour.id))
