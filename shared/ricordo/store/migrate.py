"""Schema migrations: numbered SQL files, applied in order, each once, by one process at a time.

They follow expand and contract: a migration only adds what the running version ignores; what an old version
needs is removed by a later one, when no process of the old version is left.
"""

import re
from dataclasses import dataclass
from importlib.resources import files

import asyncpg

from ricordo.store.database import translating

_LOCK = 0x52_49_43_4F_52_44_4F  # "RICORDO": one advisory lock for all processes that migrate
_FILE = re.compile(r"^(\d{4})_(\w+)\.sql$")


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
    with translating():
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
