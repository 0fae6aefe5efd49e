"""The lock of a pass outlives nobody: who is killed, or whose connection is cut, gives it up."""

import asyncio
import sys

import asyncpg
import pytest
from tests.contract.store.conftest import Dsns
from tests.contract.store.stores import Stores

from ricordo.store.database import StoreUnavailable
from ricordo.store.pass_store import PassLocks
from ricordo.testing.eventually import eventually

pytestmark = pytest.mark.integration

HOLDER = """
import asyncio, sys
from ricordo.store.pass_store import PassLocks

async def hold():
    async with PassLocks(sys.argv[1]).alone("killed") as is_alone:
        print(is_alone, flush=True)
        await asyncio.Event().wait()

asyncio.run(hold())
"""


async def is_free(stores: Stores, name: str) -> bool:
    async with stores.pass_locks.alone(name) as is_alone:
        return is_alone


async def test_a_process_that_is_killed_leaves_the_pass_to_the_next(stores: Stores, dsns: Dsns) -> None:
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLDER, dsns.worker, stdout=asyncio.subprocess.PIPE
    )
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"True\n"
    assert not await is_free(stores, "killed")
    holder.kill()
    await holder.wait()
    await eventually(lambda: is_free(stores, "killed"))


async def test_a_connection_that_is_cut_does_too(
    stores: Stores, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    async with stores.pass_locks.alone("cut") as first:
        assert first
        await connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ricordo pass'"
            " and datname = current_database()"
        )
        await eventually(lambda: is_free(stores, "cut"))


async def test_a_server_that_is_not_there_is_said() -> None:
    locks = PassLocks("postgresql://nobody@127.0.0.1:1/nothing")
    with pytest.raises(StoreUnavailable):
        async with locks.alone("any"):
            pass
