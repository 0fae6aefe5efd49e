"""Tombstones of another database are carried over: the later one counts, and is erased again."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import asyncpg
import pytest
import pytest_asyncio
from tests.contract.store.conftest import Dsns

from ricordo.store.database import StoreUnavailable
from ricordo.store.schema import (
    Tombstone,
    carry_tombstones,
    migrate,
    newest_schema,
    schema_version,
    tombstones,
)

EARLY, LATE = (datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2))


def user(at: datetime, tenant: str = "t-1") -> Tombstone:
    return Tombstone(tenant, "user", "u-1", "u-1", at)


@pytest_asyncio.fixture(loop_scope="module")
async def dsn(new_database: Callable[[], Dsns]) -> str:
    found: Dsns = await asyncio.to_thread(new_database)
    return found.admin


async def _open(dsn: str) -> list[tuple[str, str, datetime]]:
    connection = await asyncpg.connect(dsn)
    try:
        rows = await connection.fetch(
            "select tenant, scope, requested_at from tombstones where erased_at is null order by 1, 2"
        )
        await connection.execute("update tombstones set erased_at = now()")  # as the workers would
    finally:
        await connection.close()
    return [tuple(row) for row in rows]


async def test_a_later_one_is_erased_anew_and_an_earlier_one_changes_nothing(dsn: str) -> None:
    await migrate(dsn)
    assert await carry_tombstones(dsn, []) == 0
    assert await carry_tombstones(dsn, [user(EARLY), user(EARLY, "t-2"), user(EARLY)]) == 2
    assert await _open(dsn) == [("t-1", "user", EARLY), ("t-2", "user", EARLY)]
    assert await carry_tombstones(dsn, [user(EARLY)]) == 0
    assert await _open(dsn) == []
    assert await carry_tombstones(dsn, [user(LATE)]) == 1
    assert await carry_tombstones(dsn, [user(EARLY)]) == 0
    assert await _open(dsn) == [("t-1", "user", LATE)]
    assert await tombstones(dsn) == [user(LATE), user(EARLY, "t-2")]


async def test_a_message_that_went_with_its_user_stands_there_and_is_not_erased_by_itself(dsn: str) -> None:
    await migrate(dsn)
    stone = Tombstone("t-1", "erased", "u-1", "m-1", EARLY)
    assert await carry_tombstones(dsn, [stone]) == 0
    assert await _open(dsn) == []
    assert await tombstones(dsn) == [stone]


async def test_a_tenant_that_nobody_knows_here_is_known_then(dsn: str) -> None:
    """Who takes up what is not erased goes by the tenants that are known."""
    await migrate(dsn)
    await carry_tombstones(dsn, [user(EARLY)])
    connection = await asyncpg.connect(dsn)
    try:
        assert await connection.fetchval("select array_agg(tenant) from tenants") == ["t-1"]
    finally:
        await connection.close()


async def test_a_database_without_a_schema_has_forgotten_nothing(dsn: str) -> None:
    assert await schema_version(dsn) == 0
    assert await tombstones(dsn) == []
    await migrate(dsn)
    assert await schema_version(dsn) == newest_schema()


async def test_nobody_there_is_said_as_such() -> None:
    for asked in (schema_version, tombstones):
        with pytest.raises(StoreUnavailable):
            await asked("postgresql://nobody@127.0.0.1:1/none")
    with pytest.raises(StoreUnavailable):
        await carry_tombstones("postgresql://nobody@127.0.0.1:1/none", [])
