"""Contract of `BackfillStore`: it finds what former versions derived, and replaces just that."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from tests.contract.store.stores import MODEL, STORED, Stores, enriched

from ricordo.language.annotations import MemoryKind
from ricordo.memory.model import Memory
from ricordo.store.database import Database
from ricordo.store.lifecycle_store import Access
from ricordo.store.reprocessing import BackfillQuery, BackfillStore
from ricordo.store.stages import EnrichedMemory
from ricordo.testing.factories import at, new_message, unit_vector

pytestmark = pytest.mark.integration

RULES, OLD = "rules-3", "rules-2"
BY_MODEL, BY_OLD = f"{RULES}+m", f"{OLD}+m"
OF_RULES = BackfillQuery(models=(MODEL,), version=RULES)
OF_MODEL = BackfillQuery(models=(MODEL,), version=BY_MODEL, with_model=True)


@pytest.fixture(params=(2000, 2), ids="{} at once".format)
def outdated(request: pytest.FixtureRequest, database: Database) -> BackfillStore:
    return BackfillStore(database, window=request.param)


def derived(memory: Memory, version: str, rated_by: str | None = None, **fields: float) -> EnrichedMemory:
    """Return an enrichment of these versions."""
    one = enriched(memory, **fields)  # type: ignore[arg-type]  # the importance alone
    return replace(one, enrichment=replace(one.enrichment, version=version, rated_by=rated_by or version))


async def _kept(stores: Stores, *versions: tuple[str, str], user_id: str = "u-1") -> list[UUID]:
    """Record, encode and enrich a message for each pair of versions; return their ids in id order."""
    names = [f"{user_id}-{uuid4()}" for _ in versions]
    await stores.record(
        *(
            new_message(name, tenant=stores.tenant, timestamp=at(n), user_id=user_id)
            for n, name in enumerate(names)
        )
    )
    await stores.encode(*names)
    for name, (version, rated_by) in zip(names, versions, strict=True):
        memory = await stores.memory(name, user_id)
        await stores.enrichments.save(stores.tenant, [derived(memory, version, rated_by)], STORED)
    await stores.indexing.mark(stores.tenant, [stores.id(name) for name in names], STORED)
    return [stores.id(name) for name in names]


@pytest.mark.parametrize(
    ("sought", "versions", "expected"),
    [
        (OF_RULES, (OLD, OLD), True),
        (OF_RULES, (RULES, RULES), False),
        (OF_RULES, (RULES, OLD), True),
        (OF_RULES, (OLD, RULES), True),
        (OF_RULES, (BY_MODEL, BY_MODEL), False),
        (OF_RULES, (BY_OLD, BY_OLD), False),  # without the model it can only be given up
        (OF_RULES, (BY_OLD, OLD), True),
        (OF_MODEL, (RULES, RULES), True),
        (OF_MODEL, (BY_MODEL, RULES), True),
        (OF_MODEL, (RULES, BY_MODEL), True),
        (OF_MODEL, (BY_OLD, BY_OLD), True),
        (OF_MODEL, (f"{RULES}+other", f"{RULES}+other"), True),
        (OF_MODEL, (BY_MODEL, BY_MODEL), False),
        (replace(OF_RULES, rating_only=True), (OLD, RULES), False),
        (replace(OF_RULES, rating_only=True), (RULES, OLD), True),
        (replace(OF_RULES, models=("another",)), (OLD, OLD), False),  # no vector to derive it from
    ],
)
async def test_what_is_outdated_is_found_and_counted(
    stores: Stores,
    outdated: BackfillStore,
    sought: BackfillQuery,
    versions: tuple[str, str],
    *,
    expected: bool,
) -> None:
    (memory_id,) = await _kept(stores, versions)
    found = await outdated.find(stores.tenant, sought, None, 10)
    whole = [(memory_id, "u-1", MODEL, *versions)] if expected else []
    assert [tuple(one) for one in found.outdated] == whole
    named = versions[1] if sought.rating_only else versions[0]
    assert await outdated.count(stores.tenant, sought) == ({named: 1} if expected else {})


async def test_it_goes_on_in_id_order_for_one_user_or_all(stores: Stores, outdated: BackfillStore) -> None:
    mine = sorted(await _kept(stores, *[(OLD, OLD)] * 5))
    hers = await _kept(stores, (OLD, OLD), user_id="u-2")
    assert await _all(stores, outdated, OF_RULES, 2) == sorted([*mine, *hers])
    assert await _all(stores, outdated, replace(OF_RULES, user_id="u-1"), 2) == mine
    elsewhere = stores.elsewhere()
    assert await _all(elsewhere, outdated, OF_RULES, 2) == []


async def test_what_is_current_may_lie_between(stores: Stores, outdated: BackfillStore) -> None:
    ids = sorted(await _kept(stores, *[(RULES, RULES)] * 9))
    memories = await stores.recollection.memories(stores.tenant, "u-1", [ids[0], ids[6]])
    await outdated.replace(stores.tenant, [derived(one, OLD) for one in memories])
    assert await _all(stores, outdated, OF_RULES, 1) == [ids[0], ids[6]]
    assert await _all(stores, outdated, OF_RULES, 5) == [ids[0], ids[6]]


async def _all(stores: Stores, outdated: BackfillStore, sought: BackfillQuery, limit: int) -> list[UUID]:
    found: list[UUID] = []
    after: UUID | None = None
    while True:
        part, after = await outdated.find(stores.tenant, sought, after, limit)
        assert len(part) <= limit
        found += [one.memory_id for one in part]
        if after is None:
            return found


async def test_what_is_on_its_way_to_be_enriched_is_left_to_that(
    stores: Stores, outdated: BackfillStore
) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    await stores.encode("m-1")
    assert await _all(stores, outdated, OF_MODEL, 10) == []


async def test_a_vector_of_the_first_model_is_preferred(stores: Stores, outdated: BackfillStore) -> None:
    await _kept(stores, (OLD, OLD))
    both = replace(OF_RULES, models=("b", MODEL))
    [before], _ = await outdated.find(stores.tenant, both, None, 1)
    assert before.model == MODEL
    await stores.encodings.save(
        stores.tenant, "b", [(before.memory_id, unit_vector(1))], [before.memory_id], STORED
    )
    [after], _ = await outdated.find(stores.tenant, both, None, 1)
    assert after.model == "b"


async def test_what_was_replaced_is_current_and_has_yet_to_be_indexed(
    stores: Stores, outdated: BackfillStore
) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    await stores.encode("m-1")
    memory = await stores.memory()
    await stores.enrichments.save(stores.tenant, [derived(memory, OLD, importance=0.1)], STORED)
    await stores.indexing.mark(stores.tenant, [memory.id], STORED)
    (progress,) = await outdated.replace(stores.tenant, [derived(memory, RULES, importance=0.7)])
    assert (progress.memory_id, progress.indexed, progress.enriched) == (memory.id, None, STORED)
    assert (await stores.memory()).importance == 0.7
    assert await _all(stores, outdated, OF_RULES, 10) == []
    assert list(await outdated.replace(stores.tenant, [derived(memory, RULES, importance=0.7)])) == [progress]


async def test_the_rating_alone_is_replaced(stores: Stores, outdated: BackfillStore) -> None:
    (memory_id,) = await _kept(stores, (OLD, OLD))
    (before,) = await stores.recollection.memories(stores.tenant, "u-1", [memory_id])
    new = replace(derived(before, RULES, importance=0.7), token_count=99)
    (progress,) = await outdated.replace(stores.tenant, [new], rating_only=True)
    assert progress.indexed is None
    (after,) = await stores.recollection.memories(stores.tenant, "u-1", [memory_id])
    assert after == replace(before, importance=0.7)
    assert await _all(stores, outdated, replace(OF_RULES, rating_only=True), 10) == []
    assert len(await _all(stores, outdated, OF_RULES, 10)) == 1


@pytest.mark.parametrize("rating_only", [True, False])
async def test_what_was_stated_and_what_use_has_added_stays(
    stores: Stores, outdated: BackfillStore, *, rating_only: bool
) -> None:
    await stores.record(
        new_message("stated", tenant=stores.tenant, kind="note", importance=0.9),
        new_message("used", tenant=stores.tenant, timestamp=at(1)),
    )
    memories = [await stores.memory(name) for name in ("stated", "used")]
    ids = tuple(one.id for one in memories)
    await stores.life.reinforce(stores.tenant, [Access(uuid4(), "u-1", ids[1:], STORED) for _ in range(2)])
    for version in (OLD, RULES):
        new = [derived(one, version, importance=0.5) for one in memories]
        await outdated.replace(stores.tenant, new, rating_only=rating_only)
    stated, used = [await stores.memory(name) for name in ("stated", "used")]
    assert (stated.importance, stated.kind) == (0.9, MemoryKind.NOTE)
    assert used.importance == pytest.approx(0.54)
    assert used.access_count == 2


async def test_the_rating_of_a_model_stays_while_rules_derive_the_rest(
    stores: Stores, outdated: BackfillStore
) -> None:
    (memory_id,) = await _kept(stores, (OLD, f"{OLD}+model"))
    (before,) = await stores.recollection.memories(stores.tenant, "u-1", [memory_id])
    new = derived(before, RULES, importance=0.7)
    assert len(await outdated.replace(stores.tenant, [new])) == 1
    (after,) = await stores.recollection.memories(stores.tenant, "u-1", [memory_id])
    assert after.importance == before.importance
    assert await _all(stores, outdated, OF_RULES, 10) == []


async def test_the_forgotten_do_not_come_back(stores: Stores, outdated: BackfillStore) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    gone = replace(await stores.memory(), id=uuid4())
    for rating_only in (True, False):
        assert await _replaced(stores, outdated, [derived(gone, RULES)], rating_only=rating_only) == []


async def test_what_was_derived_in_another_zone_is_not_written(
    stores: Stores, outdated: BackfillStore
) -> None:
    (memory_id,) = await _kept(stores, (OLD, OLD))
    (memory,) = await stores.recollection.memories(stores.tenant, "u-1", [memory_id])
    new = replace(derived(memory, RULES), timezone="Asia/Tokyo")
    assert await _replaced(stores, outdated, [new], rating_only=False) == []
    assert len(await _all(stores, outdated, OF_RULES, 10)) == 1


async def test_two_at_once_and_a_worker_between_them_end_in_one_state(
    stores: Stores, outdated: BackfillStore
) -> None:
    ids = await _kept(stores, *[(OLD, OLD)] * 12)
    memories = await stores.recollection.memories(stores.tenant, "u-1", ids)
    new = [derived(one, RULES, importance=0.7) for one in memories]
    await asyncio.gather(
        outdated.replace(stores.tenant, new),
        outdated.replace(stores.tenant, new[::-1]),
        stores.enrichments.save(stores.tenant, new, STORED),
        stores.indexing.mark(stores.tenant, ids[::-1], STORED),
    )
    assert await outdated.count(stores.tenant, OF_RULES) == {}
    kept = await stores.recollection.memories(stores.tenant, "u-1", ids)
    assert {one.importance for one in kept} == {0.7}


async def _replaced(
    stores: Stores, outdated: BackfillStore, new: Sequence[EnrichedMemory], *, rating_only: bool
) -> list[object]:
    return list(await outdated.replace(stores.tenant, new, rating_only=rating_only))
