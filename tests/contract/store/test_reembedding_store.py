"""Memories with vectors of a former model, or all of them, are released to be indexed once more."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import pytest
from tests.contract.store.stores import MODEL, STORED, Stores, vector_of

from ricordo.store.reprocessing import ReembeddingQuery, ReembeddingStore, ReindexingStore

NEW = "model-b"
BEHIND = ReembeddingQuery(model=NEW)
LATER = STORED + timedelta(hours=1)


@pytest.fixture
def reembedding(request: pytest.FixtureRequest, stores: Stores) -> ReembeddingStore:
    store = ReembeddingStore(stores.database)
    store.window = getattr(request, "param", 1000)
    return store


async def _found(
    reembedding: ReembeddingStore, stores: Stores, query: ReembeddingQuery = BEHIND
) -> list[UUID]:
    found: list[UUID] = []
    after: UUID | None = None
    while True:
        some, after = await reembedding.find(stores.tenant, query, after, 3)
        found += [one.memory_id for one in some]
        if after is None:
            return found


async def _models_of(stores: Stores, memory_id: UUID) -> set[str]:
    texts = {model: await stores.encodings.load(stores.tenant, model, [memory_id]) for model in (MODEL, NEW)}
    return {model for model, (one,) in texts.items() if one.is_encoded}


@pytest.mark.parametrize("reembedding", [1000, 2], indirect=True, ids="{} at once".format)
async def test_memories_of_another_model_are_found_in_id_order_and_counted(
    stores: Stores, reembedding: ReembeddingStore
) -> None:
    old = await stores.remember(*(f"m-{n}" for n in range(7)))
    await stores.remember("n-1", model=NEW)
    others = await stores.remember("o-1", user_id="u-2")
    await stores.say("on its way", "unencoded")
    await stores.encode("on its way")
    of_other = ReembeddingQuery(model=NEW, user_id="u-2")
    assert await reembedding.count(stores.tenant, BEHIND) == {MODEL: 8}
    assert await reembedding.count(stores.tenant, of_other) == {MODEL: 1}
    assert await _found(reembedding, stores) == sorted([*old, *others])
    assert await _found(reembedding, stores, of_other) == others
    assert await _found(reembedding, stores, ReembeddingQuery(model=MODEL)) == [stores.id("n-1")]
    for models, counts in (([MODEL, "c"], {MODEL: 9}), ([MODEL, NEW], {MODEL: 9, NEW: 1}), ([], {})):
        assert await reembedding.count_vectors(stores.tenant, models) == counts
    for user, count in ((None, 1), ("u-1", 1), ("u-2", 0)):
        assert await reembedding.unencoded(stores.tenant, user) == count


async def test_a_memory_with_both_vectors_needs_no_encoding(
    stores: Stores, reembedding: ReembeddingStore
) -> None:
    await stores.remember("m-1")
    (before,), _ = await reembedding.find(stores.tenant, BEHIND, None, 9)
    await stores.encode("m-1", model=NEW)
    (after,), _ = await reembedding.find(stores.tenant, BEHIND, None, 9)
    assert (before.text, before.encoded, after.encoded) == ("this is m-1", False, True)


async def test_a_released_memory_has_one_vector_and_lacks_the_stage(
    stores: Stores, reembedding: ReembeddingStore
) -> None:
    ids = await stores.remember("m-1", "m-2")
    await stores.encode("m-1", model=NEW)
    for _ in range(2):
        (moved,) = await reembedding.release(stores.tenant, NEW, ids)
        assert (moved.message_id, moved.indexed, moved.enriched) == ("m-1", None, STORED)
    assert await _models_of(stores, stores.id("m-1")) == {NEW}
    assert await _models_of(stores, stores.id("m-2")) == {MODEL}, "it has no other vector"
    assert await _found(reembedding, stores) == [stores.id("m-2")]


async def test_the_follower_with_a_vector_of_the_model_is_released_too(
    stores: Stores, reembedding: ReembeddingStore
) -> None:
    await stores.remember("m-0", "m-1", "m-2")
    await stores.encode("m-0", "m-1", model=NEW)
    for ids in ([stores.id("m-0"), stores.id("m-1")], [stores.id("m-0")]):
        moved = await reembedding.release(stores.tenant, NEW, ids)
        assert {one.message_id for one in moved} == {"m-0", "m-1"}, "m-2 has no window in that collection"


async def _move(stores: Stores, reembedding: ReembeddingStore, ids: Sequence[UUID]) -> None:
    loaded = await stores.encodings.load(stores.tenant, MODEL, ids)
    known = [(one.memory_id, vector_of(one.memory_id)) for one in loaded if one.is_encoded]
    await stores.encodings.save(stores.tenant, NEW, known, [], STORED)
    await reembedding.release(stores.tenant, NEW, ids)


async def test_a_model_is_retired_once_nothing_is_left_of_it(
    stores: Stores, reembedding: ReembeddingStore
) -> None:
    first, second = await stores.remember("m-1", "m-2")
    await _move(stores, reembedding, [first])
    assert await reembedding.retire(stores.tenant, [NEW], LATER) == [], "one is left"
    await _move(stores, reembedding, [second])
    assert await reembedding.retire(stores.tenant, [NEW], LATER) == [], "their points have yet to follow"
    await stores.index([first, second])
    assert await reembedding.retire(stores.tenant, [NEW, MODEL], LATER) == [], "it serves"
    await stores.record(stores.message("since", minute=9), at=LATER)
    assert await reembedding.retire(stores.tenant, [NEW], LATER) == [MODEL], (
        "what came in since does not count"
    )
    assert set(await stores.encodings.models(stores.tenant)) == {NEW}
    await stores.encode("m-1")
    assert set(await stores.encodings.models(stores.tenant)) == {NEW, MODEL}, "it is known again"


async def test_a_vector_that_is_saved_meanwhile_keeps_its_model_known(
    stores: Stores, reembedding: ReembeddingStore
) -> None:
    ids = await stores.remember(*(f"m-{n}" for n in range(8)))
    await _move(stores, reembedding, ids)
    await stores.index(ids)
    await asyncio.gather(
        *(stores.encode(f"m-{n}") for n in range(8)),
        *(reembedding.retire(stores.tenant, [NEW], LATER) for _ in range(4)),
    )
    assert MODEL in await stores.encodings.models(stores.tenant)


async def test_a_reindexing_releases_each_indexed_memory_of_one_user_or_all(stores: Stores) -> None:
    reindexing = ReindexingStore(stores.database)
    mine = await stores.remember(*(f"m-{n}" for n in range(7)))
    hers = await stores.remember("n-1", "n-2", user_id="u-2")
    await stores.say("new", "encoded", conversation_id="c-2")
    await stores.encode("encoded")

    async def released(user_id: str | None, limit: int) -> list[UUID]:
        found, after = [], None
        while True:
            some, after = await reindexing.release(stores.tenant, user_id, after, limit)
            assert all(one.indexed is None and one.enriched is not None for one in some)
            found += [one.memory_id for one in some]
            if after is None:
                return found

    assert await released("u-2", 3) == sorted(hers)
    assert (await stores.progress("m-1")).indexed == STORED
    assert [await reindexing.count(stores.tenant, user) for user in (None, "u-2")] == [9, 2]
    for limit in (3, 7, 100):
        assert await released(None, limit) == sorted([*mine, *hers])
    marked = await stores.index(mine)
    assert {one.indexed for one in marked} == {STORED}
