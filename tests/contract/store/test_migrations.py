"""The schema is applied once, and never by a version that does not know it; tombstones are carried over."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import asyncpg
import pytest
import pytest_asyncio
from tests.contract.store.conftest import Dsns

from ricordo.store import schema as module
from ricordo.store.schema import (
    OLDEST,
    Migration,
    SchemaTooNew,
    Tombstone,
    carry_tombstones,
    migrate,
    newest_schema,
    schema_version,
    tombstones,
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


async def test_upgrades_are_numbered_without_a_gap() -> None:
    assert [one.version for one in upgrades()] == list(range(OLDEST + 1, newest_schema() + 1))


EARLY, LATE = (datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2))


def user(at: datetime, tenant: str = "t-1") -> Tombstone:
    return Tombstone(tenant, "user", "u-1", "u-1", at)


@pytest.fixture
def dsn(empty: Dsns) -> str:
    return empty.admin


async def _open(dsn: str) -> list[tuple[str, str, datetime]]:
    """Return the tombstones that are not erased, and erase them as the workers would."""
    rows = await _fetch(
        dsn, "select tenant, scope, requested_at from tombstones where erased_at is null order by 1, 2"
    )
    await _fetch(dsn, "update tombstones set erased_at = now()")
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
    known = await _fetch(dsn, "select tenant from tenants order by 1")
    assert [row["tenant"] for row in known] == ["t-1", "t-2"], "by these goes who takes up what is not erased"


async def test_a_message_that_went_with_its_user_stands_there_and_is_not_erased_by_itself(dsn: str) -> None:
    await migrate(dsn)
    stone = Tombstone("t-1", "erased", "u-1", "m-1", EARLY)
    assert await carry_tombstones(dsn, [stone]) == 0
    assert await _open(dsn) == []
    assert await tombstones(dsn) == [stone]


async def test_a_database_without_a_schema_has_forgotten_nothing(dsn: str) -> None:
    assert await schema_version(dsn) == 0
    assert await tombstones(dsn) == []
    await migrate(dsn)
    assert await schema_version(dsn) == newest_schema()
