"""Projects rows of memories to points, each in the collection of one of the known models."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from ricordo.index.port import VectorIndex
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.stages import Indexable, IndexingStore
from ricordo_services.embedding.points import facets, point

Put = Callable[[str, str, Sequence[Indexable]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class WrittenPoint:
    """A written point: the model of its collection, and the version of its row."""

    model: str
    version: str


@dataclass(frozen=True, slots=True)
class Settled:
    """The written points, and the memories without a vector."""

    written: Mapping[UUID, WrittenPoint]
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
        await self.settle(tenant, memory_ids, await self._put(tenant, memory_ids, self._refilter))

    async def write(self, tenant: str, memory_ids: Sequence[UUID]) -> dict[UUID, WrittenPoint]:
        """Write the points of all that have a vector, and return those; `settle` has to follow."""
        return await self._put(tenant, memory_ids, self._upsert)

    async def _put(self, tenant: str, memory_ids: Sequence[UUID], put: Put) -> dict[UUID, WrittenPoint]:
        """Put each memory into the collection of the first model that it has a vector of."""
        written: dict[UUID, WrittenPoint] = {}
        for model in self.models:
            wanted = [one for one in memory_ids if one not in written]
            if not wanted:
                break
            if indexable := await self.indexing.load(tenant, model, wanted):
                await put(tenant, model, indexable)
            written |= {one.memory.id: WrittenPoint(model, one.version) for one in indexable}
        return written

    async def _upsert(self, tenant: str, model: str, indexable: Sequence[Indexable]) -> None:
        await self.vectors.upsert(tenant, model, await self.executor.map(point, indexable))
        await self._delete(tenant, [one.memory.id for one in indexable], self._later_models(model))

    async def _refilter(self, tenant: str, model: str, indexable: Sequence[Indexable]) -> None:
        """Refilter also in later collections: there the point is as long as it has not moved."""
        changed = [facets(one.memory) for one in indexable]
        for each in (model, *self._later_models(model)):
            await self.vectors.refilter(tenant, each, changed)

    async def settle(
        self, tenant: str, memory_ids: Sequence[UUID], written: Mapping[UUID, WrittenPoint]
    ) -> Settled:
        """Repeat the write until the points match the current versions of the rows.

        Rows may change meanwhile: a point of a former version, which may have overwritten that of the current
        one, is written again; one without a row is deleted, also if an earlier attempt left it; and one that
        has a vector of an earlier model by now is written there.
        """
        settled, waiting = dict(written), set[UUID]()
        unsure = list(memory_ids)
        while unsure:
            versions = await self._versions(tenant, unsure, settled)
            await self._delete(tenant, [one for one in unsure if one not in versions], self.models)
            waiting |= {one for one in unsure if one in versions and one not in settled}
            changed = [one for one in unsure if one in settled and settled[one].version != versions.get(one)]
            changed += await self._with_earlier_model(tenant, settled, set(unsure).difference(changed))
            for one in changed:
                del settled[one]
            unsure = [one for one in changed if one in versions]
            settled |= await self.write(tenant, unsure)
        return Settled(settled, frozenset(waiting))

    async def _versions(
        self, tenant: str, memory_ids: Sequence[UUID], written: Mapping[UUID, WrittenPoint]
    ) -> dict[UUID, str]:
        of_model: dict[str, list[UUID]] = {}
        for one in memory_ids:
            of_model.setdefault(written[one].model if one in written else self.models[0], []).append(one)
        versions: dict[UUID, str] = {}
        for model, ids in of_model.items():
            versions |= await self.indexing.versions(tenant, model, ids)
        return versions

    async def _with_earlier_model(
        self, tenant: str, written: Mapping[UUID, WrittenPoint], memory_ids: set[UUID]
    ) -> list[UUID]:
        """Return the memories that have a vector of an earlier model than that of their point."""
        overtaken: list[UUID] = []
        for place, model in enumerate(self.models[:-1]):
            later = self.models[place + 1 :]
            asked = [one for one in memory_ids if one in written and written[one].model in later]
            if asked:
                overtaken += [one.memory.id for one in await self.indexing.load(tenant, model, asked)]
                memory_ids = memory_ids.difference(overtaken)
        return overtaken

    def _later_models(self, model: str) -> tuple[str, ...]:
        return self.models[self.models.index(model) + 1 :]

    async def _delete(self, tenant: str, gone: Sequence[UUID], models: Sequence[str]) -> None:
        for model in models if gone else ():
            await self.vectors.delete(tenant, model, gone)
