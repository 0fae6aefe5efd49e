"""Migrations of the schema, and tombstones that are carried between databases.

Migrations are numbered SQL files, applied in order, each once, by one process at a time. They follow expand
and contract: a migration only adds what the running version ignores; what an old version needs is removed by
a later one, when no process of the old version is left.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Final

import asyncpg

from ricordo.store.database import Database, translate_errors

_SQL: Final = Database.queries("schema")
_LOCK = 0x52_49_43_4F_52_44_4F  # "RICORDO": one advisory lock for all processes that migrate
_FILE = re.compile(r"^(\d{4})_(\w+)\.sql$")


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Row of a tombstone, as it is carried between databases.

    Attributes:
        scope: a `ForgetScope`, or `erased`: a message that went with its user or its conversation.
    """

    tenant: str
    scope: str
    user_id: str
    key: str
    buried_at: datetime


class SchemaTooNew(Exception):
    """The database was migrated by a newer version than this one."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file."""

    version: int
    name: str
    sql: str


def migrations() -> list[Migration]:
    """Return the packaged migrations in order."""
    found = [
        Migration(int(match[1]), match[2], path.read_text(encoding="utf-8"))
        for path in files(__package__).joinpath("migrations").iterdir()
        if (match := _FILE.match(path.name))
    ]
    return sorted(found, key=lambda migration: migration.version)


async def migrate(admin_dsn: str) -> list[str]:
    """Bring the schema up to this version and return the names of what was applied.

    Safe to call from many processes at once: the first applies, the others wait and find nothing to do. Each
    migration is one transaction: one that is cut off leaves nothing behind and is applied by the next call.

    Args:
        admin_dsn: a role that owns the schema and may create roles; workers use another one,
            `ricordo_worker`, bound by row-level security.

    Raises:
        SchemaTooNew: upgrade this program, or restore a backup made with it.
        StoreUnavailable: nobody answers at `admin_dsn`.
    """
    with translate_errors():
        connection = await asyncpg.connect(admin_dsn, timeout=10)
        try:
            await connection.execute("select pg_advisory_lock($1)", _LOCK)
            return await _apply(connection)
        finally:
            await connection.close()  # releases the lock


async def _apply(connection: "asyncpg.Connection[asyncpg.Record]") -> list[str]:
    await connection.execute(
        "create table if not exists schema_migrations "
        "(version integer primary key, name text not null, applied_at timestamptz not null default now())"
    )
    applied = {row["version"] for row in await connection.fetch("select version from schema_migrations")}
    known = migrations()
    if newer := applied - {migration.version for migration in known}:
        raise SchemaTooNew(
            f"the database has schema version {max(newer)}, this program knows up to {known[-1].version}: "
            "upgrade Ricordo, or restore a backup made with this version"
        )
    todo = [migration for migration in known if migration.version not in applied]
    for migration in todo:
        async with connection.transaction():
            await connection.execute(migration.sql)
            await connection.execute(
                "insert into schema_migrations (version, name) values ($1, $2)",
                migration.version,
                migration.name,
            )
    return [f"{migration.version:04d}_{migration.name}" for migration in todo]


async def schema_version(admin_dsn: str) -> int:
    """Return the version of a database's schema; 0 where it has none.

    Raises:
        StoreUnavailable: nobody answers at `admin_dsn`.
    """
    with translate_errors():
        connection = await asyncpg.connect(admin_dsn, timeout=10)
        try:
            if not await connection.fetchval(_SQL["is_there"], "schema_migrations"):
                return 0
            return int(await connection.fetchval(_SQL["schema"]))
        finally:
            await connection.close()


async def tombstones(admin_dsn: str) -> list[Tombstone]:
    """Return what was forgotten, in all tenants.

    Args:
        admin_dsn: a role that bypasses row-level security; the schema may be of any version.

    Raises:
        StoreUnavailable: nobody answers there.
    """
    with translate_errors():
        connection = await asyncpg.connect(admin_dsn, timeout=10)
        try:
            if not await connection.fetchval(_SQL["is_there"], "tombstones"):
                return []
            return [Tombstone(**dict(row)) for row in await connection.fetch(_SQL["all"])]
        finally:
            await connection.close()


async def carry_tombstones(admin_dsn: str, stones: Sequence[Tombstone]) -> int:
    """Put up tombstones from elsewhere, where none as late stands; who runs on the database then erases.

    Args:
        admin_dsn: a role that bypasses row-level security, of a database with the schema of this version.
        stones: of any tenants.

    Returns:
        How many erasures begin anew.

    Raises:
        StoreUnavailable: nobody answers there; none is put up.
    """
    columns = [
        [getattr(stone, name) for stone in stones]
        for name in ("tenant", "scope", "user_id", "key", "buried_at")
    ]
    with translate_errors():
        connection = await asyncpg.connect(admin_dsn, timeout=10)
        try:
            return int(await connection.fetchval(_SQL["carry"], *columns))
        finally:
            await connection.close()
