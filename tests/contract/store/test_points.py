"""Points follow their rows, whatever happens to the rows while points are written, moved or withdrawn."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from uuid import UUID, uuid4

import pytest
import pytest_asyncio
from tests.contract.store.stores import MODEL, Stores, vector_of
from tests.support.factories import DIMENSIONS, at

from ricordo.clock import SystemClock
from ricordo.index.port import Point, Scope
from ricordo.index.qdrant.edge import EdgeVectorIndex
from ricordo.memory.ranking.bm25 import query_terms
from ricordo.messages.events import MemoryEnriched
from ricordo.runtime.handling import Done, Envelope, Outcome, Retry
from ricordo.store.reprocessing import ReembeddingStore
from ricordo_services.embedding.index_handlers import IndexHandler
from ricordo_services.embedding.index_projection import Projection, window_vector

NEW = "model-b"
FAR = at(60 * 24 * 4000)
PRESENT = Scope(user_id="u-1")
EVERYTHING = Scope(user_id="u-1", include_archived=True, include_uninformative=True)
NO_WORDS = query_terms("", ["en"])


class Stopped(Exception):
    """The worker ends here."""


class InterruptedIndex(EdgeVectorIndex):
    """Qdrant's engine; `happenings` run once, before or after a write, or before a deletion."""

    happenings: dict[str, Callable[[], Awaitable[object]]]
    deletions = 0

    async def _happen(self, moment: str) -> None:
        if (happening := self.happenings.pop(moment, None)) is not None:
            await happening()

    async def upsert(self, tenant: str, model: str, points: Sequence[Point]) -> None:
        after = self.happenings.pop("after", None)
        await self._happen("before")
        await super().upsert(tenant, model, points)
        if after is not None:
            await after()

    async def delete(self, tenant: str, model: str, ids: Sequence[UUID]) -> None:
        self.deletions += 1
        await self._happen("delete")
        await super().delete(tenant, model, ids)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[InterruptedIndex]:
    index = InterruptedIndex(tmp_path_factory.mktemp("points"))
    for model in (MODEL, NEW):
        await index.prepare(model, DIMENSIONS)
    yield index
    await index.close()


@pytest.fixture
def points(engine: InterruptedIndex) -> InterruptedIndex:
    """Return the engine of all tests, to which nothing happens yet; each test has a tenant of its own."""
    engine.happenings, engine.deletions = {}, 0
    return engine


@pytest.fixture
def index(stores: Stores, points: InterruptedIndex) -> IndexHandler:
    projection = Projection(stores.indexing, points, (MODEL,), stores.executor)
    return IndexHandler(projection, stores.indexing, SystemClock())


async def _indexed(index: IndexHandler, stores: Stores, message_id: str) -> Outcome:
    body = MemoryEnriched(
        user_id="u-1",
        conversation_id="c-1",
        message_id=message_id,
        memory_id=stores.id(message_id),
        version="1",
    )
    event = Envelope(stores.tenant, uuid4(), "memory.enriched", body, attempt=1, trace=None, at=at(0))
    (outcome,) = await index(stores.tenant, [event])
    return outcome


async def _say(stores: Stores, message_id: str, minute: float, **fields: float) -> None:
    await stores.record(stores.message(message_id, minute=minute, **fields))
    await stores.encode(message_id)


async def _cosine(points: InterruptedIndex, stores: Stores, message_id: str, before: str | None) -> float:
    """Return the cosine of a point's window vector with that behind another message, or none."""
    preceding = None if before is None else vector_of(stores.id(before))
    vector = window_vector(vector_of(stores.id(message_id)), preceding)
    hits = await points.search(stores.tenant, MODEL, EVERYTHING, vector=vector, terms=NO_WORDS, limit=9)
    (found,) = [hit.dense_window for hit in hits if hit.id == stores.id(message_id)]
    return found


async def _ids(points: InterruptedIndex, stores: Stores, scope: Scope = EVERYTHING) -> set[UUID]:
    hits = await points.search(stores.tenant, MODEL, scope, vector=None, terms=NO_WORDS, limit=9)
    return {hit.id for hit in hits}


async def _erase(stores: Stores) -> None:
    """Take a message away as forgetting does: the row, its stages and its vectors."""
    async with stores.transaction() as connection:
        for table in ("memories", "stages", "vectors"):
            await connection.execute(f"delete from {table} where tenant = $1", stores.tenant)


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("first", ["m-0", None])
async def test_a_predecessor_that_comes_while_a_point_is_written_is_in_its_window(
    stores: Stores, points: InterruptedIndex, index: IndexHandler, moment: str, first: str | None
) -> None:
    if first is not None:
        await _say(stores, first, 0)
    await _say(stores, "m-2", 2)

    async def arrive() -> None:
        await _say(stores, "m-1", 1)
        # it sees no follower to name: m-2 is not indexed yet
        assert await stores.followers(stores.id("m-1")) == {}

    points.happenings[moment] = arrive
    assert isinstance(await _indexed(index, stores, "m-2"), Done)
    assert await _cosine(points, stores, "m-2", "m-1") == pytest.approx(1, abs=1e-3)
    assert await _cosine(points, stores, "m-2", first) < 0.99


