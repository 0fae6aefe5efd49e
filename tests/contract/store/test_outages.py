"""A PostgreSQL that goes away says so as the ports' own error, and all goes on when it is back."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable

import asyncpg
import pytest
import pytest_asyncio
from tests.contract.store.conftest import Dsns, waits_for_a_lock
from tests.contract.store.evidence import claim, extracted
from tests.contract.store.stores import STORED, Stores
from tests.fixtures.eventually import eventually

from ricordo.store.database import Database, StoreUnavailable
from ricordo.store.pass_store import PassLocks
from ricordo.store.schema import carry_tombstones, migrate, schema_version, tombstones


@pytest_asyncio.fixture(loop_scope="module")
async def database(dsns: Dsns) -> AsyncIterator[Database]:
    """Yield connections of each test's own, which it cuts."""
    async with Database.connect(dsns.worker, size=12) as database:
        yield database


async def _cut(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    await connection.fetch(
        "select pg_terminate_backend(pid) from pg_stat_activity "
        "where usename = 'ricordo_worker' and datname = current_database()"
    )


async def test_an_address_that_is_none_is_wrong_and_not_unavailable() -> None:
    with pytest.raises(ValueError, match="DSN"):
        async with Database.connect("nonsense://somewhere"):
            pytest.fail("connected to nonsense")


async def test_nobody_there_is_said_as_such() -> None:
    nobody = "postgresql://nobody@127.0.0.1:1/none"
    connecting, lock = Database.connect(nobody, timeout_s=2), PassLocks(nobody).acquire("any")
    asked = connecting.__aenter__(), lock.__aenter__(), migrate(nobody), schema_version(nobody)
    for one in (*asked, tombstones(nobody), carry_tombstones(nobody, [])):
        with pytest.raises(StoreUnavailable):
            await one


async def test_cut_sessions_fail_at_most_once_each_and_then_all_goes_on(
    stores: Stores, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    await stores.record(stores.message())
    await _cut(connection)

    async def answers() -> bool:
        try:
            await stores.record(stores.message())
        except StoreUnavailable:
            return False
        return True

    await eventually(answers)
    assert (await stores.queries.counts(stores.tenant, "u-1")).history == 1


async def test_a_server_that_admits_nobody_is_unavailable_until_it_does(
    stores: Stores, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    await stores.record(stores.message())
    await connection.execute("alter role ricordo_worker connection limit 0")
    try:
        await _cut(connection)
        await eventually(_refused(stores))
        with pytest.raises(StoreUnavailable):
            await stores.lifecycle.tenants()
    finally:
        await connection.execute("alter role ricordo_worker connection limit -1")
    assert (await stores.record(stores.message()))[0].status == "kept"


def _refused(stores: Stores) -> Callable[[], Awaitable[bool]]:
    async def refused() -> bool:
        try:
            await stores.progress("m-1")
        except StoreUnavailable as error:
            return "TooManyConnections" in str(error)
        return False

    return refused


async def test_a_session_cut_in_the_middle_of_a_transaction_leaves_nothing(
    stores: Stores, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    await stores.record(stores.message())
    told = [extracted(stores, "m-1", claim("lives_in", "Rome"))]
    async with connection.transaction():
        await connection.execute("lock table facts in access exclusive mode")
        recording = asyncio.create_task(stores.ledger.record(stores.tenant, told, STORED))
        await eventually(lambda: waits_for_a_lock(connection.fetch))
        await _cut(connection)
    with pytest.raises(StoreUnavailable):
        await recording
    assert (await stores.progress()).extracted is None


async def test_cancelled_in_the_middle_nothing_is_written_and_the_pool_stays_whole(
    stores: Stores, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    async with connection.transaction():
        await connection.execute("lock table history in access exclusive mode")
        for n in range(20):  # more than the pool has connections
            writing = asyncio.create_task(stores.record(stores.message(f"m-{n}", minute=n)))
            await eventually(lambda: waits_for_a_lock(connection.fetch))
            writing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await writing
    counts = await stores.queries.counts(stores.tenant, "u-1")
    assert (counts.history, counts.pending) == (0, 0)
    assert stores.tenant not in await stores.lifecycle.tenants()
    await stores.record(stores.message())
    assert stores.tenant in await stores.lifecycle.tenants()


async def test_a_value_of_the_wrong_type_is_wrong_and_not_unavailable(stores: Stores) -> None:
    with pytest.raises(asyncpg.DataError, match="invalid"):
        await stores.indexing.versions(stores.tenant, ["a"], ["not an id"])  # type: ignore[list-item]  # on purpose


async def test_a_session_that_hangs_keeps_nobody_long_past_a_deadline(dsns: Dsns, stores: Stores) -> None:
    async with Database.connect(dsns.worker, size=1) as database:
        hung = 0

        async def hang() -> None:
            nonlocal hung
            async with asyncio.timeout(1), database.transaction(stores.tenant) as connection:
                hung = await connection.fetchval("select pg_backend_pid()")
                os.kill(hung, signal.SIGSTOP)
                await connection.fetchval("select 1")

        began = time.monotonic()
        try:
            with pytest.raises(TimeoutError):
                await hang()
            assert time.monotonic() - began < 30  # and not the minute that a statement may take
        finally:
            os.kill(hung, signal.SIGCONT)
        async with database.transaction(stores.tenant) as connection:
            assert await connection.fetchval("select 1") == 1


async def test_what_was_rolled_back_in_silence_is_not_taken_as_written(dsns: Dsns, stores: Stores) -> None:
    async with Database.connect(dsns.worker, size=1) as database:

        async def fail_and_go_on() -> None:
            async with database.transaction(stores.tenant) as connection:
                with contextlib.suppress(asyncpg.DivisionByZeroError):
                    await connection.execute("select 1 / 0")

        with pytest.raises(StoreUnavailable, match="rolled back"):
            await fail_and_go_on()


@pytest.mark.parametrize("error", [TimeoutError("of a model"), ConnectionResetError("of the graph")])
async def test_an_error_of_another_server_within_a_transaction_is_not_postgresqls(
    stores: Stores, error: OSError
) -> None:
    async def work() -> None:
        async with stores.transaction() as connection:
            await connection.fetchval("select 1")
            raise error

    with pytest.raises(type(error)) as raised:
        await work()
    assert raised.value is error
