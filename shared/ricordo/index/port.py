"""The port of the vector index: a projection of memories, written by one worker and read by retrieval."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ricordo.language.annotations import EventTime
from ricordo.memory.ranking.bm25 import SparseVector
from ricordo.unavailable import DependencyUnavailable

Vector = NDArray[np.float32]


class IndexUnavailable(DependencyUnavailable):
    """The index does not answer: a transient failure."""

    server = "the vector index"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """The fields that memories are filtered by."""

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
    """A memory in the index.

    Attributes:
        text_vector, window_vector: float32 [dimensions], unit norm: of the text alone, and with its
            predecessor; None for a text that is found by its words alone.
        text_terms, window_terms: the words of the same.
    """

    facets: Facets
    text_vector: Vector | None
    window_vector: Vector | None
    text_terms: SparseVector
    window_terms: SparseVector

    @property
    def id(self) -> UUID:
        """Id of the memory."""
        return self.facets.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Filter of a search. All conditions hold; within a tuple any value matches, case-folded.

    Attributes:
        about: names of a participant or a topic.
        ids: of memories; None for any.
        start, end: a half-open range that contains a memory's creation, or one of its event times entirely.
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
    ids: Sequence[UUID] | None = None
    above_valence: float | None = None
    below_valence: float | None = None
    min_importance: float | None = None
    include_archived: bool = False
    include_uninformative: bool = False


class Hit(NamedTuple):
    """A candidate with its scores; 0 where it was not compared.

    Attributes:
        dense, dense_window: cosine with the query in [-1, 1], to three digits, of the text and of the window.
        bm25, bm25_window: BM25 with the user's own document frequencies, >= 0.
    """

    id: UUID
    dense: float = 0.0
    dense_window: float = 0.0
    bm25: float = 0.0
    bm25_window: float = 0.0


class Neighbour(NamedTuple):
    """A memory near another one, with the cosine of their text vectors, within 0.001."""

    id: UUID
    cosine: float


class VectorIndex(Protocol):
    """Points of memories, one collection per embedding model."""

    async def prepare(self, model: str, dimensions: int) -> None:
        """Create the collection of `model` and its payload indexes if missing.

        Raises:
            IndexUnavailable: the index cannot be opened, or has vectors of other dimensions.
        """

    async def upsert(self, tenant: str, model: str, points: Sequence[Point]) -> None:
        """Write `points`, replacing those of the same ids.

        Raises:
            IndexUnavailable: some may not have been written; repeat all.
        """

    async def refilter(self, tenant: str, model: str, facets: Sequence[Facets]) -> None:
        """Replace the facets of existing points; their vectors stay.

        Raises:
            IndexUnavailable: some may not have been written; repeat all.
        """

    async def delete(self, tenant: str, model: str, ids: Sequence[UUID]) -> None:
        """Remove points of the tenant; unknown ids are ignored."""

    async def search(
        self, tenant: str, model: str, scope: Scope, *, vector: Vector | None, terms: SparseVector, limit: int
    ) -> Sequence[Hit]:
        """Find candidates by window vector, words of the text and words of the window, with all scores.

        Args:
            vector: float32 [dimensions], unit norm; None searches by terms only.
            terms: the query's terms, each of weight 1; empty searches by vector only. With neither, the
                latest memories in scope are returned.
            limit: candidates per signal, >= 1.
        """

    async def neighbours(
        self, tenant: str, model: str, user_id: str, ids: Sequence[UUID], *, limit: int, threshold: float
    ) -> Mapping[UUID, Sequence[Neighbour]]:
        """Return the nearest memories of each of some, by the cosine of their texts, nearest first.

        Both are informative memories of the user outside of the archive; of `ids`, others are left out.

        Args:
            limit: neighbours of each, >= 1.
            threshold: the least cosine, in (0, 1].
        """

    async def rarities(
        self, tenant: str, model: str, user_id: str, terms: SparseVector
    ) -> Mapping[int, float]:
        """Return the inverse document frequency (>= 0) of terms over the texts of a user's memories.

        Args:
            terms: each of weight 1; terms of no memory are left out of the result.
        """

    async def present_terms(
        self, tenant: str, model: str, user_id: str, terms: Sequence[int]
    ) -> Collection[int]:
        """Return those terms that an informative memory of the user contains, archived ones included."""

    async def count(self, tenant: str, model: str, scope: Scope) -> int:
        """Count the points in `scope`."""

    async def close(self) -> None:
        """Flush to disk and release."""