async def test_a_predecessor_that_is_encoded_meanwhile_is_in_the_window_and_later_names_its_follower(
    stores: Stores, points: InterruptedIndex, index: IndexHandler
) -> None:
    await stores.record(stores.message("m-1", minute=1))
    await _say(stores, "m-2", 2)
    points.happenings["after"] = lambda: stores.encode("m-1")
    assert isinstance(await _indexed(index, stores, "m-2"), Done)
    assert await _cosine(points, stores, "m-2", "m-1") == pytest.approx(1, abs=1e-3)
    await stores.enrich("m-2")
    assert isinstance(await _indexed(index, stores, "m-2"), Done)
    await _say(stores, "m-1b", 1.5)
    assert await stores.followers(stores.id("m-1b")) == {stores.id("m-1b"): stores.id("m-2")}


async def test_of_two_writers_the_one_with_the_older_row_does_not_win(
    stores: Stores, points: InterruptedIndex, index: IndexHandler
) -> None:
    await _say(stores, "m-1", 0, importance=0.1)
    await stores.archive_faded(FAR)
    assert (await stores.memory()).archived_at is not None

    async def use_and_write() -> None:
        await stores.use(stores.id("m-1"), at=FAR)
        await index.projection.project(stores.tenant, [stores.id("m-1")])

    points.happenings["before"] = use_and_write
    await index.projection.project(stores.tenant, [stores.id("m-1")])
    assert await _ids(points, stores, PRESENT) == {stores.id("m-1")}


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_an_erased_memory_has_no_point(
    stores: Stores, points: InterruptedIndex, index: IndexHandler, moment: str
) -> None:
    await _say(stores, "m-1", 1)
    points.happenings[moment] = lambda: _erase(stores)
    assert await _indexed(index, stores, "m-1") == Done()
    assert await _ids(points, stores) == set()


async def test_a_memory_without_a_vector_is_tried_again(stores: Stores, index: IndexHandler) -> None:
    await stores.say("m-1")
    assert isinstance(await _indexed(index, stores, "m-1"), Retry)
    await stores.encode("m-1")
    outcome = await _indexed(index, stores, "m-1")
    assert isinstance(outcome, Done)
    assert [event.name for event in outcome.events] == ["memory.indexed"]


@pytest_asyncio.fixture(loop_scope="module")
async def projection(stores: Stores, points: InterruptedIndex) -> Projection:
    """Return a projection after a change of the model, over one memory that was there before."""
    await _say(stores, "m-1", 0, importance=0.1)
    before = Projection(stores.indexing, points, (MODEL,), stores.executor)
    await before.project(stores.tenant, [stores.id("m-1")])
    assert points.deletions == 0, "with one model nothing is withdrawn"
    return Projection(stores.indexing, points, (NEW, MODEL), stores.executor)


async def _collections(points: InterruptedIndex, stores: Stores, scope: Scope = PRESENT) -> list[str]:
    return [model for model in (MODEL, NEW) if await points.count(stores.tenant, model, scope)]


async def test_a_point_moves_once_there_is_a_vector_of_an_earlier_model_also_after_a_crash(
    stores: Stores, points: InterruptedIndex, projection: Projection
) -> None:
    await projection.project(stores.tenant, [stores.id("m-1")])
    assert await _collections(points, stores) == [MODEL]
    await stores.encode("m-1", model=NEW)

    async def stop() -> None:
        raise Stopped

    points.happenings["delete"] = stop
    with pytest.raises(Stopped):
        await projection.project(stores.tenant, [stores.id("m-1")])
    assert await _collections(points, stores) == [MODEL, NEW]
    await projection.project(stores.tenant, [stores.id("m-1")])
    assert await _collections(points, stores) == [NEW]


@pytest.mark.parametrize("released", [False, True])
async def test_of_two_writers_the_one_without_the_new_vector_does_not_win(
    stores: Stores, points: InterruptedIndex, projection: Projection, *, released: bool
) -> None:
    async def move() -> None:
        await stores.encode("m-1", model=NEW)
        if released:
            await ReembeddingStore(stores.database).release(stores.tenant, NEW, [stores.id("m-1")])
        await projection.project(stores.tenant, [stores.id("m-1")])
        assert await _collections(points, stores) == [NEW]

    points.happenings["before"] = move
    await projection.project(stores.tenant, [stores.id("m-1")])
    assert await _collections(points, stores) == [NEW]


async def test_a_point_that_has_yet_to_move_is_filtered_where_it_is(
    stores: Stores, points: InterruptedIndex, projection: Projection
) -> None:
    await stores.encode("m-1", model=NEW)
    await stores.archive_faded(FAR)
    await projection.refilter(stores.tenant, [stores.id("m-1")])
    assert await _collections(points, stores) == []
    assert await _collections(points, stores, EVERYTHING) == [MODEL]
    await stores.use(stores.id("m-1"), at=FAR)
    await projection.refilter(stores.tenant, [stores.id("m-1")])
    assert await _collections(points, stores) == [MODEL]
