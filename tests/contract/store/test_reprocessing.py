"""What former versions derived, or former models encoded, is found, and just that is replaced or released."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from tests.contract.store.stores import MODEL, STORED, Stores, enriched, vector_of
from tests.support.factories import unit_vector

from ricordo.language.annotations import MemoryKind
from ricordo.store.reprocessing import (
    BackfillQuery,
    BackfillStore,
    ReembeddingQuery,
    ReembeddingStore,
    ReindexingStore,
)

RULES, OLD = "rules-3", "rules-2"
BY_MODEL, BY_OLD = f"{RULES}+m", f"{OLD}+m"
OF_RULES = BackfillQuery(models=(MODEL,), version=RULES)
OF_MODEL = BackfillQuery(models=(MODEL,), version=BY_MODEL, with_model=True)
RATING = replace(OF_RULES, rating_only=True)


AT_ONCE = pytest.mark.parametrize("backfill", [2000, 2], indirect=True, ids="{} at once".format)


@pytest.fixture
def backfill(request: pytest.FixtureRequest, stores: Stores) -> BackfillStore:
    store = BackfillStore(stores.database)
    store.window = getattr(request, "param", 2000)
    return store


async def _remembered(stores: Stores, *versions: tuple[str, str], user_id: str = "u-1") -> list[UUID]:
    """Bring a message for each pair of versions through all stages; return their ids."""
    names, ids = [f"{user_id}-{uuid4()}" for _ in versions], list[UUID]()
    for name, (version, rated_by) in zip(names, versions, strict=True):
        ids += await stores.remember(name, user_id=user_id, version=version, rated_by=rated_by)
    return ids


async def _rows(
    backfill: BackfillStore, stores: Stores, query: BackfillQuery, limit: int
) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    after: UUID | None = None
    while True:
        part, after = await backfill.find(stores.tenant, query, after, limit)
        assert len(part) <= limit
        found += [tuple(one) for one in part]
        if after is None:
            return found


async def _all(backfill: BackfillStore, stores: Stores, query: BackfillQuery) -> list[object]:
    return [memory_id for memory_id, *_ in await _rows(backfill, stores, query, 10)]


@AT_ONCE
@pytest.mark.parametrize(
    ("query", "outdated", "current"),
    [
        (
            OF_RULES,
            [(OLD, OLD), (RULES, OLD), (OLD, RULES), (BY_OLD, OLD)],
            [(RULES, RULES), (BY_MODEL, BY_MODEL), (BY_OLD, BY_OLD)],  # without the model it could be lost
        ),
        (
            OF_MODEL,
            [
                *((RULES, RULES), (BY_MODEL, RULES), (RULES, BY_MODEL), (BY_OLD, BY_OLD)),
                (f"{RULES}+x", f"{RULES}+x"),
            ],
            [(BY_MODEL, BY_MODEL)],
        ),
        (RATING, [(RULES, OLD)], [(OLD, RULES)]),
        (replace(OF_RULES, models=("another",)), [], [(OLD, OLD)]),  # no vector to derive it from
    ],
    ids=["rules", "model", "rating", "no vector"],
)
async def test_what_is_outdated_is_found_in_id_order_and_counted(
    stores: Stores,
    backfill: BackfillStore,
    query: BackfillQuery,
    outdated: list[tuple[str, str]],
    current: list[tuple[str, str]],
) -> None:
    ids = await _remembered(stores, *outdated)
    await _remembered(stores, *current)
    expected = sorted((one, "u-1", MODEL, *pair) for one, pair in zip(ids, outdated, strict=True))
    for limit in (1, 2, 10):
        assert await _rows(backfill, stores, query, limit) == expected
        assert await _rows(backfill, stores, replace(query, user_id="u-2"), limit) == []
    names = [rated if query.rating_only else version for version, rated in outdated]
    assert await backfill.count(stores.tenant, query) == {name: names.count(name) for name in names}


async def test_a_vector_of_the_first_model_is_preferred(stores: Stores, backfill: BackfillStore) -> None:
    (memory_id,) = await _remembered(stores, (OLD, OLD))
    both = replace(OF_RULES, models=("b", MODEL))
    for model in (MODEL, "b"):
        [found], _ = await backfill.find(stores.tenant, both, None, 1)
        assert found.model == model
        await stores.encodings.save(stores.tenant, "b", [(memory_id, unit_vector(1))], [memory_id], STORED)


async def test_the_rating_alone_is_replaced(stores: Stores, backfill: BackfillStore) -> None:
    (memory_id,) = await _remembered(stores, (OLD, OLD))
    (before,) = await stores.found(memory_id)
    new = replace(enriched(before, version=RULES, importance=0.7), token_count=99)
    (progress,) = await backfill.replace(stores.tenant, [new], rating_only=True)
    assert progress.indexed is None
    assert await stores.found(memory_id) == [replace(before, importance=0.7)]
    assert await _all(backfill, stores, RATING) == []
    assert await _all(backfill, stores, OF_RULES) == [memory_id]


@pytest.mark.parametrize("rating_only", [True, False])
async def test_what_was_stated_and_what_use_has_added_stays(
    stores: Stores, backfill: BackfillStore, *, rating_only: bool
) -> None:
    await stores.say("stated", kind="note", importance=0.9)
    await stores.say("used")
    memories = [await stores.memory(name) for name in ("stated", "used")]
    await stores.use(*[memories[1].id] * 2)
    for version in (OLD, RULES):
        new = [enriched(one, version=version, importance=0.5) for one in memories]
        await backfill.replace(stores.tenant, new, rating_only=rating_only)
    stated, used = [await stores.memory(name) for name in ("stated", "used")]
    assert (stated.importance, stated.kind) == (0.9, MemoryKind.NOTE)
    assert used.importance == pytest.approx(0.54)
    assert used.access_count == 2


async def test_the_rating_of_a_model_stays_while_rules_derive_the_rest(
    stores: Stores, backfill: BackfillStore
) -> None:
    (memory_id,) = await _remembered(stores, (OLD, f"{OLD}+model"))
    (before,) = await stores.found(memory_id)
    assert len(await backfill.replace(stores.tenant, [enriched(before, version=RULES, importance=0.7)])) == 1
    assert (await stores.found(memory_id))[0].importance == before.importance
    assert await _all(backfill, stores, OF_RULES) == []


async def test_nothing_is_written_of_the_forgotten_or_in_another_zone(
    stores: Stores, backfill: BackfillStore
) -> None:
    (memory_id,) = await _remembered(stores, (OLD, OLD))
    (memory,) = await stores.found(memory_id)
    gone = enriched(replace(memory, id=uuid4()), version=RULES)
    for rating_only in (True, False):
        assert list(await backfill.replace(stores.tenant, [gone], rating_only=rating_only)) == []
    moved = enriched(memory, version=RULES, timezone="Asia/Tokyo")
    assert list(await backfill.replace(stores.tenant, [moved])) == []
    assert await _all(backfill, stores, OF_RULES) == [memory_id]


async def test_two_at_once_and_a_worker_between_them_end_in_one_state(
    stores: Stores, backfill: BackfillStore
) -> None:
    ids = await _remembered(stores, *[(OLD, OLD)] * 12)
    new = [enriched(one, version=RULES, importance=0.7) for one in await stores.found(*ids)]
    await asyncio.gather(
        backfill.replace(stores.tenant, new),
        backfill.replace(stores.tenant, new[::-1]),
        stores.enrichments.save(stores.tenant, new, STORED),
        stores.index(ids[::-1]),
    )
    assert await backfill.count(stores.tenant, OF_RULES) == {}
    assert {one.importance for one in await stores.found(*ids)} == {0.7}


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
