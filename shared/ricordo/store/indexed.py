"""Having points written anew: their memories lack the stage until that is done."""

from uuid import UUID

from ricordo.store import rows
from ricordo.store.database import Database
from ricordo.store.types.indexed import Released

_SQL = Database.queries("indexed")
_UNINDEX = Database.queries("outdated")["unindex"]


class PostgresIndexedMemories:
    """Implements `IndexedMemories`."""

    def __init__(self, database: Database) -> None:
        """Read and write through `database`."""
        self._database = database

    async def count(self, tenant: str, user_id: str | None) -> int:
        """Count memories; see `IndexedMemories.count`."""
        async with self._database.transaction(tenant) as connection:
            number: int = await connection.fetchval(_SQL["count"], tenant, user_id)
        return number

    async def release(self, tenant: str, user_id: str | None, after: UUID | None, limit: int) -> Released:
        """Take back the stage; see `IndexedMemories.release`."""
        async with self._database.transaction(tenant) as connection:
            (looked,) = await connection.fetch(_SQL["find"], tenant, user_id, after, limit)
            found = await connection.fetch(_UNINDEX, tenant, looked["ids"])
        memories = sorted(map(rows.progress, found), key=lambda one: one.memory_id)
        return Released(memories, looked["last"] if looked["number"] == limit else None)
