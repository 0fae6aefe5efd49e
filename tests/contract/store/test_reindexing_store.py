"""Contract of `ReindexingStore`: it has each memory indexed once more, and no other."""

from uuid import UUID

import pytest
from tests.contract.store.stores import STORED, Stores
from tests.contract.store.test_reembedding_store import remembered

from ricordo.memory.progress import Progress
from ricordo.store.database import Database
from ricordo.store.rebuild_sources import ReindexingStore
from ricordo.testing.factories import new_message

pytestmark = pytest.mark.integration


@pytest.fixture
def indexed(database: Database) -> ReindexingStore:
    return ReindexingStore(database)


async def _released(
    stores: Stores, indexed: ReindexingStore, user_id: str | None = None, limit: int = 3
) -> list[Progress]:
    found: list[Progress] = []
    after: UUID | None = None
    while True:
        some, after = await indexed.release(stores.tenant, user_id, after, limit)
        found += some
        if after is None:
            return found


async def test_all_lack_the_stage_once_they_are_released(stores: Stores, indexed: ReindexingStore) -> None:
    ids = await remembered(stores, *(f"m-{n}" for n in range(7)))
    assert await indexed.count(stores.tenant, None) == 7
    for limit in (3, 7, 100):
        released = await _released(stores, indexed, limit=limit)
        assert [one.memory_id for one in released] == ids
        assert {(one.indexed, one.enriched is None) for one in released} == {(None, False)}
    marked = await stores.indexing.mark(stores.tenant, ids, STORED)
    assert {one.indexed for one in marked} == {STORED}


async def test_what_has_no_vector_or_is_not_enriched_is_left_alone(
    stores: Stores, indexed: ReindexingStore
) -> None:
    (done,) = await remembered(stores, "m-1")
    await stores.record(new_message("m-2", tenant=stores.tenant))
    await stores.record(new_message("m-3", tenant=stores.tenant))
    await stores.encode("m-3")
    assert await indexed.count(stores.tenant, None) == 1
    assert [one.memory_id for one in await _released(stores, indexed)] == [done]


async def test_it_may_be_of_one_user(stores: Stores, indexed: ReindexingStore) -> None:
    await remembered(stores, *(f"m-{n}" for n in range(5)))
    of_two = await remembered(stores, *(f"n-{n}" for n in range(4)), user_id="u-2")
    assert await indexed.count(stores.tenant, "u-2") == 4
    assert [one.memory_id for one in await _released(stores, indexed, "u-2")] == of_two
    first = await stores.progress("m-1")
    assert first is not None
    assert first.indexed == STORED
    assert await indexed.count(stores.elsewhere().tenant, None) == 0
    assert await _released(stores.elsewhere(), indexed) == []
