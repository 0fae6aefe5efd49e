"""What `LifecycleStore.decay` promises whatever clocks say: time alone never brings a memory back to life."""

from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from tests.contract.store.stores import STORED, Stores, enriched
from tests.contract.store.test_lifecycle_store import CALM, factor, remembered

from ricordo.memory.decay import decay
from ricordo.store.lifecycle_store import Access, DecaySlice

pytestmark = pytest.mark.integration


async def _faded(stores: Stores, now: datetime, *, floors: bool) -> DecaySlice:
    return await stores.life.decay(stores.tenant, now, user_id=None, after=None, limit=9, floors=floors)


async def test_a_place_that_was_erased_meanwhile_makes_no_gap(stores: Stores) -> None:
    await remembered(stores, 3)
    now = STORED + timedelta(days=100)
    done = await stores.life.decay(stores.tenant, now, user_id=None, after=uuid4(), limit=9, floors=True)
    assert (done.examined, done.changed) == (3, 3)


@pytest.mark.parametrize("days", [7, 20, 99, -400])
async def test_a_clock_that_is_turned_back_lets_nothing_come_back_to_life(stores: Stores, days: int) -> None:
    await remembered(stores, 3)
    for now in (STORED + timedelta(days=100), STORED + timedelta(days=days)):
        await _faded(stores, now, floors=False)
    for n in range(3):
        faded = decay(days=100, arousal=0.05, importance=n / 10, access_count=0, floors=False)
        kept = await stores.memory(f"m-{n}")
        assert kept.decay_factor == pytest.approx(factor(faded))
        assert kept.archived_at is None


async def test_what_came_in_ahead_of_time_or_was_used_then_is_left_alone(stores: Stores) -> None:
    ids = await remembered(stores, 2)
    ahead = timedelta(days=3650)
    await stores.life.reinforce(stores.tenant, [Access(uuid4(), "u-1", (ids[0],), STORED + ahead)])
    now = STORED - timedelta(days=20)
    done = await _faded(stores, now, floors=True)
    assert (done.examined, done.changed, done.archived) == (2, 0, ())
    now = STORED + timedelta(days=2000)
    done = await _faded(stores, now, floors=True)
    assert [one for one, _ in done.archived] == [ids[1]]


async def test_what_weighs_more_now_is_brought_up_to_what_protects_it(stores: Stores) -> None:
    await remembered(stores, 1)
    now = STORED + timedelta(days=120)
    await _faded(stores, now, floors=False)
    await _faded(stores, now, floors=True)
    faded = decay(days=120, arousal=0.05, importance=0.0, access_count=0)
    assert (await stores.memory("m-0")).decay_factor == pytest.approx(factor(faded))
    derived = enriched(await stores.memory("m-0"), importance=1.0, emotion=CALM)
    await stores.enrichments.save(stores.tenant, [derived], STORED)
    await _faded(stores, now, floors=True)
    assert (await stores.memory("m-0")).decay_factor == pytest.approx(0.9)
