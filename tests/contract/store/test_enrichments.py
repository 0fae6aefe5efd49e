"""Contract of `EnrichmentStore`: it writes what was derived, beneath what was stated and used."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest
from tests.contract.store.evidence import learn, said, tell
from tests.contract.store.stores import FEELING, MODEL, STORED, Stores, enriched, vector_of

from ricordo.language.annotations import EventTime, MemoryKind
from ricordo.memory.reinforcement import MemoryStrength, reinforce
from ricordo.store.lifecycle_store import Access
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration


async def test_all_that_was_derived_is_written(stores: Stores) -> None:
    await stores.record(new_message(tenant=stores.tenant, timezone="Asia/Tokyo"))
    events = ((at(-1440), at(0)), (at(60), at(61)), (at(-60), at(30)))
    await stores.enrichments.save(stores.tenant, [enriched(await stores.memory(), events=events)], STORED)
    kept = await stores.memory()
    assert (kept.type, kept.kind, kept.title) == ("emotional", "decision", "A dog")
    assert (kept.emotion, kept.importance, kept.token_count) == (FEELING, 0.4, 7)
    assert (kept.participants, kept.topics) == (("Davide", "Max"), ("dogs",))
    assert kept.event_times == tuple(EventTime(*one) for one in events)
    assert (kept.event_start, kept.event_end) == events[0]
    assert (kept.date.isoformat(), kept.time_of_day, kept.day_of_week) == (
        "2026-01-05",
        "evening",
        "monday",
    )


async def test_what_the_bot_stated_is_shown_and_wins(stores: Stores) -> None:
    await stores.record(
        new_message(
            tenant=stores.tenant, kind="note", importance=0.9, participants=("Anna",), speaker="Davide"
        )
    )
    await stores.encode("m-1")
    (unenriched,) = await stores.enrichments.load(stores.tenant, MODEL, [stores.id("m-1"), uuid4()])
    assert unenriched.stated_participants == ("Anna",)
    assert unenriched.vector is not None
    assert unenriched.vector.tolist() == vector_of(stores.id("m-1")).tolist()
    for _ in range(2):
        await stores.enrichments.save(stores.tenant, [enriched(unenriched.memory)], STORED)
        kept = await stores.memory()
        assert (kept.kind, kept.importance) == (MemoryKind.NOTE, 0.9)


async def test_what_the_bot_says_of_it_makes_it_a_memory(stores: Stores) -> None:
    await stores.record(
        new_message("m-1", tenant=stores.tenant),
        new_message("m-2", tenant=stores.tenant, kind="note", timestamp=at(1)),
        new_message("m-3", tenant=stores.tenant, importance=0.0, timestamp=at(2)),
    )
    names = ("m-1", "m-2", "m-3")
    for told in (0.0, 1.0, 0.0):
        derived = [enriched(await stores.memory(name), informative=told) for name in names]
        await stores.enrichments.save(stores.tenant, derived, STORED)
        assert [(await stores.memory(name)).informative for name in names] == [told, 1, 1]


async def test_a_repeat_changes_nothing(stores: Stores) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    derived = [enriched(await stores.memory())]
    first = await stores.enrichments.save(stores.tenant, derived, STORED)
    before = await stores.memory()
    assert await stores.enrichments.save(stores.tenant, derived, STORED) == first
    assert await stores.memory() == before


async def test_rules_alone_do_not_undo_what_was_derived_with_a_model(stores: Stores) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    memory = await stores.memory()
    by_model = enriched(memory, importance=0.8, title="A dog called Max", version="rules-2+model")
    await stores.enrichments.save(stores.tenant, [by_model], STORED)
    kept = await stores.memory()
    again = enriched(memory, importance=0.2, title="Max", topics=("cats",), version="rules-2")
    (saved,) = await stores.enrichments.save(stores.tenant, [again], STORED)
    assert saved.version == "rules-2+model"
    assert await stores.memory() == kept
    newer = enriched(memory, importance=0.2, title="Max", version="rules-3")
    await stores.enrichments.save(stores.tenant, [newer], STORED)
    assert await stores.memory() == kept
    newer = enriched(memory, importance=0.2, title="Max", version="rules-3+model")
    await stores.enrichments.save(stores.tenant, [newer], STORED)
    assert ((await stores.memory()).title, (await stores.memory()).importance) == ("Max", 0.2)


@pytest.mark.parametrize("used_first", [True, False])
@pytest.mark.parametrize("uses", [1, 3, 40])
async def test_what_use_has_added_stays_whenever_it_was_added(
    stores: Stores, uses: int, *, used_first: bool
) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    memory = await stores.memory()

    async def use() -> None:
        accesses = [Access(uuid4(), "u-1", (memory.id,), STORED) for _ in range(uses)]
        await stores.life.reinforce(stores.tenant, accesses)

    if used_first:
        await use()
    for version in ("v1", "v2"):
        derived = enriched(memory, importance=0.6)
        await stores.enrichments.save(stores.tenant, [derived], STORED)
        if version == "v1" and not used_first:
            await use()
    strength = MemoryStrength(importance=0.6)
    for _ in range(uses):
        strength = reinforce(strength, STORED)
    kept = await stores.memory()
    assert kept.importance == pytest.approx(strength.importance)
    assert (kept.access_count, kept.last_accessed) == (uses, STORED)


async def test_what_was_learned_meanwhile_adds_nothing(stores: Stores) -> None:
    await stores.record(*(new_message(f"m-{n}", tenant=stores.tenant, timestamp=at(n)) for n in range(2)))
    ids = [stores.id("m-0"), stores.id("m-1")]
    before = await stores.enrichments.load(stores.tenant, MODEL, ids)
    await learn(stores, tell(stores, "m-0", said("friend", "Bea")))
    assert await stores.enrichments.load(stores.tenant, MODEL, ids) == before


async def test_enriching_using_and_fading_at_once_lose_nothing(stores: Stores) -> None:
    names = [f"m-{n}" for n in range(12)]
    await stores.record(
        *(new_message(name, tenant=stores.tenant, timestamp=at(n)) for n, name in enumerate(names))
    )
    memories = [await stores.memory(name) for name in names]
    later = STORED + timedelta(days=30)
    for _ in range(3):
        ids = tuple(one.id for one in memories)
        await asyncio.gather(
            stores.enrichments.save(stores.tenant, [enriched(one) for one in memories], STORED),
            stores.life.reinforce(stores.tenant, [Access(uuid4(), "u-1", ids[::-1], STORED)]),
            stores.life.decay(stores.tenant, later, user_id=None, after=None, limit=50, floors=True),
            stores.record(new_message(f"m-{uuid4()}", tenant=stores.tenant, timestamp=at(5.5))),
            stores.encode(*names),
        )
    for name in names:
        kept = await stores.memory(name)
        assert (kept.access_count, kept.title) == (3, "A dog")
        assert kept.importance == pytest.approx(0.46)
