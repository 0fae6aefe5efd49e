"""A database of an earlier version becomes one of this version, with all its rows, and works."""

import asyncio
import subprocess
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import asyncpg
import pytest
from tests.contract.store.conftest import Dsns
from tests.fixtures.former_schema import create_former_schema
from tests.fixtures.sentence_tables import table
from tests.support.factories import new_message

from ricordo.store.database import Database
from ricordo.store.intake import IntakeStore
from ricordo.store.schema import OLDEST, SchemaTooOld, migrate, upgrades
from ricordo_services.stack.packages import postgres_bin

Rows = dict[str, list[dict[str, Any]]]

STARTS: Final = [
    (),
    (25,),
    (25, 26),
    *(tuple(range(OLDEST + 1, last)) for last in range(OLDEST + 2, 31)),
    (*range(OLDEST + 1, 29), 31),
]
"""The upgrades beyond version 23 that a database of the main branch may have: 25 and 26 came before 24,
31 before 29. Later ones have foreign keys, which the made-up rows do not fulfil."""
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


@pytest.mark.parametrize("later", STARTS, ids=str)
async def test_an_upgraded_database_has_all_rows_and_the_schema_of_a_new_one(
    new_database: Callable[[], Dsns], new_dump: list[str], later: tuple[int, ...]
) -> None:
    former = await asyncio.to_thread(new_database)
    connection = await asyncpg.connect(former.admin)
    try:
        await create_former_schema(connection, later)
        before = await _seed(connection)
        assert all(len(rows) >= ROWS for rows in before.values())
        applied = await asyncio.gather(*(migrate(former.admin) for _ in range(2)))
        assert sorted(map(len, applied)) == [0, len(upgrades()) - len(later)]
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
    if 25 not in later:
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
