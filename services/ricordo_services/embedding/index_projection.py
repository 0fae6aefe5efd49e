"""The projection: a memory's row becomes its point, in one collection among those of all known models."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from ricordo.index.port import VectorIndex
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.stages import Indexable, IndexingStore
from ricordo_services.embedding.points import facets, point

Put = Callable[[str, str, Sequence[Indexable]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class IndexedMemories:
    """A point: in which model's collection it is, and of which version of its row it was made."""

    model: str
    version: str


@dataclass(frozen=True, slots=True)
class Settled:
    """What has become of the memories that were to be written."""

    written: Mapping[UUID, IndexedMemories]
    waiting: frozenset[UUID]


@dataclass(frozen=True, slots=True)
class Projection:
    """Writes points of rows, in the collection of the first model that each row has a vector of.

    A memory that is encoded by an earlier model than before moves: its point is written first and taken back
    from the later collections then, so that it is found all the while. Whoever is stopped in between is given
    the event again, and takes back what is left.
    """

    indexing: IndexingStore
    vectors: VectorIndex
    models: tuple[str, ...]
    executor: CpuExecutor

    async def project(self, tenant: str, memory_ids: Sequence[UUID]) -> None:
        """Make the points what the rows are now."""
        await self.settle(tenant, memory_ids, await self.write(tenant, memory_ids))

    async def refilter(self, tenant: str, memory_ids: Sequence[UUID]) -> None:
        """Make what points are filtered by what the rows are now: their vectors have not changed."""
        await self.settle(tenant, memory_ids, await self._put(tenant, memory_ids, self._refilter))

    async def write(self, tenant: str, memory_ids: Sequence[UUID]) -> dict[UUID, IndexedMemories]:
        """Write the points of all that have a vector, and return those; `settle` has to follow."""
        return await self._put(tenant, memory_ids, self._upsert)

    async def _put(self, tenant: str, memory_ids: Sequence[UUID], put: Put) -> dict[UUID, IndexedMemories]:
        """Put each memory into the collection of the first model that it has a vector of."""
        written: dict[UUID, IndexedMemories] = {}
        for model in self.models:
            wanted = [one for one in memory_ids if one not in written]
            if not wanted:
                break
            if indexable := await self.indexing.load(tenant, model, wanted):
                await put(tenant, model, indexable)
            written |= {one.memory.id: IndexedMemories(model, one.version) for one in indexable}
        return written

    async def _upsert(self, tenant: str, model: str, indexable: Sequence[Indexable]) -> None:
        await self.vectors.upsert(tenant, model, await self.executor.map(point, indexable))
        await self._withdraw(tenant, [one.memory.id for one in indexable], self._after(model))

    async def _refilter(self, tenant: str, model: str, indexable: Sequence[Indexable]) -> None:
        """Refilter also in later collections: there the point is as long as it has not moved."""
        changed = [facets(one.memory) for one in indexable]
        for each in (model, *self._after(model)):
            await self.vectors.refilter(tenant, each, changed)

    async def settle(
        self, tenant: str, memory_ids: Sequence[UUID], written: Mapping[UUID, IndexedMemories]
    ) -> Settled:
        """Look at the rows again, after the write, until it is the last of each that was written.

        Whatever changes a row while its point is being made loses no race: a point made of a former version,
        which may have come after another worker's of the present one, is written again; one whose row has
        gone is taken back, also when an earlier attempt left it; and one that has a vector of an earlier
        model by now is written there.
        """
        settled, waiting = dict(written), set[UUID]()
        unsure = list(memory_ids)
        while unsure:
            versions = await self._versions(tenant, unsure, settled)
            await self._withdraw(tenant, [one for one in unsure if one not in versions], self.models)
            waiting |= {one for one in unsure if one in versions and one not in settled}
            changed = [one for one in unsure if one in settled and settled[one].version != versions.get(one)]
            changed += await self._overtaken(tenant, settled, set(unsure).difference(changed))
            for one in changed:
                del settled[one]
            unsure = [one for one in changed if one in versions]
            settled |= await self.write(tenant, unsure)
        return Settled(settled, frozenset(waiting))

    async def _versions(
        self, tenant: str, memory_ids: Sequence[UUID], written: Mapping[UUID, IndexedMemories]
    ) -> dict[UUID, str]:
        of_model: dict[str, list[UUID]] = {}
        for one in memory_ids:
            of_model.setdefault(written[one].model if one in written else self.models[0], []).append(one)
        versions: dict[UUID, str] = {}
        for model, ids in of_model.items():
            versions |= await self.indexing.versions(tenant, model, ids)
        return versions

    async def _overtaken(
        self, tenant: str, written: Mapping[UUID, IndexedMemories], memory_ids: set[UUID]
    ) -> list[UUID]:
        """Return those that have a vector of an earlier model than the one they were written by."""
        overtaken: list[UUID] = []
        for place, model in enumerate(self.models[:-1]):
            later = self.models[place + 1 :]
            asked = [one for one in memory_ids if one in written and written[one].model in later]
            if asked:
                overtaken += [one.memory.id for one in await self.indexing.load(tenant, model, asked)]
                memory_ids = memory_ids.difference(overtaken)
        return overtaken

    def _after(self, model: str) -> tuple[str, ...]:
        return self.models[self.models.index(model) + 1 :]

    async def _withdraw(self, tenant: str, gone: Sequence[UUID], models: Sequence[str]) -> None:
        for model in models if gone else ():
            await self.vectors.delete(tenant, model, gone)
