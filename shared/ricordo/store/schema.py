"""Creates and upgrades the database schema, and carries tombstones between databases.

`migrations/initial` and the functions beside it are the current schema. `migrations/upgrades` brings a
database of `OLDEST` or later to it; a test compares both ways. Every function that takes the address of a
database (`admin_dsn`) raises `StoreUnavailable` if nobody answers there.
"""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Annotated, Final, Literal

import asyncpg
from pydantic import AwareDatetime, Field

from ricordo.store.database import Database, translate_errors

_SQL: Final = Database.queries("schema")
_FOLDER: Final = files(__package__).joinpath("migrations")
_INITIAL: Final = ("initial/1_memories.sql", "initial/2_facts.sql", "initial/3_operations.sql")
_FUNCTIONS: Final = [f"{of}functions.sql" for of in ("", "intake_", "stage_", "fact_", "recall_")]
_LOCK: Final = 0x52_49_43_4F_52_44_4F  # "RICORDO": one advisory lock for all processes that migrate
_Name = Annotated[str, Field(min_length=1, max_length=128)]
_FILE: Final = re.compile(r"^(\d{4})_(\w+)\.sql$")

OLDEST: Final = 23
"""The oldest schema version that can be upgraded: that of Ricordo 0.1.0."""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Row of a tombstone, as it is carried between databases.

    Attributes:
        scope: a `ForgetScope`, or `erased`: a message that was erased with its user or its conversation.
    """

    tenant: str
    scope: Literal["message", "memory", "conversation", "user", "erased"]
    user_id: _Name
    key: _Name
    requested_at: AwareDatetime


class SchemaTooNew(Exception):
    """The database was migrated by a newer version than this one."""


class SchemaTooOld(Exception):
    """The database is of a version before the oldest that can be upgraded."""


@dataclass(frozen=True, slots=True)
class Migration:
    """A step from one schema version to the next; the first one creates the schema."""

    version: int
    name: str
    sql: str

    def __str__(self) -> str:
        return f"{self.version:04d}_{self.name}"


def upgrades() -> list[Migration]:
    """Return the packaged upgrades in order."""
    found = [
        Migration(int(match[1]), match[2], path.read_text(encoding="utf-8"))
        for path in _FOLDER.joinpath("upgrades").iterdir()
        if (match := _FILE.match(path.name))
    ]
    return sorted(found, key=lambda upgrade: upgrade.version)


def newest_schema() -> int:
    """Return the schema version of this release."""
    return upgrades()[-1].version


async def migrate(admin_dsn: str) -> list[str]:
    """Create the schema or upgrade it to this version, and return the names of what was applied.

    Safe to call from many processes at once: the first applies, the others wait and find nothing to do. All
    is one transaction: one that is cut off leaves nothing behind.

    Args:
        admin_dsn: a role that owns the schema and may create roles; workers use another one,
            `ricordo_worker`, bound by row-level security.

    Raises:
        SchemaTooNew: upgrade this program, or restore a backup made with it.
        SchemaTooOld: upgrade to Ricordo 0.1.0 first.
    """
    async with _connected(admin_dsn) as connection:  # until it is closed, it holds the lock
        await connection.execute("select pg_advisory_lock($1)", _LOCK)
        async with connection.transaction():
            return await _apply(connection)


@asynccontextmanager
async def _connected(dsn: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    with translate_errors():
        connection = await asyncpg.connect(dsn, timeout=10)
        try:
            yield connection
        finally:
            await connection.close()


async def _apply(connection: "asyncpg.Connection[asyncpg.Record]") -> list[str]:
    await connection.execute(
        "create table if not exists schema_migrations "
        "(version integer primary key, name text not null, applied_at timestamptz not null default now())"
    )
    applied = {row["version"] for row in await connection.fetch("select version from schema_migrations")}
    known = upgrades()
    steps = [step for step in known if step.version not in applied]
    if applied:
        _check_version(max(applied), known[-1].version)
        sources = [step.sql for step in steps]
        names = list(map(str, steps))
    else:  # the initial schema contains all upgrades
        initial = Migration(OLDEST, "initial", "\n".join(map(_read, _INITIAL)))
        steps = [initial, *steps]
        sources = [initial.sql]
        names = [f"{known[-1].version:04d}_{initial.name}"]
    if not steps:
        return []
    for source in (*sources, *map(_read, _FUNCTIONS)):
        await connection.execute(source)
    await connection.executemany(
        "insert into schema_migrations (version, name) values ($1, $2)",
        [(step.version, step.name) for step in steps],
    )
    return names


def _check_version(version: int, newest: int) -> None:
    if version > newest:
        raise SchemaTooNew(
            f"the database has schema version {version}, this program knows up to {newest}: "
            "upgrade Ricordo, or restore a backup made with this version"
        )
    if version < OLDEST:
        raise SchemaTooOld(
            f"the database has schema version {version}, and this program upgrades from {OLDEST} on: install "
            "Ricordo 0.1.0 as of 24 November 2026, run its `ricordo up` or `ricordo migrate` once, and "
            "upgrade to this version then"
        )


def _read(name: str) -> str:
    return _FOLDER.joinpath(name).read_text(encoding="utf-8")


async def schema_version(admin_dsn: str) -> int:
    """Return the version of a database's schema; 0 where it has none."""
    async with _connected(admin_dsn) as connection:
        if not await connection.fetchval(_SQL["is_there"], "schema_migrations"):
            return 0
        return int(await connection.fetchval(_SQL["schema"]))


async def tombstones(admin_dsn: str) -> list[Tombstone]:
    """Return the tombstones of all tenants.

    Args:
        admin_dsn: a role that bypasses row-level security; the schema may be of any version.
    """
    async with _connected(admin_dsn) as connection:
        if not await connection.fetchval(_SQL["is_there"], "tombstones"):
            return []
        return [Tombstone(**dict(row)) for row in await connection.fetch(_SQL["all"])]


async def carry_tombstones(admin_dsn: str, stones: Sequence[Tombstone]) -> int:
    """Write tombstones of another database, unless there is one as late; the workers then erase.

    Args:
        admin_dsn: a role that bypasses row-level security, of a database with the schema of this version.

    Returns:
        How many erasures begin anew.
    """
    columns = [[getattr(stone, one.name) for stone in stones] for one in fields(Tombstone)]
    async with _connected(admin_dsn) as connection:
        return int(await connection.fetchval(_SQL["carry"], *columns))
