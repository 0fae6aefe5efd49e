"""What the stages promise, whoever sets them: set once, in any order, and the last one sees all of them."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from tests.contract.store.stores import MODEL, STORED, Stores, enriched
from tests.contract.store.test_lifecycle_store import kept, letter

from ricordo.memory.facts.projection import FactDelta
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.memory.progress import Progress, Stage
from ricordo.testing.factories import START, at, new_message

pytestmark = pytest.mark.integration

Setter = Callable[[Stores, Sequence[str], datetime], Awaitable[Sequence[Progress]]]


async def _encoded(stores: Stores, names: Sequence[str], when: datetime) -> Sequence[Progress]:
    return await stores.encode(*names, at=when)


async def _enriched(stores: Stores, names: Sequence[str], when: datetime) -> Sequence[Progress]:
    ids = [stores.id(name) for name in names]
    memories = await stores.recollection.memories(stores.tenant, "u-1", ids)
    by_id = {one.id: one for one in memories}
    found = [enriched(by_id[one]) for one in ids if one in by_id]
    return [saved.progress for saved in await stores.enrichments.save(stores.tenant, found, when)]


async def _indexed(stores: Stores, names: Sequence[str], when: datetime) -> Sequence[Progress]:
    return await stores.indexing.mark(stores.tenant, [stores.id(name) for name in names], when)


async def _extracted(stores: Stores, names: Sequence[str], when: datetime) -> Sequence[Progress]:
    told = [
        ExtractedEvidence(memory_id=stores.id(name), message_id=name, user_id="u-1", said_at=START)
        for name in names
    ]
    return (await stores.ledger.record(stores.tenant, told, _nowhere, when))[1]


async def _nowhere(learned: FactDelta) -> None:
    """Project nothing."""


SETTERS: dict[Stage, Setter] = {
    Stage.ENCODED: _encoded,
    Stage.ENRICHED: _enriched,
    Stage.INDEXED: _indexed,
    Stage.EXTRACTED: _extracted,
}
CONSUMERS: dict[Stage, str] = {
    Stage.ENCODED: "encode",
    Stage.ENRICHED: "enrichment",
    Stage.INDEXED: "index",
    Stage.EXTRACTED: "knowledge",
}


async def _reasons(stores: Stores, *letters: tuple[str, str, str]) -> None:
    """Bury letters: message, consumer, code."""
    for sequence, (name, consumer, code) in enumerate(letters, 1):
        buried = letter(stores, name, consumer=consumer, code=code, sequence=sequence)
        await stores.life.record_dead_letter(stores.tenant, buried, kept)


async def _reason(stores: Stores, name: str) -> str | None:
    failure = (await stores.recollection.status(stores.tenant, name))[1]
    return None if failure is None else failure.code


async def test_in_any_order_the_row_is_returned_whole_and_only_the_last_sees_all(stores: Stores) -> None:
    for turn, order in enumerate(itertools.permutations(SETTERS)):
        name = f"m-{turn}"
        await stores.record(new_message(name, tenant=stores.tenant, timestamp=at(turn)))
        seen: dict[Stage, datetime | None] = {}
        for step, stage in enumerate(order, 1):
            seen[stage] = STORED + timedelta(seconds=step)
            (progress,) = await SETTERS[stage](stores, [name], STORED + timedelta(seconds=step))
            assert {one: getattr(progress, one.value) for one in SETTERS} == dict.fromkeys(SETTERS) | seen
            assert progress.ingested == STORED
            assert progress.remembered == (step == len(order))


async def test_a_stage_keeps_its_first_instant_and_a_repeat_returns_the_state(stores: Stores) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    for setter in SETTERS.values():
        first = await setter(stores, ["m-1"], STORED)
        assert await setter(stores, ["m-1"], STORED + timedelta(days=1)) == first


async def test_set_at_once_by_all_workers_the_completing_one_knows_it(stores: Stores) -> None:
    names = [f"m-{n}" for n in range(16)]
    await stores.record(
        *(new_message(name, tenant=stores.tenant, timestamp=at(n)) for n, name in enumerate(names))
    )
    calls = [
        setter(stores, order, STORED) for setter in SETTERS.values() for order in (names[:8], names[8:][::-1])
    ]
    answers = await asyncio.gather(*calls)
    for name in names:
        completed = [one for answer in answers for one in answer if one.message_id == name and one.remembered]
        assert len(completed) == 1


async def test_opposite_orders_and_repeats_never_wait_in_a_circle(stores: Stores) -> None:
    names = [f"m-{n}" for n in range(20)]
    await stores.record(
        *(new_message(name, tenant=stores.tenant, timestamp=at(n)) for n, name in enumerate(names))
    )
    for _ in range(5):
        await asyncio.gather(
            *(setter(stores, order, STORED) for setter in SETTERS.values() for order in (names, names[::-1]))
        )
    progress = [await stores.progress(name) for name in names]
    assert all(one is not None and one.remembered for one in progress)


async def test_states_come_in_the_order_asked_and_the_unknown_are_left_out(stores: Stores) -> None:
    await stores.record(*(new_message(f"m-{n}", tenant=stores.tenant, timestamp=at(n)) for n in range(3)))
    for setter in SETTERS.values():
        progress = await setter(stores, ["m-2", "m-9", "m-0"], STORED)
        assert [one.message_id for one in progress] == ["m-2", "m-0"]
        assert list(await setter(stores, [], STORED)) == []


async def test_a_stage_that_is_set_takes_the_reason_with_it_why_it_was_not(stores: Stores) -> None:
    for turn, (stage, consumer) in enumerate(CONSUMERS.items()):
        names = [f"m-{turn}", f"other-{turn}"]
        await stores.record(*(new_message(name, tenant=stores.tenant, timestamp=at(turn)) for name in names))
        await _reasons(stores, *((name, consumer, f"{consumer} failed") for name in names))
        for other in SETTERS.keys() - {stage}:
            await SETTERS[other](stores, names, STORED)
        assert await _reason(stores, names[0]) == f"{consumer} failed"
        assert await stores.life.lagging(stores.tenant, STORED + timedelta(days=1), timedelta(0), 9) == []
        (progress,) = await SETTERS[stage](stores, names[:1], STORED)
        assert progress.remembered
        assert [await _reason(stores, name) for name in names] == [None, f"{consumer} failed"]


async def test_what_lacks_no_more_than_its_facts_hides_nothing(stores: Stores) -> None:
    """However many these are, while the graph is away."""
    for minute, name in enumerate(("m-1", "m-2", "m-3")):
        await stores.record(new_message(name, tenant=stores.tenant, timestamp=at(minute)), at=STORED)
    for stage in (Stage.ENCODED, Stage.ENRICHED, Stage.INDEXED):
        await SETTERS[stage](stores, ["m-1", "m-2"], STORED)
    (first,) = await stores.life.lagging(stores.tenant, STORED + timedelta(days=1), timedelta(0), 1)
    assert first.progress.message_id == "m-3"


async def test_of_ingest_only_what_it_refused_keeps_its_reason(stores: Stores) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    exhausted, refused = ("m-1", "ingest", "attempts_exhausted"), ("m-1", "ingest", "id_conflict")
    await _reasons(stores, refused, exhausted, ("m-1", "ingest-bulk", "attempts_exhausted"))
    assert await _reason(stores, "m-1") == "attempts_exhausted"
    await stores.encode("m-1")
    assert await _reason(stores, "m-1") == "id_conflict"


async def test_another_tenants_stage_is_not_set(stores: Stores) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    here: Sequence[UUID] = [stores.id("m-1")]
    assert list(await stores.indexing.mark(stores.elsewhere().tenant, here, STORED)) == []
    assert await stores.encodings.load(stores.elsewhere().tenant, MODEL, here) == []
    progress = await stores.progress()
    assert progress is not None
    assert progress.indexed is None
