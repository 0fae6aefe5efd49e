"""Memories grow stronger by use and fade with time; moves and failures are known until they were told."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from tests.contract.store.stores import STORED, Stores

from ricordo.language.annotations import Emotion
from ricordo.memory.model import Stage
from ricordo.messages.enumerations import ArchiveReason
from ricordo.store import lifecycle_store
from ricordo.store.lifecycle_store import RecallUse
from ricordo.store.pass_store import OBSERVATIONS

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


async def test_a_dead_letter_is_shown_by_the_status_and_its_stage_is_not_tried_again(stores: Stores) -> None:
    await stores.say("m-1", "m-2")
    for sequence in (1, 2, 2):
        await stores.record_dead_letter(sequence=sequence)
    await stores.record_dead_letter(None, sequence=3)
    await stores.record_dead_letter("m-2", code="id_conflict", consumer="ingest")
    failure = (await stores.queries.status(stores.tenant, "m-1")).failure
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
    await stores.record_dead_letter(reason="a\0b\ud800")
    failure = (await stores.queries.status(stores.tenant, "m-1")).failure
    assert failure is not None
    assert failure.reason == "a␀b\\ud800"


async def test_old_uses_and_reasons_are_dropped(stores: Stores) -> None:
    (only,) = await _remembered(stores, 1)
    old, recent = _access(only, minute=0), _access(only, minute=60)
    await _use(stores, old, recent)
    await stores.tidy(used_before=STORED + timedelta(minutes=30))
    await _use(stores, old, recent)
    assert (await stores.memory("m-0")).access_count == 3
    await stores.say("m-1", "m-2")
    for sequence in (1, 2):
        await stores.record_dead_letter(f"m-{sequence}", sequence=sequence)
    await stores.tidy(died_before=STORED + timedelta(seconds=2))
    failures = [(await stores.queries.status(stores.tenant, name))[1] for name in ("m-1", "m-2")]
    assert [one is None for one in failures] == [True, False]
    assert "m-1" in {one.progress.message_id for one in await stores.lost()}


DAY = timedelta(days=1)
TIME = STORED + DAY
"""When memories expire here, unless a test says otherwise."""


async def _expire(
    stores: Stores, now: datetime, *, user_id: str | None = None, limit: int = 9
) -> Sequence[tuple[UUID, str]]:
    return await stores.retention.expire(stores.tenant, now, user_id=user_id, kept=DAY, limit=limit)


async def test_memories_are_counted_by_user(stores: Stores) -> None:
    await stores.say("m-1", "m-2")
    await stores.say("m-3", user_id="u-2")
    counts = [await stores.retention.count(stores.tenant, user) for user in (None, "u-1", "u-2", "u-3")]
    assert counts == [3, 2, 1, 0]
    over_quota = stores.retention.over_quota
    assert await over_quota(stores.tenant, OBSERVATIONS, 1, None) == {"u-1": 2}
    assert await over_quota(stores.tenant, OBSERVATIONS, 2, None) == {}
    assert await over_quota(stores.tenant, OBSERVATIONS, 0, "u-2") == {"u-2": 1}
    assert await over_quota(stores.tenant, ("reflection",), 0, None) == {}


async def test_a_memory_past_its_time_is_archived_once_and_none_before(stores: Stores) -> None:
    ids = await stores.say("m-1", "m-2", expires_at=TIME)
    await stores.say("m-3")
    assert await _expire(stores, TIME - timedelta(microseconds=1)) == []
    expiring = stores.retention.expiring
    counts = [await expiring(stores.tenant, TIME, user_id=user, kept=DAY) for user in (None, "u-2")]
    assert counts == [2, 0]
    assert {one for one, _ in await _expire(stores, TIME)} == set(ids)
    assert await _expire(stores, TIME) == []
    assert [(await stores.memory(name)).archived_at for name in ("m-1", "m-3")] == [TIME, None]
    assert {one.reason for one in await stores.moves()} == {ArchiveReason.EXPIRY}


async def test_a_few_at_a_time_expire_the_oldest_first(stores: Stores) -> None:
    await stores.say("m-1", expires_at=TIME + DAY)
    await stores.say("m-2", expires_at=TIME)
    now = TIME + 2 * DAY
    assert await _expire(stores, now, user_id="u-2") == []
    assert await _expire(stores, now, limit=1) == [(stores.id("m-2"), "u-1")]
    assert await _expire(stores, now, user_id="u-1") == [(stores.id("m-1"), "u-1")]


async def test_a_use_brings_an_expired_memory_back_for_a_day(stores: Stores) -> None:
    await stores.say("m-1", expires_at=TIME)
    await stores.use(stores.id("m-1"), at=TIME - timedelta(minutes=1))  # before its time: that keeps nothing
    assert len(await _expire(stores, TIME)) == 1
    used = TIME + 3 * DAY
    await stores.use(stores.id("m-1"), at=used)
    assert (await stores.memory("m-1")).archived_at is None
    for minutes in (0, 1, 60 * 24 - 1):
        assert await _expire(stores, used + timedelta(minutes=minutes)) == []
    assert len(await _expire(stores, used + DAY)) == 1
    await stores.use(stores.id("m-1"), at=used + 2 * DAY)
    assert await _expire(stores, used + 2 * DAY) == []


async def test_a_use_that_is_dated_ahead_keeps_nothing(stores: Stores) -> None:
    await stores.say("m-1", expires_at=TIME)
    await stores.use(stores.id("m-1"), at=TIME + 4000 * DAY)
    assert len(await _expire(stores, TIME)) == 1


AFTER = STORED + timedelta(seconds=1)
_FILL = Path(__file__).with_name("old_rows.sql").read_text(encoding="utf-8")
_LEFT = """
select (select count(*) from inbox where tenant = $1), (select count(*) from memory_uses where tenant = $1),
       (select count(*) from requests where tenant = $1),
       (select count(*) from dead_letters where tenant = $1),
       (select count(*) from listings where tenant = $1)
"""
_HOLD = [
    f"select 1 from {table} where tenant = $1 limit 1 for update"
    for table in ("inbox", "memory_uses", "requests", "dead_letters", "listings")
]


async def _left(stores: Stores) -> tuple[int, ...]:
    (row,) = await stores.fetch(_LEFT, stores.tenant)
    return row


async def test_what_is_held_is_left_to_the_next_time(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than one statement drops goes at once but for it; nobody is waited for."""
    monkeypatch.setattr(lifecycle_store, "_DROPPED", 100)  # rows, of 240
    await stores.say("m-1")
    await stores.execute(_FILL, stores.tenant, stores.id("m-1"), STORED, 240)
    async with stores.transaction() as connection:
        for query in _HOLD:
            await connection.execute(query, stores.tenant)
        async with asyncio.timeout(30):
            await stores.tidy(AFTER)
        assert await _left(stores) == (1,) * 5
    await stores.tidy(AFTER)
    assert await _left(stores) == (0,) * 5
