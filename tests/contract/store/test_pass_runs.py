"""What `PassRuns` and `PassLocks` promise: how far a pass is survives, and one holder at a time makes it."""

import asyncio
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from tests.contract.store.stores import STORED, Stores

from ricordo.store.pass_store import PassState

pytestmark = pytest.mark.integration

NEXT = STORED + timedelta(days=1)


async def test_of_a_pass_that_never_ran_nothing_is_known(stores: Stores) -> None:
    assert await stores.pass_runs.state(stores.tenant, "decay") == PassState()


async def test_how_far_a_run_has_come_is_kept_until_it_is_complete(stores: Stores) -> None:
    for reached in (UUID(int=1), UUID(int=2)):
        await stores.pass_runs.reach(stores.tenant, "decay", STORED, reached)
    assert await stores.pass_runs.state(stores.tenant, "decay") == PassState(None, STORED, UUID(int=2))
    await stores.pass_runs.complete(stores.tenant, "decay", STORED)
    assert await stores.pass_runs.state(stores.tenant, "decay") == PassState(STORED)
    await stores.pass_runs.reach(stores.tenant, "decay", NEXT, UUID(int=1))
    assert await stores.pass_runs.state(stores.tenant, "decay") == PassState(STORED, NEXT, UUID(int=1))
    await stores.pass_runs.complete(stores.tenant, "decay", NEXT)
    assert await stores.pass_runs.state(stores.tenant, "decay") == PassState(NEXT)


async def test_each_pass_and_each_tenant_has_its_own(stores: Stores) -> None:
    await stores.pass_runs.complete(stores.tenant, "decay", STORED)
    assert await stores.pass_runs.state(stores.tenant, "retain") == PassState()
    assert await stores.pass_runs.state(stores.elsewhere().tenant, "decay") == PassState()


async def test_one_holder_at_a_time_and_the_next_when_it_is_done(stores: Stores) -> None:
    name = f"pass-{uuid4()}"
    for _ in range(2):
        async with stores.pass_locks.alone(name) as first:
            assert first
            async with stores.pass_locks.alone(name) as second:
                assert not second
            async with stores.pass_locks.alone(name) as third:  # who was refused has freed nothing
                assert not third
            async with stores.pass_locks.alone(f"{name}-b") as another:
                assert another


async def test_who_fails_or_is_cancelled_gives_it_up(stores: Stores) -> None:
    name = f"pass-{uuid4()}"

    async def hold(entered: asyncio.Event) -> None:
        async with stores.pass_locks.alone(name) as is_alone:
            assert is_alone
            entered.set()
            await asyncio.Event().wait()

    for _ in range(2):
        entered = asyncio.Event()
        holder = asyncio.create_task(hold(entered))
        await entered.wait()
        holder.cancel()
        await asyncio.wait([holder])
    async with stores.pass_locks.alone(name) as is_alone:
        assert is_alone


async def test_who_is_patient_gets_it_when_it_is_free_and_not_before(stores: Stores) -> None:
    name = f"pass-{uuid4()}"
    taken = False

    async def wait() -> None:
        nonlocal taken
        async with stores.pass_locks.alone(name, 30) as is_alone:
            taken = is_alone

    async with stores.pass_locks.alone(name):
        waiting = asyncio.create_task(wait())
        async with stores.pass_locks.alone(name, 0.05) as is_alone:
            assert not is_alone
        assert not taken
    await waiting
    assert taken
