"""Memories past their time or beyond a quota are archived, a few at a time."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from tests.contract.store.stores import STORED, Stores
from tests.support.factories import at

from ricordo.messages.enumerations import ArchiveReason
from ricordo.store.pass_store import OBSERVATIONS

DAY = timedelta(days=1)
TIME = STORED + DAY
"""When memories expire here, unless a test says otherwise."""


async def _expire(
    stores: Stores, now: datetime, *, user_id: str | None = None, limit: int = 9
) -> Sequence[tuple[UUID, str]]:
    return await stores.retention.expire(stores.tenant, now, user_id=user_id, kept=DAY, limit=limit)


async def _use(stores: Stores, when: datetime) -> None:
    await stores.use(stores.id("m-1"), at=when)


async def _reasons(stores: Stores) -> set[ArchiveReason | None]:
    return {one.reason for one in await stores.lifecycle.unreported_moves(stores.tenant, at(10**9), 9)}


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
    assert await _reasons(stores) == {ArchiveReason.EXPIRY}


async def test_a_few_at_a_time_expire_the_oldest_first(stores: Stores) -> None:
    await stores.say("m-1", expires_at=TIME + DAY)
    await stores.say("m-2", expires_at=TIME)
    now = TIME + 2 * DAY
    assert await _expire(stores, now, user_id="u-2") == []
    assert await _expire(stores, now, limit=1) == [(stores.id("m-2"), "u-1")]
    assert await _expire(stores, now, user_id="u-1") == [(stores.id("m-1"), "u-1")]


async def test_a_use_brings_an_expired_memory_back_for_a_day(stores: Stores) -> None:
    await stores.say("m-1", expires_at=TIME)
    await _use(stores, TIME - timedelta(minutes=1))  # before its time: that keeps nothing
    assert len(await _expire(stores, TIME)) == 1
    used = TIME + 3 * DAY
    await _use(stores, used)
    assert (await stores.memory("m-1")).archived_at is None
    for minutes in (0, 1, 60 * 24 - 1):
        assert await _expire(stores, used + timedelta(minutes=minutes)) == []
    assert len(await _expire(stores, used + DAY)) == 1
    await _use(stores, used + 2 * DAY)
    assert await _expire(stores, used + 2 * DAY) == []


async def test_a_use_that_is_dated_ahead_keeps_nothing(stores: Stores) -> None:
    await stores.say("m-1", expires_at=TIME)
    await _use(stores, TIME + 4000 * DAY)
    assert len(await _expire(stores, TIME)) == 1
