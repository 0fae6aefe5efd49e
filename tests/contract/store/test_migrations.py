"""The schema is applied once, and never by a version that does not know it; an upgrade keeps all rows.

Tombstones are carried over.
"""

import asyncio
import subprocess
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import asyncpg
import pytest
import pytest_asyncio
from tests.contract.store.conftest import Dsns
from tests.fixtures.former_schema import create_former_schema
from tests.fixtures.sentence_tables import table
from tests.support.factories import new_message

from ricordo.store import schema as module
from ricordo.store.database import Database
from ricordo.store.intake import IntakeStore
from ricordo.store.schema import (
    OLDEST,
    Migration,
    SchemaTooNew,
    SchemaTooOld,
    Tombstone,
    carry_tombstones,
    migrate,
    newest_schema,
    schema_version,
    tombstones,
    upgrades,
)
from ricordo_services.stack.packages import postgres_bin

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


Rows = dict[str, list[dict[str, Any]]]

ROWS: Final = 2
_UNLESS: Final = "on conflict do nothing"  # a trigger has inserted it already
_COLUMNS: Final = """
select c.table_name, c.column_name, c.udt_name from information_schema.columns c
join pg_tables t on t.tablename = c.table_name and t.schemaname = c.table_schema
where c.table_schema = 'public' and c.is_nullable = 'NO' and c.column_default is null
  and c.is_generated = 'NEVER' and c.table_name <> 'schema_migrations'
order by 1, 2
"""
_ALLOWED: Final = {"scope": "message", "predicate": "likes", "role": "user"}
_FIRST: Final = {"tenant": "t-1", "user_id": "u-1", "conversation_id": "c-1"}
_RENAMED_TABLES = table(__file__, "renamed_tables")
_RENAMED = table(__file__, "renamed")
_GIVE_ALL: Final = Path(__file__).with_name("give_all.sql").read_text(encoding="utf-8")
_DROPPED: Final = frozenset(
    "trigger related_entities related_topics related_ids deferred admitted_at decay_factor".split()
)
_DROPPED_TABLES: Final = frozenset(
    {"neighbours", "linked_users", "link_versions", "folded_users", "evidence_versions"}
)


def _value(column: str, kind: str, number: int) -> object:
    if column in _ALLOWED:
        return _ALLOWED[column]
    if number == 0 and column in _FIRST:
        return _FIRST[column]
    values: dict[str, object] = {
        "text": f"{column.replace('_', '-')}-{number}",
        "uuid": UUID(int=number + 1),
        "timestamptz": datetime(2026, 1, 1 + number, tzinfo=UTC),
        "bool": bool(number),
        **dict.fromkeys(("json", "jsonb"), "{}"),
        "bytea": bytes([number] * 8),
        **dict.fromkeys(("int2", "int4", "int8"), number + 1),
        **dict.fromkeys(("float4", "float8"), number / 2),
    }
    return [] if kind.startswith("_") else values[kind]


async def _seed(connection: "asyncpg.Connection[asyncpg.Record]") -> Rows:
    """Insert rows into each relation, and return all rows."""
    tables: dict[str, list[tuple[str, str]]] = {}
    for relation, column, kind in await connection.fetch(_COLUMNS):
        tables.setdefault(relation, []).append((column, kind))
    for relation, columns in tables.items():
        names = ", ".join(name for name, _ in columns)
        places = ", ".join(f"${place}" for place in range(1, len(columns) + 1))
        for number in range(ROWS):
            row = [_value(name, kind, number) for name, kind in columns]
            await connection.execute(f"insert into {relation} ({names}) values ({places}) {_UNLESS}", *row)
    await connection.execute(
        "update memories set event_start = created_at, event_end = created_at + interval '1 day'"
    )
    return await _rows(connection, tables)


async def _rows(connection: "asyncpg.Connection[asyncpg.Record]", tables: Iterable[str]) -> Rows:
    return {
        relation: [dict(row) for row in await connection.fetch(f"select * from {relation}")]
        for relation in tables
    }


