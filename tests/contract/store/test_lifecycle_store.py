"""Contract of `LifecycleStore`."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from tests.contract.store.stores import STORED, Stores, enriched

from ricordo.bus.port import DeadLetter
from ricordo.language.annotations import Emotion
from ricordo.memory.decay import DecayResult, decay
from ricordo.memory.progress import Stage
from ricordo.memory.reinforcement import MemoryStrength, reinforce
from ricordo.messages.vocabulary import ArchiveReason
from ricordo.store.lifecycle_store import Access
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

CALM = Emotion(arousal=0.05)


async def remembered(stores: Stores, count: int = 3) -> list[UUID]:
    """Record so many memories calm ones, with an importance that grows from 0 by tenths."""
    names = [f"m-{n}" for n in range(count)]
    await stores.record(
        *(new_message(name, tenant=stores.tenant, timestamp=at(n)) for n, name in enumerate(names))
    )
    for n, name in enumerate(names):
        derived = enriched(await stores.memory(name), importance=n / 10, emotion=CALM)
        await stores.enrichments.save(stores.tenant, [derived], STORED)
    return [stores.id(name) for name in names]


def _access(*ids: UUID, recall: UUID | None = None, minute: float = 0, user_id: str = "u-1") -> Access:
    return Access(recall or uuid4(), user_id, ids, STORED + timedelta(minutes=minute))


async def _tidied(stores: Stores, *, used_before: datetime = STORED, died_before: datetime = STORED) -> None:
    await stores.life.tidy(
        stores.tenant, handled_before=STORED, used_before=used_before, died_before=died_before
    )


async def _lagging(stores: Stores) -> list[str | None]:
    found = await stores.life.lagging(stores.tenant, STORED + timedelta(days=1), timedelta(0), 10)
    return [one.progress.message_id for one in found]


async def _all_archived(stores: Stores) -> None:
    """Let years pass."""
    now = STORED + timedelta(days=2000)
    await stores.life.decay(stores.tenant, now, user_id=None, after=None, limit=100, floors=False)


def letter(
    stores: Stores,
    message_id: str | None = "m-1",
    *,
    code: str = "max_deliver",
    consumer: str = "encode",
    sequence: int = 1,
    memory_id: UUID | None = None,
) -> DeadLetter:
    """Return a dead letter of the tenant; with a memory's id, of one that no message is behind."""
    return DeadLetter(
        tenant=stores.tenant,
        message_id=message_id,
        memory_id=memory_id,
        code=code,
        sentence=f"{code}: it did not work",
        attempts=5,
        consumer=consumer,
        subject=f"memory.v1.{stores.tenant}.memory.created",
        stream="RICORDO",
        sequence=sequence,
        body=b"{}",
        headers={},
        at=STORED + timedelta(seconds=sequence),
    )


async def kept() -> None:
    """Keep a dead letter somewhere else."""


async def test_use_makes_stronger_by_the_formula(stores: Stores) -> None:
    ids = await remembered(stores)
    expected = [MemoryStrength(importance=n / 10) for n in range(3)]
    for turn in range(4):
        await stores.life.reinforce(stores.tenant, [_access(*ids, minute=turn)])
        expected = [reinforce(one, STORED + timedelta(minutes=turn)) for one in expected]
    for n, strength in enumerate(expected):
        kept = await stores.memory(f"m-{n}")
        assert kept.importance == pytest.approx(strength.importance)
        assert kept.reinforcement == pytest.approx(strength.reinforcement)
        assert (kept.access_count, kept.last_accessed) == (
            strength.access_count,
            strength.last_accessed,
        )
        assert kept.decay_factor == 1


async def test_a_recall_counts_once_in_a_batch_across_batches_and_at_once(stores: Stores) -> None:
    ids = await remembered(stores)
    once, twice = _access(*ids, recall=uuid4()), _access(*ids, *ids, recall=uuid4())
    await stores.life.reinforce(stores.tenant, [once, once])
    await stores.life.reinforce(stores.tenant, [twice, once])
    await asyncio.gather(*(stores.life.reinforce(stores.tenant, [once, twice]) for _ in range(6)))
    assert [(await stores.memory(f"m-{n}")).access_count for n in range(3)] == [2, 2, 2]


async def test_many_readers_at_once_lose_nothing(stores: Stores) -> None:
    ids = await remembered(stores, 8)
    accesses = [_access(*(ids if n % 2 else ids[::-1]), minute=n) for n in range(24)]
    await asyncio.gather(
        *(stores.life.reinforce(stores.tenant, accesses[n : n + 2]) for n in range(0, 24, 2))
    )
    for n in range(8):
        kept = await stores.memory(f"m-{n}")
        assert kept.access_count == 24
        assert kept.reinforcement == pytest.approx(24 * 0.05)
        assert kept.last_accessed == STORED + timedelta(minutes=23)


