"""How far a pass is survives; its lock has one holder, and outlives no process and no connection."""

import asyncio
import sys
from datetime import timedelta
from uuid import UUID, uuid4

import asyncpg
from tests.contract.store.stores import STORED, Stores
from tests.fixtures.eventually import eventually

from ricordo.store.pass_store import PassState

NEXT = STORED + timedelta(days=1)
HOLDER = """
import asyncio, sys
from ricordo.store.pass_store import PassLocks

async def hold():
    async with PassLocks(sys.argv[1]).acquire("killed") as is_alone:
        print(is_alone, flush=True)
        await asyncio.Event().wait()

asyncio.run(hold())
"""


async def _is_free(stores: Stores, name: str) -> bool:
    async with stores.pass_locks.acquire(name) as is_alone:
        return is_alone


async def test_how_far_a_run_has_come_is_kept_until_it_is_complete(stores: Stores) -> None:
    runs = stores.pass_runs
    assert await runs.state(stores.tenant, "decay") == PassState()
    for reached in (UUID(int=1), UUID(int=2)):
        await runs.save_position(stores.tenant, "decay", STORED, reached)
    assert await runs.state(stores.tenant, "decay") == PassState(None, STORED, UUID(int=2))
    await runs.complete(stores.tenant, "decay", STORED)
    assert await runs.state(stores.tenant, "decay") == PassState(STORED)
    await runs.save_position(stores.tenant, "decay", NEXT, UUID(int=1))
    assert await runs.state(stores.tenant, "decay") == PassState(STORED, NEXT, UUID(int=1))
    await runs.complete(stores.tenant, "decay", NEXT)
    assert await runs.state(stores.tenant, "decay") == PassState(NEXT)
    assert await runs.state(stores.tenant, "retain") == PassState()


async def test_one_holder_at_a_time_and_the_next_when_it_is_done(stores: Stores) -> None:
    name = f"pass-{uuid4()}"
    for _ in range(2):
        async with stores.pass_locks.acquire(name) as first:
            assert first
            for _ in range(2):  # a refused one has freed nothing
                assert not await _is_free(stores, name)
            assert await _is_free(stores, f"{name}-b")


async def test_a_cancelled_holder_gives_it_up_and_a_patient_one_gets_it_then(stores: Stores) -> None:
    name, entered, taken = f"pass-{uuid4()}", asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async with stores.pass_locks.acquire(name) as is_alone:
            assert is_alone
            entered.set()
            await asyncio.Event().wait()

    async def wait() -> None:
        async with stores.pass_locks.acquire(name, 30) as is_alone:
            assert is_alone
            taken.set()

    holder = asyncio.create_task(hold())
    await entered.wait()
    waiting = asyncio.create_task(wait())
    async with stores.pass_locks.acquire(name, 0.05) as is_alone:
        assert not is_alone
    assert not taken.is_set()
    holder.cancel()
    await waiting
    assert taken.is_set()


async def test_a_process_that_is_killed_gives_it_up(stores: Stores) -> None:
    command = (sys.executable, "-c", HOLDER, stores.dsn)
    holder = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"True\n"
    assert not await _is_free(stores, "killed")
    holder.kill()
    await holder.wait()
    await eventually(lambda: _is_free(stores, "killed"))


async def test_a_connection_that_is_cut_gives_it_up(
    stores: Stores, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    async with stores.pass_locks.acquire("cut") as first:
        assert first
        await connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ricordo pass'"
            " and datname = current_database()"
        )
        await eventually(lambda: _is_free(stores, "cut"))