def _in_new_words(relation: str, row: dict[str, Any]) -> dict[str, Any]:
    renamed = _RENAMED[""] | _RENAMED.get(relation, {})
    return {renamed.get(name, name): value for name, value in row.items() if name not in _DROPPED}


def _dump(dsn: str) -> list[str]:
    dumped = subprocess.run(
        [str(postgres_bin() / "pg_dump"), "--schema-only", f"--dbname={dsn}"],
        check=True,
        capture_output=True,
        text=True,
    )
    return [line for line in dumped.stdout.splitlines() if not line.startswith("\\")]  # a nonce


@pytest.fixture(scope="module")
def new_dump(new_schema: Callable[[], Dsns]) -> list[str]:
    return _dump(new_schema().admin)


async def test_an_upgraded_database_has_all_rows_and_the_schema_of_a_new_one(
    new_database: Callable[[], Dsns], new_dump: list[str]
) -> None:
    former = await asyncio.to_thread(new_database)
    connection = await asyncpg.connect(former.admin)
    try:
        await create_former_schema(connection)
        before = await _seed(connection)
        assert all(len(rows) >= ROWS for rows in before.values())
        applied = await asyncio.gather(*(migrate(former.admin) for _ in range(2)))
        assert sorted(map(len, applied)) == [0, len(upgrades())]
        before = {relation: found for relation, found in before.items() if relation not in _DROPPED_TABLES}
        after = await _rows(connection, (_RENAMED_TABLES.get(relation, relation) for relation in before))
    finally:
        await connection.close()
    for relation, rows in before.items():
        expected = [_in_new_words(relation, row) for row in rows]
        found = [
            {name: row[name] for name in expected[0]}
            for row in after[_RENAMED_TABLES.get(relation, relation)]
        ]
        assert sorted(found, key=repr) == sorted(expected, key=repr), relation
    assert all(len(row["event_times"]) == 1 for row in after["memories"])
    assert await asyncio.to_thread(_dump, former.admin) == new_dump
    await _works(former.worker)


async def test_an_owner_bound_by_row_level_security_can_upgrade(new_database: Callable[[], Dsns]) -> None:
    """As on a managed server, where the owner of the tables is no superuser."""
    dsns = await asyncio.to_thread(new_database)
    role, password = f"owner_{uuid4().hex}", "secret"
    connection = await asyncpg.connect(dsns.admin)
    try:
        await create_former_schema(connection, (25,))
        await _seed(connection)
        await connection.execute("update memories set event_times = array[tstzrange(created_at, null)]")
        await connection.execute(_GIVE_ALL.format(role=role, password=password))
        await migrate(_as(dsns.admin, role, password))
        found = await connection.fetch("select event_times from memories")
        assert [len(row["event_times"]) for row in found] == [1, 1]
        bound = await connection.fetch("select relforcerowsecurity from pg_class where relname = 'memories'")
        assert [row["relforcerowsecurity"] for row in bound] == [True]
    finally:
        await connection.execute(f"reassign owned by {role} to current_user; drop owned by {role}")
        await connection.execute(f"drop role {role}")
        await connection.close()


def _as(dsn: str, user: str, password: str) -> str:
    place = dsn.rpartition("@")[2]
    return f"postgresql://{user}:{password}@{place}"


async def test_a_database_before_the_oldest_version_is_refused_and_left_alone(
    new_database: Callable[[], Dsns],
) -> None:
    dsns = await asyncio.to_thread(new_database)
    connection = await asyncpg.connect(dsns.admin)
    try:
        await create_former_schema(connection)
        await connection.execute(f"delete from schema_migrations where version >= {OLDEST}")
        with pytest.raises(SchemaTooOld, match=r"schema version 22, .* from 23 on: install Ricordo 0\.1\.0"):
            await migrate(dsns.admin)
        assert await connection.fetchval("select to_regclass('tallies') is not null")
    finally:
        await connection.close()


async def _works(dsn: str) -> None:
    """Store something next to the rows of before, as the workers' role."""
    async with Database.connect(dsn, size=2) as database:
        now = datetime(2026, 3, 1, tzinfo=UTC)
        (taken,) = await IntakeStore(database).record("t-1", [new_message("m-new")], now)
    assert taken.status == "kept"
