"""Contract of `RetentionStore`."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from tests.contract.store.stores import STORED, Stores, enriched

from ricordo.memory.retention import OBSERVATIONS
from ricordo.messages.vocabulary import ArchiveReason
from ricordo.store.lifecycle_store import Access
from ricordo.store.pass_store import Quota
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

DAY = timedelta(days=1)
TIME = STORED + DAY
"""When what expires in these laws does."""


async def _expiring(stores: Stores, *names: str, expires_at: datetime = TIME) -> None:
    await stores.record(*(new_message(name, tenant=stores.tenant, expires_at=expires_at) for name in names))


async def _expired(
    stores: Stores, now: datetime, *, user_id: str | None = None, limit: int = 9
) -> Sequence[tuple[UUID, str]]:
    return await stores.retention.expire(stores.tenant, now, user_id=user_id, kept=DAY, limit=limit)


async def _used(stores: Stores, name: str, when: datetime) -> None:
    await stores.life.reinforce(stores.tenant, [Access(uuid4(), "u-1", (stores.id(name),), when)])


async def _weighing(stores: Stores, *importances: float) -> list[UUID]:
    """Record a message of each importance, all at one instant."""
    names = [f"m-{n}" for n in range(len(importances))]
    await stores.record(*(new_message(name, tenant=stores.tenant) for name in names))
    for name, importance in zip(names, importances, strict=True):
        derived = enriched(await stores.memory(name), importance=importance)
        await stores.enrichments.save(stores.tenant, [derived], STORED)
    return [stores.id(name) for name in names]


def _of_user(limit: int) -> Quota:
    return Quota(user_id="u-1", kinds=OBSERVATIONS, limit=limit, strategy="importance_weighted")


async def _pruned(stores: Stores, quota: Quota, *, limit: int = 99) -> list[UUID]:
    gone = await stores.retention.prune(stores.tenant, at(60), quota, limit=limit)
    assert {user for _, user in gone} <= {"u-1"}
    return [one for one, _ in gone]


async def test_memories_are_counted_by_user(stores: Stores) -> None:
    await stores.record(*(new_message(name, tenant=stores.tenant) for name in ("m-1", "m-2")))
    await stores.record(new_message("m-3", tenant=stores.tenant, user_id="u-2"))
    counts = [await stores.retention.count(stores.tenant, user) for user in (None, "u-1", "u-2", "u-3")]
    assert counts == [3, 2, 1, 0]
    assert await stores.retention.count(stores.elsewhere().tenant, None) == 0


async def test_what_is_past_its_time_is_archived_once_and_nothing_before(stores: Stores) -> None:
    await _expiring(stores, "m-1", "m-2")
    await stores.record(new_message("m-3", tenant=stores.tenant))
    assert await _expired(stores, TIME - timedelta(microseconds=1)) == []
    expiring = stores.retention.expiring
    assert await expiring(stores.tenant, TIME, user_id=None, kept=DAY) == 2
    assert await expiring(stores.tenant, TIME, user_id="u-2", kept=DAY) == 0
    assert {one for one, _ in await _expired(stores, TIME)} == {stores.id("m-1"), stores.id("m-2")}
    assert await _expired(stores, TIME) == []
    assert [(await stores.memory(name)).archived_at for name in ("m-1", "m-3")] == [TIME, None]
    moved = await stores.life.unreported_moves(stores.tenant, at(10**9), 9)
    assert {one.reason for one in moved} == {ArchiveReason.EXPIRY}


async def test_a_few_at_a_time_the_oldest_first_of_a_user_or_of_all(stores: Stores) -> None:
    await _expiring(stores, "m-1", expires_at=TIME + DAY)
    await _expiring(stores, "m-2")
    now = TIME + 2 * DAY
    assert await _expired(stores, now, user_id="u-2") == []
    assert await _expired(stores, now, limit=1) == [(stores.id("m-2"), "u-1")]
    assert await _expired(stores, now, user_id="u-1") == [(stores.id("m-1"), "u-1")]


async def test_a_use_brings_it_back_for_a_while_and_not_for_ever(stores: Stores) -> None:
    await _expiring(stores, "m-1")
    await _used(stores, "m-1", TIME - timedelta(minutes=1))  # before its time: that keeps nothing
    assert len(await _expired(stores, TIME)) == 1
    used = TIME + 3 * DAY
    await _used(stores, "m-1", used)
    assert (await stores.memory("m-1")).archived_at is None
    for minutes in (0, 1, 60 * 24 - 1):
        assert await _expired(stores, used + timedelta(minutes=minutes)) == []
    assert len(await _expired(stores, used + DAY)) == 1
    await _used(stores, "m-1", used + 2 * DAY)
    assert await _expired(stores, used + 2 * DAY) == []


async def test_a_use_that_is_dated_ahead_keeps_nothing(stores: Stores) -> None:
    await _expiring(stores, "m-1")
    await _used(stores, "m-1", TIME + 4000 * DAY)
    assert len(await _expired(stores, TIME)) == 1


async def test_who_has_too_many_is_found_with_how_many(stores: Stores) -> None:
    await _weighing(stores, 0.1, 0.2, 0.3)
    await stores.record(new_message("other", tenant=stores.tenant, user_id="u-2"))
    over_quota = stores.retention.over_quota
    assert await over_quota(stores.tenant, OBSERVATIONS, 2, None) == {"u-1": 3}
    assert await over_quota(stores.tenant, OBSERVATIONS, 3, None) == {}
    assert await over_quota(stores.tenant, OBSERVATIONS, 0, "u-2") == {"u-2": 1}
    assert await over_quota(stores.tenant, ("reflection",), 0, None) == {}


async def test_the_least_important_go_and_the_rest_stays(stores: Stores) -> None:
    ids = await _weighing(stores, 0.4, 0.1, 0.9, 0.2)
    assert await _pruned(stores, _of_user(4)) == []
    assert sorted(await _pruned(stores, _of_user(2))) == sorted([ids[1], ids[3]])
    assert await _pruned(stores, _of_user(2)) == []
    moved = await stores.life.unreported_moves(stores.tenant, at(10**9), 9)
    assert {one.reason for one in moved} == {ArchiveReason.RETENTION}


async def test_the_worst_go_first_and_of_equals_always_the_same(stores: Stores) -> None:
    ids = await _weighing(stores, 0.4, 0.4, 0.1, 0.4)
    equals = sorted([ids[0], ids[1], ids[3]])
    gone = [one for _ in range(3) for one in await _pruned(stores, _of_user(1), limit=1)]
    assert gone == [ids[2], equals[2], equals[1]]


@pytest.mark.parametrize(
    "kinds", [("reflection",), ("summary", "synthesis")], ids=["reflections", "condensed"]
)
async def test_other_kinds_are_left_alone(stores: Stores, kinds: tuple[str, ...]) -> None:
    await _weighing(stores, 0.4, 0.1)
    assert await _pruned(stores, replace(_of_user(0), kinds=kinds)) == []
    assert await _pruned(stores, replace(_of_user(0), user_id="u-2")) == []
