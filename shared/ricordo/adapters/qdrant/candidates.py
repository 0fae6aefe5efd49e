"""One search of the port is two of the engine: candidates by each signal, then the scores they still lack."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from ricordo.adapters.qdrant.conditions import TEXT, TEXT_TERMS, WINDOW, WINDOW_TERMS
from ricordo.domain.bm25 import SparseVector
from ricordo.ports.vectors import Hit, Vector

Scores = dict[UUID, float]
Found = Mapping[str, Scores]


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

    def dense(self, signal: str) -> Vector | None:
        """The vector to ask `signal` with; None when it is asked with words."""
        return self.vector if signal in {TEXT, WINDOW} else None


def lacking(found: Found, limit: int) -> dict[str, list[UUID]]:
    """Return for each signal the candidates of the others that it has not scored.

    A signal that found fewer than `limit` has named all there are: whom it does not know scores 0.
    """
    ids = sorted({one for scores in found.values() for one in scores})
    wanting = {
        name: [one for one in ids if one not in scores]
        for name, scores in found.items()
        if len(scores) >= limit
    }
    return {name: missing for name, missing in wanting.items() if missing}


def hits(found: Found, more: Found) -> list[Hit]:
    """Put the scores of each candidate together, in the order of their ids."""
    dense, window, words, window_words = (
        {**found.get(name, {}), **more.get(name, {})} for name in (TEXT, WINDOW, TEXT_TERMS, WINDOW_TERMS)
    )
    return [
        Hit(
            id=one,
            dense=dense.get(one, 0.0),
            dense_window=window.get(one, 0.0),
            bm25=words.get(one, 0.0),
            bm25_window=window_words.get(one, 0.0),
        )
        for one in sorted({one for scores in found.values() for one in scores})
    ]


def unscored(ids: Sequence[UUID]) -> list[Hit]:
    """Return hits of a search by scope alone, in the order given."""
    return [Hit(one, 0.0, 0.0, 0.0, 0.0) for one in ids]
