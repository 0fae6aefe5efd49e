"""The schema: applied once, by one process at a time, and never by a version that does not know it."""

import asyncio
from collections.abc import Callable

import asyncpg
import pytest
import pytest_asyncio
from tests.contract.store.conftest import Dsns

from ricordo.store import schema as module
from ricordo.store.database import StoreUnavailable
from ricordo.store.schema import (
    OLDEST,
    Migration,
    SchemaTooNew,
    migrate,
    newest_schema,
    schema_version,
    upgrades,
)

MakeDatabase = Callable[[], Dsns]


@pytest_asyncio.fixture(loop_scope="module")
async def empty(new_database: MakeDatabase) -> Dsns:
    return await asyncio.to_thread(new_database)


async def _fetch(dsn: str, query: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(dsn)
    try:
        return list(await connection.fetch(query))
    finally:
        await connection.close()


async def test_of_four_at_once_one_creates_the_schema(empty: Dsns) -> None:
    applied = await asyncio.gather(*(migrate(empty.admin) for _ in range(4)))
    assert sorted(map(len, applied)) == [0, 0, 0, 1]
    assert await schema_version(empty.admin) == newest_schema()
    assert await migrate(empty.admin) == []


async def test_several_databases_of_one_server_at_once(new_database: MakeDatabase) -> None:
    """Roles belong to the server, not to a database."""
    made = [await asyncio.to_thread(new_database) for _ in range(3)]
    applied = await asyncio.gather(*(migrate(one.admin) for one in made))
    assert [len(one) for one in applied] == [1] * 3


async def test_a_newer_schema_is_refused_and_left_alone(empty: Dsns) -> None:
    await migrate(empty.admin)
    await _fetch(empty.admin, "insert into schema_migrations (version, name) values (9999, 'from_tomorrow')")
    with pytest.raises(SchemaTooNew, match=r"schema version 9999, .* upgrade Ricordo"):
        await migrate(empty.admin)
    with pytest.raises(SchemaTooNew):
        await migrate(empty.admin)


async def test_an_upgrade_that_fails_leaves_nothing_behind(
    empty: Dsns, monkeypatch: pytest.MonkeyPatch
) -> None:
    await migrate(empty.admin)
    packaged = upgrades()
    half = Migration(9000, "half", "create table half (n integer);")
    broken = Migration(9001, "broken", "select 1 / 0;")
    monkeypatch.setattr(module, "upgrades", lambda: [*packaged, half, broken])
    for _ in range(2):
        with pytest.raises(asyncpg.DivisionByZeroError):
            await migrate(empty.admin)
    assert await _fetch(empty.admin, "select from pg_tables where tablename = 'half'") == []
    monkeypatch.setattr(module, "upgrades", lambda: [*packaged, half])
    assert await migrate(empty.admin) == ["9000_half"]


async def test_nobody_there_is_said_as_such() -> None:
    with pytest.raises(StoreUnavailable):
        await migrate("postgresql://nobody@127.0.0.1:1/none")


async def test_upgrades_are_numbered_without_a_gap() -> None:
    assert [one.version for one in upgrades()] == list(range(OLDEST + 1, newest_schema() + 1))
