"""A database of every earlier version becomes one of this version, with all its rows, and works."""

import asyncio
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import asyncpg
import pytest
from tests.contract.store.conftest import Dsns

from ricordo.store import schema as module
from ricordo.store.database import Database
from ricordo.store.intake import IntakeStore
from ricordo.store.schema import migrate, migrations
from ricordo.testing.factories import new_message

pytestmark = pytest.mark.integration

OLDEST: Final = 12
NEWEST: Final = migrations()[-1].version
ROWS: Final = 2
_UNLESS: Final = "on conflict do nothing"  # where a trigger has put it already
_OWN: Final = ("schema_migrations",)
_MIGRATE: Final = (
    "import asyncio, sys; from ricordo.store.schema import migrate; "
    "print(len(asyncio.run(migrate(sys.argv[1]))))"
)
_COLUMNS: Final = """
select c.table_name, c.column_name, c.udt_name from information_schema.columns c
join pg_tables t on t.tablename = c.table_name and t.schemaname = c.table_schema
where c.table_schema = 'public' and c.is_nullable = 'NO' and c.column_default is null
  and c.is_generated = 'NEVER'
order by 1, 2
"""
_ALLOWED: Final = {"scope": "message", "predicate": "likes", "role": "user"}
_FIRST: Final = {"tenant": "t-1", "user_id": "u-1", "conversation_id": "c-1"}
Rows = dict[str, list[dict[str, Any]]]


def _value(column: str, kind: str, number: int) -> object:
    """Return a value for a column that takes none by itself."""
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
    """Put rows into each table, and return all that they hold then."""
    tables: dict[str, list[tuple[str, str]]] = {}
    for table, column, kind in await connection.fetch(_COLUMNS):
        if table not in _OWN:
            tables.setdefault(table, []).append((column, kind))
    for table, columns in tables.items():
        names = ", ".join(name for name, _ in columns)
        places = ", ".join(f"${place}" for place in range(1, len(columns) + 1))
        for number in range(ROWS):
            row = [_value(name, kind, number) for name, kind in columns]
            await connection.execute(f"insert into {table} ({names}) values ({places}) {_UNLESS}", *row)
    return await _rows(connection, tables)


async def _rows(connection: "asyncpg.Connection[asyncpg.Record]", tables: Iterable[str]) -> Rows:
    return {
        table: [dict(row) for row in await connection.fetch(f"select * from {table}")] for table in tables
    }


async def _in_a_process(dsn: str) -> int:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _MIGRATE, dsn, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    return int(out)


@pytest.mark.parametrize("version", range(OLDEST, NEWEST))
async def test_rows_of_an_earlier_version_are_all_there(
    new_database: Callable[[], Dsns], monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    dsns = await asyncio.to_thread(new_database)
    packaged = migrations()
    with monkeypatch.context() as patched:
        patched.setattr(module, "migrations", lambda: [one for one in packaged if one.version <= version])
        await migrate(dsns.admin)
    connection = await asyncpg.connect(dsns.admin)
    try:
        before = await _seed(connection)
        assert all(len(rows) >= ROWS for rows in before.values())
        applied = await asyncio.gather(*(_in_a_process(dsns.admin) for _ in range(2)))
        assert sorted(applied) == [0, sum(one.version > version for one in packaged)]
        after = await _rows(connection, before)
    finally:
        await connection.close()
    for table, rows in before.items():
        now = [{name: row[name] for name in rows[0]} for row in after[table]]
        assert sorted(now, key=repr) == sorted(rows, key=repr), table
    await _works(dsns.worker)


async def _works(dsn: str) -> None:
    """Take something in beside what came before, as the workers' role."""
    async with Database.connect(dsn, size=2) as database:
        now = datetime(2026, 3, 1, tzinfo=UTC)
        (taken,) = await IntakeStore(database).record("t-1", [new_message("m-new")], now)
    assert taken.status == "kept"
