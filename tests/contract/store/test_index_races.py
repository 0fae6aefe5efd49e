"""Points follow their rows, whatever happens to the rows while the points are being made."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from uuid import UUID, uuid4

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.contract.store.stores import MODEL, Stores, vector_of

from ricordo.index.port import Point, Scope
from ricordo.index.qdrant.edge import EdgeVectorIndex
from ricordo.memory.ranking.bm25 import query_terms
from ricordo.messages.events import MemoryEnriched
from ricordo.runtime.handling import Done, Envelope, Outcome, Retry
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.database import Database
from ricordo.store.lifecycle_store import Access
from ricordo.system_clock import SystemClock
from ricordo.testing.factories import DIMENSIONS, at, new_message
from ricordo_services.embedding.index import Index
from ricordo_services.embedding.points import window_vector
from ricordo_services.embedding.projection import Projection

pytestmark = pytest.mark.integration

Happening = Callable[[], Awaitable[object]]
EVERYTHING = Scope(user_id="u-1", include_archived=True, include_uninformative=True)


class Interrupted(EdgeVectorIndex):
    """Qdrant's engine, beside which something happens: just before points are written, or just after."""

    before: Happening | None = None
    after: Happening | None = None

    async def upsert(self, tenant: str, model: str, points: Sequence[Point]) -> None:
        before, self.before = self.before, None
        after, self.after = self.after, None
        if before is not None:
            await before()
        await super().upsert(tenant, model, points)
        if after is not None:
            await after()


@pytest.fixture
async def vectors(tmp_path: Path) -> AsyncIterator[Interrupted]:
    index = Interrupted(tmp_path)
    await index.prepare(MODEL, DIMENSIONS)
    yield index
    await index.close()


@pytest.fixture
async def index(stores: Stores, vectors: Interrupted) -> AsyncIterator[Index]:
    async with CpuExecutor() as beside:
        yield Index(Projection(stores.indexing, vectors, (MODEL,), beside), stores.indexing, SystemClock())


async def indexed(index: Index, stores: Stores, message_id: str) -> Outcome:
    body = MemoryEnriched(
        id=uuid4(),
        at=at(0),
        user_id="u-1",
        conversation_id="c-1",
        message_id=message_id,
        memory_id=stores.id(message_id),
        version="1",
    )
    event = Envelope(stores.tenant, body.id, "memory.enriched", body, attempt=1, traceparent=None)
    (outcome,) = await index(stores.tenant, [event])
    return outcome


async def said(stores: Stores, message_id: str, minute: float) -> None:
    await stores.record(new_message(message_id, tenant=stores.tenant, timestamp=at(minute)))
    await stores.encode(message_id)


def window(stores: Stores, message_id: str, before: str | None) -> NDArray[np.float32]:
    """Return the window vector that the memory ought to have."""
    preceding = None if before is None else vector_of(stores.id(before))
    return window_vector(vector_of(stores.id(message_id)), preceding)


async def likeness(vectors: Interrupted, stores: Stores, message_id: str, to: NDArray[np.float32]) -> float:
    """Return the cosine of a point's window vector with another."""
    hits = await vectors.search(
        stores.tenant, MODEL, EVERYTHING, vector=to, terms=query_terms("", ["en"]), limit=9
    )
    (found,) = [hit.dense_window for hit in hits if hit.id == stores.id(message_id)]
    return found


async def points(vectors: Interrupted, stores: Stores, scope: Scope = EVERYTHING) -> set[UUID]:
    hits = await vectors.search(
        stores.tenant, MODEL, scope, vector=None, terms=query_terms("", ["en"]), limit=9
    )
    return {hit.id for hit in hits}


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("first", ["m-0", None])
async def test_a_late_predecessor_beside_the_write_is_in_the_window(
    stores: Stores, vectors: Interrupted, index: Index, moment: str, first: str | None
) -> None:
    if first is not None:
        await said(stores, first, 0)
    await said(stores, "m-2", 2)

    async def arrives() -> None:
        await said(stores, "m-1", 1)
        # it sees no follower to be told of: m-2 is not indexed yet
        assert await stores.encodings.followers(stores.tenant, [stores.id("m-1")]) == []

    setattr(vectors, moment, arrives)
    assert isinstance(await indexed(index, stores, "m-2"), Done)
    assert await likeness(vectors, stores, "m-2", window(stores, "m-2", "m-1")) == pytest.approx(1, abs=1e-3)
    assert await likeness(vectors, stores, "m-2", window(stores, "m-2", first)) < 0.99


