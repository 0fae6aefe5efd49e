"""The backfill finds what former versions derived, and replaces just that."""

import asyncio
from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from tests.contract.store.stores import MODEL, STORED, Stores, enriched
from tests.support.factories import unit_vector

from ricordo.language.annotations import MemoryKind
from ricordo.store.reprocessing import BackfillQuery, BackfillStore

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


async def _all(
    backfill: BackfillStore, stores: Stores, query: BackfillQuery, limit: int = 10
) -> list[object]:
    return [memory_id for memory_id, *_ in await _rows(backfill, stores, query, limit)]


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
    assert await _rows(backfill, stores, query, 10) == expected
    names = [rated if query.rating_only else version for version, rated in outdated]
    assert await backfill.count(stores.tenant, query) == {name: names.count(name) for name in names}


@AT_ONCE
async def test_pages_go_on_in_id_order_for_one_user_or_all(stores: Stores, backfill: BackfillStore) -> None:
    mine = sorted(await _remembered(stores, *[(OLD, OLD), (RULES, RULES)] * 5))
    outdated = [
        one.id for one in await stores.found(*mine) if one.id in await _all(backfill, stores, OF_RULES)
    ]
    hers = await _remembered(stores, (OLD, OLD), user_id="u-2")
    await stores.say("m-1")
    await stores.encode("m-1")
    assert len(outdated) == 5
    for limit in (1, 2, 5):
        assert await _all(backfill, stores, OF_RULES, limit) == sorted([*outdated, *hers])
        assert await _all(backfill, stores, replace(OF_RULES, user_id="u-1"), limit) == sorted(outdated)


async def test_a_vector_of_the_first_model_is_preferred(stores: Stores, backfill: BackfillStore) -> None:
    (memory_id,) = await _remembered(stores, (OLD, OLD))
    both = replace(OF_RULES, models=("b", MODEL))
    for model in (MODEL, "b"):
        [found], _ = await backfill.find(stores.tenant, both, None, 1)
        assert found.model == model
        await stores.encodings.save(stores.tenant, "b", [(memory_id, unit_vector(1))], [memory_id], STORED)


async def test_what_was_replaced_is_current_and_has_yet_to_be_indexed(
    stores: Stores, backfill: BackfillStore
) -> None:
    (memory_id,) = await _remembered(stores, (OLD, OLD))
    (memory,) = await stores.found(memory_id)
    new = [enriched(memory, version=RULES, importance=0.7)]
    (progress,) = await backfill.replace(stores.tenant, new)
    assert (progress.memory_id, progress.indexed, progress.enriched) == (memory_id, None, STORED)
    assert (await stores.found(memory_id))[0].importance == 0.7
    assert await _all(backfill, stores, OF_RULES) == []
    assert list(await backfill.replace(stores.tenant, new)) == [progress]


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
