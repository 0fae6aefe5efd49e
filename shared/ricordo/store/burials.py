"""What was asked to be forgotten, of all tenants: carried from one database into another by its owner.

A backup knows nothing of what was forgotten after it was made.
"""

from collections.abc import Sequence
from typing import Final

import asyncpg

from ricordo.store.database import Database, translating
from ricordo.store.types.erasing import Tombstone

_SQL: Final = Database.queries("burials")


async def schema_version(admin_dsn: str) -> int:
    """Return the version of a database's schema; 0 where it has none.

    Raises:
        StoreUnavailable: nobody answers at `admin_dsn`.
    """
    with translating():
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
    with translating():
        connection = await asyncpg.connect(admin_dsn, timeout=10)
        try:
            if not await connection.fetchval(_SQL["is_there"], "tombstones"):
                return []
            return [Tombstone(**dict(row)) for row in await connection.fetch(_SQL["all"])]
        finally:
            await connection.close()


async def carry(admin_dsn: str, stones: Sequence[Tombstone]) -> int:
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
    with translating():
        connection = await asyncpg.connect(admin_dsn, timeout=10)
        try:
            return int(await connection.fetchval(_SQL["carry"], *columns))
        finally:
            await connection.close()