async def test_a_predecessor_that_is_encoded_beside_the_write_is_in_the_window(
    stores: Stores, vectors: Interrupted, index: Index
) -> None:
    await stores.record(new_message("m-1", tenant=stores.tenant, timestamp=at(1)))
    await said(stores, "m-2", 2)
    vectors.after = lambda: stores.encode("m-1")
    assert isinstance(await indexed(index, stores, "m-2"), Done)
    assert await likeness(vectors, stores, "m-2", window(stores, "m-2", "m-1")) == pytest.approx(1, abs=1e-3)


async def test_who_is_indexed_before_the_predecessor_is_encoded_is_told_of(
    stores: Stores, index: Index
) -> None:
    await said(stores, "m-2", 2)
    await indexed(index, stores, "m-2")
    await said(stores, "m-1", 1)
    told = await stores.encodings.followers(stores.tenant, [stores.id("m-1")])
    assert told == [(stores.id("m-2"), "u-1")]


async def test_of_two_writers_the_one_with_the_older_row_does_not_have_the_last_word(
    stores: Stores, vectors: Interrupted, index: Index
) -> None:
    await stores.record(new_message("m-1", tenant=stores.tenant, importance=0.1))
    await stores.encode("m-1")
    far = at(60 * 24 * 4000)
    await stores.life.decay(stores.tenant, far, user_id=None, after=None, limit=9, floors=True)
    assert (await stores.memory()).archived_at is not None

    async def used_again_and_written() -> None:
        await stores.life.reinforce(stores.tenant, [Access(uuid4(), "u-1", (stores.id("m-1"),), far)])
        await index.projection.project(stores.tenant, [stores.id("m-1")])

    vectors.before = used_again_and_written
    await index.projection.project(stores.tenant, [stores.id("m-1")])
    assert await points(vectors, stores, Scope(user_id="u-1")) == {stores.id("m-1")}


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_what_is_erased_beside_the_write_has_no_point(
    database: Database, stores: Stores, vectors: Interrupted, index: Index, moment: str
) -> None:
    await said(stores, "m-1", 1)
    setattr(vectors, moment, lambda: erase(database, stores))
    assert await indexed(index, stores, "m-1") == Done()
    assert await points(vectors, stores) == set()


async def test_a_point_that_a_crash_left_behind_goes_with_the_redelivery(
    database: Database, stores: Stores, vectors: Interrupted, index: Index
) -> None:
    await said(stores, "m-1", 1)
    await index.projection.write(stores.tenant, [stores.id("m-1")])  # and here it ended
    assert await points(vectors, stores) == {stores.id("m-1")}
    await erase(database, stores)
    assert await indexed(index, stores, "m-1") == Done()
    assert await points(vectors, stores) == set()


async def test_what_has_no_vector_is_tried_again(stores: Stores, index: Index) -> None:
    await stores.record(new_message("m-1", tenant=stores.tenant))
    assert isinstance(await indexed(index, stores, "m-1"), Retry)
    await stores.encode("m-1")
    outcome = await indexed(index, stores, "m-1")
    assert isinstance(outcome, Done)
    assert [event.name for event in outcome.events] == ["memory.indexed"]


async def erase(database: Database, stores: Stores) -> None:
    """Take a message away as forgetting it would: the row, its stages and its vectors."""
    async with database.transaction(stores.tenant) as connection:
        for statement in (
            "delete from memories where tenant = $1",
            "delete from stages where tenant = $1",
            "delete from vectors where tenant = $1",
        ):
            await connection.execute(statement, stores.tenant)
