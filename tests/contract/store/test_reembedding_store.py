"""Contract of `ReembeddingStore`."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import pytest
from tests.contract.store.stores import MODEL, STORED, Stores, enriched

from ricordo.store.database import Database
from ricordo.store.reprocessing import ReembeddingQuery, ReembeddingStore
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

NEW = "model-b"
BEHIND = ReembeddingQuery(model=NEW)
LATER = STORED + timedelta(hours=1)


@pytest.fixture(params=(1000, 2), ids="{} at once".format)
def former(request: pytest.FixtureRequest, database: Database) -> ReembeddingStore:
    return ReembeddingStore(database, window=request.param)


async def remembered(stores: Stores, *names: str, model: str = MODEL, user_id: str = "u-1") -> list[UUID]:
    """Bring messages, a minute after each other, through all stages; return their ids in id order."""
    await stores.record(
        *(
            new_message(name, tenant=stores.tenant, timestamp=at(n), user_id=user_id)
            for n, name in enumerate(names)
        )
    )
    await stores.encode(*names, model=model)
    ids = [stores.id(name) for name in names]
    memories = [await stores.memory(name, user_id) for name in names]
    await stores.enrichments.save(stores.tenant, [enriched(one) for one in memories], STORED)
    await stores.indexing.mark(stores.tenant, ids, STORED)
    return sorted(ids)


async def _found(former: ReembeddingStore, stores: Stores, behind: ReembeddingQuery = BEHIND) -> list[UUID]:
    found: list[UUID] = []
    after: UUID | None = None
    while True:
        some, after = await former.find(stores.tenant, behind, after, 3)
        found += [one.memory_id for one in some]
        if after is None:
            return found


async def _models_of(stores: Stores, memory_id: UUID) -> set[str]:
    texts = {model: await stores.encodings.load(stores.tenant, model, [memory_id]) for model in (MODEL, NEW)}
    return {model for model, (one,) in texts.items() if one.vector is not None}


async def test_those_of_another_model_are_found_in_id_order(stores: Stores, former: ReembeddingStore) -> None:
    old = await remembered(stores, *(f"m-{n}" for n in range(7)))
    await remembered(stores, "n-1", model=NEW)
    assert await former.count(stores.tenant, BEHIND) == {MODEL: 7}
    assert await _found(former, stores) == old
    assert await _found(former, stores, ReembeddingQuery(model=MODEL)) == [stores.id("n-1")]
    assert await former.count(stores.elsewhere().tenant, BEHIND) == {}


async def test_how_many_have_a_vector_of_a_model_is_counted(stores: Stores, former: ReembeddingStore) -> None:
    await remembered(stores, "m-1", "m-2")
    await remembered(stores, "n-1", model=NEW)
    assert await former.count_vectors(stores.tenant, [MODEL, "model-c"]) == {MODEL: 2}
    assert await former.count_vectors(stores.tenant, [MODEL, NEW]) == {MODEL: 2, NEW: 1}
    assert await former.count_vectors(stores.tenant, []) == {}


async def test_of_one_user(stores: Stores, former: ReembeddingStore) -> None:
    await remembered(stores, "m-1", "m-2")
    others = await remembered(stores, "o-1", user_id="u-2")
    of_other = ReembeddingQuery(model=NEW, user_id="u-2")
    assert await former.count(stores.tenant, of_other) == {MODEL: 1}
    assert await _found(former, stores, of_other) == others


async def test_what_is_on_its_way_is_left_to_the_pipeline(stores: Stores, former: ReembeddingStore) -> None:
    await stores.record(new_message("m-1", tenant=stores.tenant))
    await stores.encode("m-1")
    assert await former.count(stores.tenant, BEHIND) == {}
    assert await _found(former, stores) == []


async def test_what_has_never_been_encoded_is_counted(stores: Stores, former: ReembeddingStore) -> None:
    await remembered(stores, "m-1")
    await stores.record(new_message("m-2", tenant=stores.tenant))
    await stores.record(new_message("o-1", tenant=stores.tenant, user_id="u-2"))
    assert await former.unencoded(stores.tenant, None) == 2
    assert await former.unencoded(stores.tenant, "u-2") == 1
    assert await former.unencoded(stores.elsewhere().tenant, None) == 0
    await stores.encode("m-2")
    assert await former.unencoded(stores.tenant, "u-1") == 0


async def test_who_has_both_vectors_is_found_and_needs_no_encoding(
    stores: Stores, former: ReembeddingStore
) -> None:
    await remembered(stores, "m-1")
    (before,), _ = await former.find(stores.tenant, BEHIND, None, 9)
    await stores.encode("m-1", model=NEW)
    (after,), _ = await former.find(stores.tenant, BEHIND, None, 9)
    assert (before.text, before.encoded, after.encoded) == ("this is m-1", False, True)


async def test_released_they_have_one_vector_and_lack_the_stage(
    stores: Stores, former: ReembeddingStore
) -> None:
    ids = await remembered(stores, "m-1", "m-2")
    await stores.encode("m-1", model=NEW)
    (moved,) = await former.release(stores.tenant, NEW, ids)
    assert (moved.message_id, moved.indexed, moved.enriched) == ("m-1", None, STORED)
    assert await _models_of(stores, stores.id("m-1")) == {NEW}
    assert await _models_of(stores, stores.id("m-2")) == {MODEL}, "it has no other vector"
    assert await _found(former, stores) == [stores.id("m-2")]
    assert [one.message_id for one in await former.release(stores.tenant, NEW, ids)] == ["m-1"]


async def test_the_follower_with_a_vector_of_the_model_follows(
    stores: Stores, former: ReembeddingStore
) -> None:
    await remembered(stores, "m-0", "m-1", "m-2")
    await stores.encode("m-0", "m-1", model=NEW)
    moved = await former.release(stores.tenant, NEW, [stores.id("m-0"), stores.id("m-1")])
    assert {one.message_id for one in moved} == {"m-0", "m-1"}, "m-2 has no window in that collection"
    moved = await former.release(stores.tenant, NEW, [stores.id("m-0")])
    assert {one.message_id for one in moved} == {"m-0", "m-1"}


async def _moved(stores: Stores, former: ReembeddingStore, ids: Sequence[UUID]) -> None:
    vectors = [(one, (await stores.encodings.load(stores.tenant, MODEL, [one]))[0].vector) for one in ids]
    known = [(one, vector) for one, vector in vectors if vector is not None]
    await stores.encodings.save(stores.tenant, NEW, known, [], STORED)
    await former.release(stores.tenant, NEW, ids)


async def test_a_model_is_struck_out_once_nothing_is_left_of_it(
    stores: Stores, former: ReembeddingStore
) -> None:
    first, second = await remembered(stores, "m-1", "m-2")
    await _moved(stores, former, [first])
    assert await former.retire(stores.tenant, [NEW], LATER) == [], "one is left"
    await _moved(stores, former, [second])
    assert await former.retire(stores.tenant, [NEW], LATER) == [], "their points have yet to follow"
    await stores.indexing.mark(stores.tenant, [first, second], STORED)
    assert await former.retire(stores.tenant, [NEW, MODEL], LATER) == [], "it serves"
    assert await former.retire(stores.tenant, [NEW], LATER) == [MODEL]
    assert set(await stores.encodings.models(stores.tenant)) == {NEW}
    await stores.encode("m-1")
    assert set(await stores.encodings.models(stores.tenant)) == {NEW, MODEL}, "it is known again"


async def test_what_came_in_since_keeps_no_model(stores: Stores, former: ReembeddingStore) -> None:
    ids = await remembered(stores, "m-1")
    await _moved(stores, former, ids)
    await stores.indexing.mark(stores.tenant, ids, STORED)
    await stores.record(new_message("m-2", tenant=stores.tenant, timestamp=at(9)), at=LATER)
    assert await former.retire(stores.tenant, [NEW], LATER) == [MODEL]


async def test_who_keeps_a_vector_meanwhile_keeps_its_model_known(
    stores: Stores, former: ReembeddingStore
) -> None:
    ids = await remembered(stores, *(f"m-{n}" for n in range(8)))
    await _moved(stores, former, ids)
    await stores.indexing.mark(stores.tenant, ids, STORED)
    await asyncio.gather(
        *(stores.encode(f"m-{n}") for n in range(8)),
        *(former.retire(stores.tenant, [NEW], LATER) for _ in range(4)),
    )
    assert MODEL in await stores.encodings.models(stores.tenant)
