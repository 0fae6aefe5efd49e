"""A search in two steps: candidates by most signals, then all signals of each candidate."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from ricordo.index.port import Hit, Vector
from ricordo.index.qdrant.conditions import TEXT, TEXT_TERMS, WINDOW, WINDOW_TERMS
from ricordo.memory.ranking.bm25 import SparseVector

SIMILAR_AT_ONCE: Final = 4
"""Vectors whose similar memories are searched together: some ten milliseconds each with 100,000 memories."""

_FIRST_LIMIT: Final = 256
_LIMIT_GROWTH: Final = 16

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


async def all_similar(
    vectors: Sequence[Vector],
    search: Callable[[Sequence[Vector], int], Awaitable[Sequence[Collection[UUID]]]],
) -> list[Collection[UUID]]:
    """Search by vectors without a limit: with a larger one, as long as as many are found.

    A limit costs time by its size, and nearly all vectors have few similar ones.

    Args:
        search: returns the results for some vectors, at most a number each.
    """
    found: list[Collection[UUID]] = [()] * len(vectors)
    places, limit = list(range(len(vectors))), _FIRST_LIMIT
    while places:
        cut: list[int] = []
        for start in range(0, len(places), SIMILAR_AT_ONCE):
            portion = places[start : start + SIMILAR_AT_ONCE]
            for place, ids in zip(
                portion, await search([vectors[one] for one in portion], limit), strict=True
            ):
                found[place] = ids
                cut += [place] if len(ids) >= limit else []
        places, limit = cut, limit * _LIMIT_GROWTH
    return found
