"""Projects rows of memories to points, each in the collection of one of the known models."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Final
from uuid import UUID

import numpy as np

from ricordo.index.port import Facets, Point, VectorIndex
from ricordo.language.text import name_key
from ricordo.language.topics import topic_keys
from ricordo.memory.ranking.bm25 import terms, window_terms
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.rows import Vector
from ricordo.store.stages import Indexable, IndexingStore

_PREDECESSOR_SHARE: Final = 0.5  # what the turn before adds to the window vector

Put = Callable[[str, str, Sequence[Indexable]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Settled:
    """The memories whose points are written, and those without a vector."""

    written: Mapping[UUID, Indexable]
    waiting: frozenset[UUID]


@dataclass(frozen=True, slots=True)
class Projection:
    """Writes points of rows, in the collection of the first model that each row has a vector of.

    A memory that gets a vector of an earlier model moves: its point is written before it is deleted from
    later collections, so that it can always be found. After an interruption the redelivered event deletes
    the rest.
    """

    indexing: IndexingStore
    vectors: VectorIndex
    models: tuple[str, ...]
    executor: CpuExecutor

    async def project(self, tenant: str, memory_ids: Sequence[UUID]) -> None:
        """Write the points of the current rows."""
        await self.settle(tenant, memory_ids, await self.write(tenant, memory_ids))

    async def refilter(self, tenant: str, memory_ids: Sequence[UUID]) -> None:
        """Update the filter fields of points from the current rows; their vectors are unchanged."""
        if memory_ids:
            found = await self.indexing.load(tenant, self.models, memory_ids, with_vectors=False)
            await self.settle(tenant, memory_ids, await self._put(tenant, found, self._refilter))

    async def write(self, tenant: str, memory_ids: Sequence[UUID]) -> dict[UUID, Indexable]:
        """Write the points of all that have a vector, and return those; `settle` has to follow."""
        if not memory_ids:
            return {}
        found = await self.indexing.load(tenant, self.models, memory_ids)
        return await self._put(tenant, found, self._upsert)

    async def _put(self, tenant: str, found: Sequence[Indexable], put: Put) -> dict[UUID, Indexable]:
        for model, of_model in groupby(sorted(found, key=attrgetter("model")), key=attrgetter("model")):
            await put(tenant, model, list(of_model))
        return {one.memory_id: one for one in found}

    async def _upsert(self, tenant: str, model: str, indexable: Sequence[Indexable]) -> None:
        await self.vectors.upsert(tenant, model, await self.executor.map(point, indexable))
        await self._delete(tenant, [one.memory_id for one in indexable], self._later_models(model))

    async def _refilter(self, tenant: str, model: str, indexable: Sequence[Indexable]) -> None:
        """Refilter also in later collections: there the point is as long as it has not moved."""
        changed = list(map(facets, indexable))
        for each in (model, *self._later_models(model)):
            await self.vectors.refilter(tenant, each, changed)

    async def settle(
        self, tenant: str, memory_ids: Sequence[UUID], written: Mapping[UUID, Indexable]
    ) -> Settled:
        """Repeat the write until the points match the current versions of the rows.

        Rows may change meanwhile: a point of a former version, which may have overwritten that of the current
        one, is written again; one without a row is deleted, also if an earlier attempt left it; and one that
        has a vector of an earlier model by now is written there.
        """
        settled, waiting = dict(written), set[UUID]()
        unsure = list(memory_ids)
        while unsure:
            versions = await self.indexing.versions(tenant, self.models, unsure)
            await self._delete(tenant, [one for one in unsure if one not in versions], self.models)
            waiting |= {one for one in unsure if one in versions and one not in settled}
            changed = [one for one in unsure if one in settled and settled[one].version != versions.get(one)]
            for one in changed:
                del settled[one]
            unsure = [one for one in changed if one in versions]
            settled |= await self.write(tenant, unsure)
        return Settled(settled, frozenset(waiting))

    def _later_models(self, model: str) -> tuple[str, ...]:
        return self.models[self.models.index(model) + 1 :]

    async def _delete(self, tenant: str, gone: Sequence[UUID], models: Sequence[str]) -> None:
        for model in models if gone else ():
            await self.vectors.delete(tenant, model, gone)


def point(one: Indexable) -> Point:
    """Return the point of a memory that was loaded with its vectors; a refused text has words alone."""
    before = (one.preceding_text, one.preceding_language)
    here = (one.content, one.language)
    return Point(
        facets=facets(one),
        text_vector=one.vector,
        window_vector=None if one.vector is None else window_vector(one.vector, one.preceding_vector),
        text_terms=terms(*here),
        window_terms=window_terms([before, here] if one.preceding_text else [here]),
    )


def facets(one: Indexable) -> Facets:
    """Return the filter fields of a memory, people and topics by their keys."""
    return replace(
        one.facets,
        participants=tuple(map(name_key, one.facets.participants)),
        topics=tuple(sorted({key for topic in one.facets.topics for key in topic_keys(topic, one.language)})),
    )


def window_vector(vector: Vector, preceding: Vector | None) -> Vector:
    """Return the vector of a text in the light of the one before it: normalise(v + 0.5 · v_before).

    Args:
        vector: float32 [d], unit norm.
        preceding: the same of the text before it; None for the first of its conversation.

    Returns:
        float32 [d], unit norm.
    """
    if preceding is None:
        return vector
    both = vector + np.float32(_PREDECESSOR_SHARE) * preceding
    norm = float(np.linalg.norm(both))
    return (both / norm).astype(np.float32) if norm > 0 else vector
