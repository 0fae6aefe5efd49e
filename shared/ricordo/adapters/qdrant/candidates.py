"""One search of the port is several of the engine: candidates by each signal, then all scores of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from ricordo.adapters.qdrant.conditions import TEXT, TEXT_TERMS, WINDOW, WINDOW_TERMS
from ricordo.domain.bm25 import SparseVector
from ricordo.ports.vectors import Hit, Vector

Scores = dict[UUID, float]


@dataclass(frozen=True, slots=True)
class Probe:
    """What is searched with: a vector, words, both or neither."""

    vector: Vector | None
    terms: SparseVector

    @property
    def signals(self) -> tuple[str, ...]:
        """The named vectors that can be asked with what there is."""
        dense = (TEXT, WINDOW) if self.vector is not None else ()
        sparse = (TEXT_TERMS, WINDOW_TERMS) if len(self.terms.indices) else ()
        return dense + sparse

    def dense(self, signal: str) -> list[float] | None:
        """The vector to ask `signal` with; None when it is asked with words."""
        return self.vector.tolist() if self.vector is not None and signal in {TEXT, WINDOW} else None


def union(found: Mapping[str, Scores]) -> list[UUID]:
    """Return the candidates of all signals, each once, in a fixed order."""
    return sorted({one for scores in found.values() for one in scores})


def hits(ids: Sequence[UUID], scores: Mapping[str, Scores]) -> list[Hit]:
    """Put the scores of each candidate together; a signal that does not know it scores 0."""
    dense, window, words, window_words = (
        scores.get(name, {}) for name in (TEXT, WINDOW, TEXT_TERMS, WINDOW_TERMS)
    )
    return [
        Hit(
            id=one,
            dense=dense.get(one, 0.0),
            dense_window=window.get(one, 0.0),
            bm25=words.get(one, 0.0),
            bm25_window=window_words.get(one, 0.0),
        )
        for one in ids
    ]