async def test_a_late_use_does_not_turn_time_back(stores: Stores) -> None:
    (only,) = await remembered(stores, 1)
    for minute in (9, 2):
        await stores.life.reinforce(stores.tenant, [_access(only, minute=minute)])
    assert (await stores.memory("m-0")).last_accessed == STORED + timedelta(minutes=9)


async def test_others_memories_and_none_at_all_are_left_alone(stores: Stores) -> None:
    (only,) = await remembered(stores, 1)
    await stores.life.reinforce(stores.tenant, [])
    await stores.life.reinforce(stores.tenant, [_access(only, uuid4(), user_id="u-2"), _access()])
    await stores.life.reinforce(stores.elsewhere().tenant, [_access(only)])
    assert (await stores.memory("m-0")).access_count == 0


@pytest.mark.parametrize("floors", [True, False])
async def test_fading_follows_the_formula_and_a_second_pass_changes_nothing(
    stores: Stores, *, floors: bool
) -> None:
    ids = await remembered(stores, 6)
    now = STORED + timedelta(days=365)
    done = await stores.life.decay(stores.tenant, now, user_id=None, after=None, limit=100, floors=floors)
    assert (done.examined, done.changed, done.last) == (6, 6, None)
    archived = set()
    for n in range(6):
        kept = await stores.memory(f"m-{n}")
        faded = decay(days=365, arousal=0.05, importance=n / 10, access_count=0, floors=floors)
        assert faded is not None
        assert kept.decay_factor == pytest.approx(faded.factor)
        assert kept.archived_at == (now if faded.archived else None)
        archived |= {ids[n]} if faded.archived else set()
    assert {one for one, user in done.archived if user == "u-1"} == archived
    again = await stores.life.decay(stores.tenant, now, user_id=None, after=None, limit=100, floors=floors)
    assert (again.changed, again.archived) == (0, ())


async def test_a_week_of_grace_counts_from_storage_or_the_last_use(stores: Stores) -> None:
    ids = await remembered(stores, 2)
    await stores.life.reinforce(stores.tenant, [_access(ids[0], minute=60)])
    for elapsed, changed in (
        (timedelta(days=8) - timedelta(microseconds=1), 0),
        (timedelta(days=8), 1),
        (timedelta(days=8, minutes=60), 1),
    ):
        done = await stores.life.decay(
            stores.tenant, STORED + elapsed, user_id=None, after=None, limit=9, floors=True
        )
        assert done.changed == changed


async def test_slices_cut_off_and_taken_up_again_come_to_the_same(stores: Stores) -> None:
    ids = set(await remembered(stores, 7))
    now, seen, last = STORED + timedelta(days=100), 0, None
    while True:
        done = await stores.life.decay(stores.tenant, now, user_id=None, after=last, limit=3, floors=True)
        seen += done.examined
        if done.last is None:
            break
        last = done.last
        ids.remove(last)
        again = await stores.life.decay(stores.tenant, now, user_id=None, after=None, limit=seen, floors=True)
        assert (again.changed, again.last) == (0, last)
    assert seen == 7
    factors = [(await stores.memory(f"m-{n}")).decay_factor for n in range(7)]
    assert factors == [
        pytest.approx(factor(decay(days=100, arousal=0.05, importance=n / 10, access_count=0)))
        for n in range(7)
    ]


async def test_only_one_users_memories_fade_when_asked_so(stores: Stores) -> None:
    await remembered(stores, 2)
    await stores.record(new_message("m-9", tenant=stores.tenant, user_id="u-2"))
    done = await stores.life.decay(
        stores.tenant,
        STORED + timedelta(days=60),
        user_id="u-2",
        after=None,
        limit=9,
        floors=True,
    )
    assert (done.examined, done.changed) == (1, 1)
    assert (await stores.memory("m-0")).decay_factor == 1


async def test_what_the_archive_takes_or_gives_back_is_known_until_it_was_told(stores: Stores) -> None:
    ids, later = await remembered(stores, 2), datetime.now(UTC) + timedelta(minutes=1)
    assert await stores.life.unreported_moves(stores.tenant, later, 9) == []
    await _all_archived(stores)
    taken = await stores.life.unreported_moves(stores.tenant, later, 9)
    assert [(one.memory_id, one.user_id, one.reason) for one in taken] == [
        (one, "u-1", ArchiveReason.DECAY) for one in sorted(ids)
    ]
    assert await stores.life.unreported_moves(stores.tenant, later, 1) == taken[:1]
    assert await stores.life.unreported_moves(stores.tenant, taken[0].at, 9) == []
    assert await stores.life.unreported_moves(stores.elsewhere().tenant, later, 9) == []
    assert await stores.life.unreported_moves(stores.tenant, later, 9, user_id="u-1") == taken
    assert await stores.life.unreported_moves(stores.tenant, later, 9, user_id="u-2") == []
    await stores.life.reinforce(stores.tenant, [_access(ids[0])])
    await stores.life.mark_reported(stores.tenant, taken)
    (back,) = await stores.life.unreported_moves(stores.tenant, later, 9)
    assert (back.memory_id, back.reason) == (ids[0], None)  # it moved once more meanwhile
    await stores.life.reinforce(stores.tenant, [_access(ids[0])])
    assert await stores.life.unreported_moves(stores.tenant, later, 9) == [back]
    await stores.life.mark_reported(stores.tenant, [back])
    assert await stores.life.unreported_moves(stores.tenant, later, 9) == []
    await stores.life.mark_reported(stores.tenant, [])


