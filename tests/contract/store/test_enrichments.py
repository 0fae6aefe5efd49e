"""An enrichment is written whole, beneath what was stated and used."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest
from tests.contract.store.stores import FEELING, STORED, Stores, enriched
from tests.fixtures.reference_formulas import MemoryStrength, reinforce
from tests.support.factories import at

from ricordo.language.annotations import EventTime, MemoryKind


async def _use(stores: Stores, times: int = 1) -> None:
    await stores.use(*[stores.id("m-1")] * times)


async def test_all_that_was_derived_is_written_and_a_repeat_changes_nothing(stores: Stores) -> None:
    await stores.say("m-1", timezone="Asia/Tokyo")
    events = ((at(-1440), at(0)), (at(60), at(61)), (at(-60), at(30)))
    derived = [enriched(await stores.memory(), events=events)]
    first = await stores.enrichments.save(stores.tenant, derived, STORED)
    kept = await stores.memory()
    assert (kept.type, kept.kind, kept.title) == ("emotional", "decision", "A dog")
    assert (kept.emotion, kept.importance, kept.token_count) == (FEELING, 0.4, 7)
    assert (kept.participants, kept.topics) == (("Davide", "Max"), ("dogs",))
    assert kept.event_times == tuple(EventTime(*one) for one in events)
    assert (kept.event_start, kept.event_end) == events[0]
    local = (kept.date.isoformat(), kept.time_of_day, kept.day_of_week)
    assert local == ("2026-01-05", "evening", "monday")
    assert await stores.enrichments.save(stores.tenant, derived, STORED) == first
    assert await stores.memory() == kept


async def test_what_the_bot_stated_is_loaded_and_wins(stores: Stores) -> None:
    await stores.say("m-1", kind="note", importance=0.9, participants=("Anna",))
    await stores.encode("m-1")
    (loaded,) = await stores.enrichments.load(stores.tenant, [stores.id("m-1"), uuid4()])
    assert loaded.stated_participants == ("Anna",)
    for _ in range(2):
        await stores.enrichments.save(stores.tenant, [enriched(await stores.memory())], STORED)
        kept = await stores.memory()
        assert (kept.kind, kept.importance) == (MemoryKind.NOTE, 0.9)


async def test_a_message_that_the_bot_describes_is_informative(stores: Stores) -> None:
    await stores.record(
        stores.message("m-1"),
        stores.message("m-2", kind="note", minute=1),
        stores.message("m-3", importance=0.0, minute=2),
    )
    names = ("m-1", "m-2", "m-3")
    for derived in (0.0, 1.0, 0.0):
        await stores.enrich(*names, informative=derived)
        assert [(await stores.memory(name)).informative for name in names] == [derived, 1, 1]


async def test_rules_alone_do_not_undo_what_a_model_derived(stores: Stores) -> None:
    await stores.say("m-1")
    await stores.enrich("m-1", importance=0.8, title="A dog called Max", version="rules-2+model")
    kept = await stores.memory()
    for version in ("rules-2", "rules-3"):
        derived = [enriched(kept, importance=0.2, title="Max", topics=("cats",), version=version)]
        (saved,) = await stores.enrichments.save(stores.tenant, derived, STORED)
        assert (saved.version, await stores.memory()) == ("rules-2+model", kept)
    await stores.enrich("m-1", importance=0.2, title="Max", version="rules-3+model")
    assert ((await stores.memory()).title, (await stores.memory()).importance) == ("Max", 0.2)


@pytest.mark.parametrize(("uses", "first"), [(1, True), (3, False), (40, True), (40, False)])
async def test_what_use_has_added_stays_whenever_it_was_added(
    stores: Stores, uses: int, *, first: bool
) -> None:
    await stores.say("m-1")
    if first:
        await _use(stores, uses)
    await stores.enrich("m-1", importance=0.6)
    if not first:
        await _use(stores, uses)
    await stores.enrich("m-1", importance=0.6)
    strength = MemoryStrength(importance=0.6)
    for _ in range(uses):
        strength = reinforce(strength, STORED)
    kept = await stores.memory()
    assert kept.importance == pytest.approx(strength.importance)
    assert (kept.access_count, kept.last_accessed) == (uses, STORED)


async def test_enriching_using_and_fading_at_once_lose_nothing(stores: Stores) -> None:
    names = [f"m-{n}" for n in range(12)]
    ids = await stores.say(*names)
    derived = [enriched(one) for one in await stores.found(*ids)]
    for _ in range(3):
        await asyncio.gather(
            stores.enrichments.save(stores.tenant, derived, STORED),
            stores.use(*ids[::-1]),
            stores.archive_faded(STORED + timedelta(days=30)),
            stores.record(stores.message(f"m-{uuid4()}", minute=5.5)),
            stores.encode(*names),
        )
    for kept in await stores.found(*ids):
        assert (kept.access_count, kept.title) == (3, "A dog")
        assert kept.importance == pytest.approx(0.46)
