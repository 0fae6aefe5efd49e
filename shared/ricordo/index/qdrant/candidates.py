"""One search of the port is two of the engine: candidates by most signals, then all signals of each one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from ricordo.index.port import Hit, Vector
from ricordo.index.qdrant.conditions import TEXT, TEXT_TERMS, WINDOW, WINDOW_TERMS
from ricordo.memory.ranking.bm25 import SparseVector

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

    @property
    def naming(self) -> tuple[str, ...]:
        """Those of them that name candidates: looking through all vectors of a user twice costs the most.

        By meaning, the windows name them, since a window holds its text. One whose predecessor speaks of
        something else at length may be missed, unless its words name it.
        """
        return tuple(name for name in self.signals if name != TEXT)

    def lacking(self, found: Found, limit: int, candidates: int) -> tuple[str, ...]:
        """Return the signals that have not scored all of the candidates.

        One that was asked for `limit` and found fewer has named all: whom it does not know scores 0.
        """
        if not candidates:
            return ()
        return tuple(
            name for name in self.signals if name not in found or limit <= len(found[name]) < candidates
        )

    def dense(self, signal: str) -> Vector | None:
        """The vector to ask `signal` with; None when it is asked with words."""
        return self.vector if signal in {TEXT, WINDOW} else None


def named(found: Found) -> list[UUID]:
    """Return the candidates of all signals, in the order of their ids."""
    return sorted(set[UUID]().union(*found.values()), key=_number)


def hits(ids: Sequence[UUID], found: Found) -> list[Hit]:
    """Put the scores of each candidate together."""
    dense, window, words, window_words = (
        found.get(name, {}) for name in (TEXT, WINDOW, TEXT_TERMS, WINDOW_TERMS)
    )
    return [
        Hit(one, dense.get(one, 0.0), window.get(one, 0.0), words.get(one, 0.0), window_words.get(one, 0.0))
        for one in ids
    ]


def _number(one: UUID) -> int:
    """Order ids as they order themselves, without the cost of comparing objects."""
    return one.int


def unscored(ids: Sequence[UUID]) -> list[Hit]:
    """Return hits of a search by scope alone, in the order given."""
    return [Hit(one, 0.0, 0.0, 0.0, 0.0) for one in ids]