async def test_what_lacks_a_stage_for_too_long_is_found_with_what_it_lacks(stores: Stores) -> None:
    await stores.record(new_message("m-1", tenant=stores.tenant))
    await stores.record(
        new_message("m-2", tenant=stores.tenant, timestamp=at(1)), at=STORED + timedelta(minutes=5)
    )
    await stores.encode("m-1")
    patience = timedelta(minutes=2)
    now = STORED + timedelta(minutes=6)
    (one,) = await stores.life.lagging(stores.tenant, now, patience, 10)
    assert one.progress.message_id == "m-1"
    assert one.lacks == (Stage.ENRICHED, Stage.INDEXED, Stage.EXTRACTED)
    later = await stores.life.lagging(stores.tenant, now + timedelta(hours=1), patience, 10)
    assert [one.progress.message_id for one in later] == ["m-1", "m-2"]
    assert len(await stores.life.lagging(stores.tenant, now + timedelta(hours=1), patience, 1)) == 1
    assert list(await stores.life.lagging(stores.elsewhere().tenant, now, patience, 10)) == []


async def test_a_dead_letter_is_told_by_the_status_and_not_tried_again(stores: Stores) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    for sequence in (1, 2):
        for _ in range(2):
            await stores.life.record_dead_letter(stores.tenant, letter(stores, sequence=sequence), kept)
    await stores.life.record_dead_letter(stores.tenant, letter(stores, None, sequence=3), kept)
    _, failure = await stores.recollection.status(stores.tenant, "m-1")
    assert failure is not None
    assert (failure.code, failure.died_at) == ("max_deliver", STORED + timedelta(seconds=2))
    lagging = await stores.life.lagging(stores.tenant, STORED + timedelta(days=1), timedelta(0), 10)
    assert list(lagging) == []


async def test_a_conflict_of_ids_does_not_stop_the_message_that_came_first(stores: Stores) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    await stores.life.record_dead_letter(
        stores.tenant, letter(stores, code="id_conflict", consumer="ingest"), kept
    )
    lagging = await stores.life.lagging(stores.tenant, STORED + timedelta(days=1), timedelta(0), 10)
    assert [one.progress.message_id for one in lagging] == ["m-1"]


async def test_a_reason_may_quote_what_no_database_takes(stores: Stores) -> None:
    await stores.life.record_dead_letter(stores.tenant, letter(stores, "m\0-1\ud800", sequence=2), kept)
    await stores.life.record_dead_letter(stores.tenant, replace(letter(stores), sentence="a\0b\ud800"), kept)
    _, failure = await stores.recollection.status(stores.tenant, "m-1")
    assert failure is not None
    assert failure.reason == "a␀b\\ud800"


async def test_what_recalls_added_long_ago_is_forgotten(stores: Stores) -> None:
    (only,) = await remembered(stores, 1)
    old, recent = _access(only, minute=0), _access(only, minute=60)
    await stores.life.reinforce(stores.tenant, [old, recent])
    await _tidied(stores, used_before=STORED + timedelta(minutes=30))
    await stores.life.reinforce(stores.tenant, [old, recent])
    assert (await stores.memory("m-0")).access_count == 3


async def test_old_reasons_go_and_what_lacks_a_stage_is_found_again(stores: Stores) -> None:
    for name in ("m-1", "m-2"):
        await stores.record(new_message(name, tenant=stores.tenant))
    await stores.life.record_dead_letter(stores.tenant, letter(stores, "m-1", sequence=1), kept)
    await stores.life.record_dead_letter(stores.tenant, letter(stores, "m-2", sequence=2), kept)
    await _tidied(stores.elsewhere(), died_before=STORED + timedelta(days=1))
    assert await _lagging(stores) == []
    await _tidied(stores, died_before=STORED + timedelta(seconds=2))
    assert await _lagging(stores) == ["m-1"]
    for name, is_kept in (("m-1", False), ("m-2", True)):
        _, failure = await stores.recollection.status(stores.tenant, name)
        assert (failure is not None) is is_kept


async def test_a_tenant_is_known_from_its_first_message_on(stores: Stores) -> None:
    assert stores.tenant not in await stores.life.tenants()
    await stores.record(new_message(tenant=stores.tenant))
    assert stores.tenant in await stores.life.tenants()


def factor(faded: DecayResult | None) -> float:
    """Return the factor of what has faded."""
    assert faded is not None
    return faded.factor
