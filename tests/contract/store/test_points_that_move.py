"""A memory has its point in the collection of one model, whoever stops in the middle, in whatever order."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from uuid import UUID

import pytest
from tests.contract.store.stores import MODEL, Stores

from ricordo.index.port import Point, Scope
from ricordo.index.qdrant.edge import EdgeVectorIndex
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.database import Database
from ricordo.store.lifecycle_store import Access
from ricordo.store.reprocessing import ReembeddingStore
from ricordo.testing.factories import DIMENSIONS, at, new_message
from ricordo_services.embedding.projection import Projection

pytestmark = pytest.mark.integration

NEW = "model-b"
PRESENT = Scope(user_id="u-1")
EVERYTHING = Scope(user_id="u-1", include_archived=True, include_uninformative=True)
Happening = Callable[[], Awaitable[object]]


class Stopped(Exception):
    """The worker ends here."""


class Interrupted(EdgeVectorIndex):
    """Qdrant's engine, beside which something happens just before points are written, and withdrawn."""

    before_write: Happening | None = None
    before_delete: Happening | None = None
    deletions = 0

    async def upsert(self, tenant: str, model: str, points: Sequence[Point]) -> None:
        before, self.before_write = self.before_write, None
        if before is not None:
            await before()
        await super().upsert(tenant, model, points)

    async def delete(self, tenant: str, model: str, ids: Sequence[UUID]) -> None:
        before, self.before_delete = self.before_delete, None
        self.deletions += 1
        if before is not None:
            await before()
        await super().delete(tenant, model, ids)


@pytest.fixture
async def vectors(tmp_path: Path) -> AsyncIterator[Interrupted]:
    index = Interrupted(tmp_path)
    for model in (MODEL, NEW):
        await index.prepare(model, DIMENSIONS)
    yield index
    await index.close()


@pytest.fixture
async def projection(stores: Stores, vectors: Interrupted) -> AsyncIterator[Projection]:
    """Yield a projection after the change of the model, over one memory that was there before."""
    await stores.record(new_message("m-1", tenant=stores.tenant, importance=0.1))
    await stores.encode("m-1")
    async with CpuExecutor() as beside:
        before = Projection(stores.indexing, vectors, (MODEL,), beside)
        await before.project(stores.tenant, [stores.id("m-1")])
        assert vectors.deletions == 0, "with one model nothing is withdrawn"
        yield Projection(stores.indexing, vectors, (NEW, MODEL), beside)


async def places(vectors: Interrupted, stores: Stores, scope: Scope = PRESENT) -> list[str]:
    """Return in which collections the memory has a point."""
    return [model for model in (MODEL, NEW) if await vectors.count(stores.tenant, model, scope)]


async def test_a_memory_moves_once_it_has_a_vector_of_an_earlier_model(
    stores: Stores, vectors: Interrupted, projection: Projection
) -> None:
    await projection.project(stores.tenant, [stores.id("m-1")])
    assert await places(vectors, stores) == [MODEL]
    await stores.encode("m-1", model=NEW)
    await projection.project(stores.tenant, [stores.id("m-1")])
    assert await places(vectors, stores) == [NEW]


async def test_who_stops_between_the_two_leaves_it_findable_and_is_made_up_for(
    stores: Stores, vectors: Interrupted, projection: Projection
) -> None:
    await stores.encode("m-1", model=NEW)

    async def stop() -> None:
        raise Stopped

    vectors.before_delete = stop
    with pytest.raises(Stopped):
        await projection.project(stores.tenant, [stores.id("m-1")])
    assert await places(vectors, stores) == [MODEL, NEW]
    await projection.project(stores.tenant, [stores.id("m-1")])
    assert await places(vectors, stores) == [NEW]


@pytest.mark.parametrize("released", [False, True])
async def test_of_two_writers_the_one_without_the_new_vector_does_not_have_the_last_word(
    database: Database, stores: Stores, vectors: Interrupted, projection: Projection, *, released: bool
) -> None:
    async def moved_meanwhile() -> None:
        await stores.encode("m-1", model=NEW)
        if released:
            await ReembeddingStore(database).release(stores.tenant, NEW, [stores.id("m-1")])
        await projection.project(stores.tenant, [stores.id("m-1")])
        assert await places(vectors, stores) == [NEW]

    vectors.before_write = moved_meanwhile
    await projection.project(stores.tenant, [stores.id("m-1")])
    assert await places(vectors, stores) == [NEW]


async def test_what_has_yet_to_move_is_filtered_where_it_is(
    stores: Stores, vectors: Interrupted, projection: Projection
) -> None:
    await stores.encode("m-1", model=NEW)
    far = at(60 * 24 * 4000)
    await stores.life.decay(stores.tenant, far, user_id=None, after=None, limit=9, floors=True)
    assert (await stores.memory()).archived_at is not None
    await projection.refilter(stores.tenant, [stores.id("m-1")])
    assert await places(vectors, stores) == []
    assert await places(vectors, stores, EVERYTHING) == [MODEL]
    await stores.life.reinforce(stores.tenant, [Access(UUID(int=1), "u-1", (stores.id("m-1"),), far)])
    await projection.refilter(stores.tenant, [stores.id("m-1")])
    assert await places(vectors, stores) == [MODEL]
