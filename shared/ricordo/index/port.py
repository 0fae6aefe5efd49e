"""The vector index as a port: a projection of the memories, written by one worker, read by retrieval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import EventTime
from ricordo.memory.ranking.bm25 import SparseVector
from ricordo.unavailable import Unavailable

Vector = NDArray[np.float32]


class IndexUnavailable(Unavailable):
    """The index cannot be asked now: a transient failure."""

    server = "the vector index"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """What a memory is filtered by: in the index for that, and never shown."""

    id: UUID
    user_id: str
    conversation_id: str
    type: str
    kind: str
    created_at: datetime
    events: tuple[EventTime, ...] = ()
    participants: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    valence: float = 0.0
    importance: float = 0.0
    informative: bool = True
    archived: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A memory as the index holds it.

    Attributes:
        text_vector, window_vector: float32 [dimensions], unit norm: of the text, and with its predecessor.
        text_terms, window_terms: the words of the same.
    """

    facets: Facets
    text_vector: Vector
    window_vector: Vector
    text_terms: SparseVector
    window_terms: SparseVector

    @property
    def id(self) -> UUID:
        """The memory's id."""
        return self.facets.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a search may find. Every given condition holds; within a tuple, any value matches, case-folded.

    Attributes:
        about: what a participant or a topic is called.
        start, end: a half-open range that holds a memory's creation, or the whole of one of its event times.
        above_valence, below_valence: exclusive bounds.
    """

    user_id: str
    start: datetime | None = None
    end: datetime | None = None
    participants: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    conversation_id: str | None = None
    above_valence: float | None = None
    below_valence: float | None = None
    min_importance: float | None = None
    include_archived: bool = False
    include_uninformative: bool = False


class Hit(NamedTuple):
    """A candidate with its scores.

    Attributes:
        dense, dense_window: cosine with the query in [-1, 1], to three digits, of the text and with its
            predecessor.
        bm25, bm25_window: BM25 with the user's own document frequencies, >= 0.
    """

    id: UUID
    dense: float
    dense_window: float
    bm25: float
    bm25_window: float


class VectorIndex(Protocol):
    """Points of memories, one collection per embedding model."""

    async def prepare(self, model: str, dimensions: int) -> None:
        """Create the collection of `model` and its payload indexes where they are missing."""
        ...

    async def upsert(self, tenant: str, model: str, points: Sequence[Point]) -> None:
        """Write `points`, replacing those of the same ids.

        Raises:
            IndexUnavailable: some may not have been written; repeat all.
        """
        ...

    async def refilter(self, tenant: str, model: str, facets: Sequence[Facets]) -> None:
        """Replace what points are filtered by, and leave their vectors; who has no point gets none.

        Raises:
            IndexUnavailable: some may not have been written; repeat all.
        """
        ...

    async def delete(self, tenant: str, model: str, ids: Sequence[UUID]) -> None:
        """Remove points; unknown ids are no error."""
        ...

    async def search(
        self, tenant: str, model: str, scope: Scope, *, vector: Vector | None, terms: SparseVector, limit: int
    ) -> Sequence[Hit]:
        """Find candidates by meaning, by the words of the text and by those of the window; return all scores.

        By meaning it is the window that makes a candidate: the memory's own text, in the light of the turn
        before.

        Args:
            vector: float32 [dimensions], unit norm; None searches by terms only.
            terms: the query's terms, each of weight 1; empty searches by vector only. With neither, the
                scope alone decides, latest first.
            limit: candidates by each of the three, >= 1.
        """
        ...

    async def rarities(
        self, tenant: str, model: str, user_id: str, terms: SparseVector
    ) -> Mapping[int, float]:
        """Return the inverse document frequency of terms over the texts of a user's memories, >= 0.

        Args:
            tenant: whose bot asks.
            model: whose collection it is; every memory has its words in it.
            user_id: whose memories.
            terms: each of weight 1; those that no memory holds are left out of the answer.
        """
        ...

    async def count(self, tenant: str, model: str, scope: Scope) -> int:
        """Count the points in `scope`."""
        ...

    async def close(self) -> None:
        """Flush to disk and release."""
        ...
