"""Memories grow stronger by use and fade with time; moves and failures are known until they were told."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from uuid import UUID, uuid4

import pytest
from tests.contract.store.stores import STORED, Stores, dead_letter

from ricordo.language.annotations import Emotion
from ricordo.memory.model import Stage
from ricordo.messages.enumerations import ArchiveReason
from ricordo.store.lifecycle_store import RecallUse

CALM = Emotion(arousal=0.05)
LATER = datetime.now(UTC) + timedelta(days=1)


async def _remembered(stores: Stores, count: int = 3) -> list[UUID]:
    """Record so many calm memories, with an importance that grows from 0 by tenths."""
    ids = await stores.say(*(f"m-{n}" for n in range(count)))
    for n in range(count):
        await stores.enrich(f"m-{n}", importance=n / 10, emotion=CALM)
    return ids


def _access(*ids: UUID, minute: float = 0, user_id: str = "u-1") -> list[RecallUse]:
    recall, when = uuid4(), STORED + timedelta(minutes=minute)
    return [RecallUse(user_id, one, recall, when, accessed_at=when) for one in ids]


async def _use(stores: Stores, *accesses: Sequence[RecallUse]) -> None:
    await stores.lifecycle.reinforce(stores.tenant, list(chain.from_iterable(accesses)))


async def _tidied(stores: Stores, *, used_before: datetime = STORED, died_before: datetime = STORED) -> None:
    await stores.lifecycle.tidy(
        stores.tenant,
        handled_before=STORED,
        used_before=used_before,
        died_before=died_before,
        listed_before=STORED,
    )


async def test_a_recall_counts_once_in_a_batch_across_batches_and_at_once(stores: Stores) -> None:
    ids = await _remembered(stores)
    once, twice = _access(*ids), _access(*ids, *ids)
    await _use(stores, once, once)
    await asyncio.gather(*(_use(stores, once, twice) for _ in range(6)))
    assert [(await stores.memory(f"m-{n}")).access_count for n in range(3)] == [2, 2, 2]


async def test_many_uses_at_once_in_any_order_lose_nothing(stores: Stores) -> None:
    ids = await _remembered(stores, 8)
    accesses = [_access(*(ids if n % 2 else ids[::-1]), minute=n) for n in range(24)]
    await asyncio.gather(*(_use(stores, *accesses[n : n + 2]) for n in range(0, 24, 2)))
    for n in range(8):
        kept = await stores.memory(f"m-{n}")
        assert (kept.access_count, kept.last_accessed) == (24, STORED + timedelta(minutes=23))
        assert kept.reinforcement == pytest.approx(24 * 0.05)


async def test_memories_of_another_user_and_none_at_all_are_left_alone(stores: Stores) -> None:
    (only,) = await _remembered(stores, 1)
    await _use(stores)
    await _use(stores, _access(only, uuid4(), user_id="u-2"), _access())
    assert (await stores.memory("m-0")).access_count == 0
    await stores.record(stores.message("m-9", user_id="u-2"))
    done = await stores.archive_faded(STORED + timedelta(days=60), user_id="u-2")
    assert (done.examined, done.archived) == (1, ())


async def test_moves_to_and_from_the_archive_are_known_until_they_were_reported(stores: Stores) -> None:
    ids, moves = await _remembered(stores, 2), stores.lifecycle.unreported_moves
    assert await moves(stores.tenant, LATER, 9) == []
    await stores.archive_faded(STORED + timedelta(days=2000))
    taken = await moves(stores.tenant, LATER, 9)
    assert [(one.memory_id, one.user_id, one.reason) for one in taken] == [
        (one, "u-1", ArchiveReason.DECAY) for one in sorted(ids)
    ]
    assert await moves(stores.tenant, LATER, 1) == taken[:1]
    assert await moves(stores.tenant, taken[0].at, 9) == []
    assert await moves(stores.tenant, LATER, 9, user_id="u-1") == taken
    assert await moves(stores.tenant, LATER, 9, user_id="u-2") == []
    await _use(stores, _access(ids[0]))
    await stores.lifecycle.mark_reported(stores.tenant, taken)
    (back,) = await moves(stores.tenant, LATER, 9)
    assert (back.memory_id, back.reason) == (ids[0], None), "it moved once more meanwhile"
    await _use(stores, _access(ids[0]))
    assert await moves(stores.tenant, LATER, 9) == [back]
    await stores.lifecycle.mark_reported(stores.tenant, [back])
    assert await moves(stores.tenant, LATER, 9) == []
    await stores.lifecycle.mark_reported(stores.tenant, [])


async def test_lost_stages_are_found_oldest_first(stores: Stores) -> None:
    await stores.say("m-1")
    await stores.record(stores.message("m-2", minute=1), at=STORED + timedelta(minutes=5))
    await stores.encode("m-1")
    (first,) = await stores.lost(STORED + timedelta(minutes=4))
    assert first.progress.message_id == "m-1"
    assert first.stages == {Stage.ENRICHED, Stage.EXTRACTED}
    for limit, names in ((10, ["m-1", "m-2"]), (1, ["m-1"])):
        found = await stores.lost(limit=limit)
        assert sorted(str(one.progress.message_id) for one in found) == names


async def test_a_dead_letter_is_shown_by_the_status_and_its_stage_is_not_tried_again(
    stores: Stores,
) -> None:
    await stores.say("m-1", "m-2")
    for sequence in (1, 2, 2):
        await stores.record_dead_letter(sequence=sequence)
    await stores.record_dead_letter(None, sequence=3)
    await stores.record_dead_letter("m-2", code="id_conflict", consumer="ingest")
    _, failure = await stores.queries.status(stores.tenant, "m-1")
    assert failure is not None
    assert (failure.code, failure.died_at) == ("max_deliver", STORED + timedelta(seconds=2))
    lost = {one.progress.message_id: one.stages for one in await stores.lost()}
    wanted = {"m-2": {Stage.ENCODED}}
    assert lost == wanted, "a conflict of ids does not stop the message that came first"
    await stores.set_stages("m-2", stages=[Stage.ENCODED, Stage.ENRICHED])
    for consumer in ("knowledge", "graph"):
        await stores.record_dead_letter("m-2", consumer=consumer)
    assert {Stage.INDEXED} in [one.stages for one in await stores.lost()], (
        "lost with its event, whoever else failed"
    )


async def test_a_reason_may_quote_what_no_database_takes(stores: Stores) -> None:
    await stores.record_dead_letter("m\0-1\ud800", sequence=2)
    letter = replace(dead_letter(stores), reason="a\0b\ud800")
    await stores.lifecycle.record_dead_letter(stores.tenant, letter, _publish)
    _, failure = await stores.queries.status(stores.tenant, "m-1")
    assert failure is not None
    assert failure.reason == "a␀b\\ud800"


async def _publish() -> None:
    """Keep a dead letter elsewhere."""


async def test_old_uses_and_reasons_are_dropped(stores: Stores) -> None:
    (only,) = await _remembered(stores, 1)
    old, recent = _access(only, minute=0), _access(only, minute=60)
    await _use(stores, old, recent)
    await _tidied(stores, used_before=STORED + timedelta(minutes=30))
    await _use(stores, old, recent)
    assert (await stores.memory("m-0")).access_count == 3
    await stores.say("m-1", "m-2")
    for sequence in (1, 2):
        await stores.record_dead_letter(f"m-{sequence}", sequence=sequence)
    await _tidied(stores, died_before=STORED + timedelta(seconds=2))
    failures = [(await stores.queries.status(stores.tenant, name))[1] for name in ("m-1", "m-2")]
    assert [one is None for one in failures] == [True, False]
    assert "m-1" in {one.progress.message_id for one in await stores.lost()}


async def test_a_tenant_is_known_from_its_first_message_on(stores: Stores) -> None:
    assert stores.tenant not in await stores.lifecycle.tenants()
    await stores.say("m-1")
    assert stores.tenant in await stores.lifecycle.tenants()
