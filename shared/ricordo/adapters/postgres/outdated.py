"""Finding what former versions have derived, and writing it anew."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from ricordo.adapters.postgres import rows
from ricordo.adapters.postgres.database import Database
from ricordo.adapters.postgres.projection import derived_row
from ricordo.ports.memories import EnrichedMemory
from ricordo.ports.outdated import Outdated, Sought
from ricordo.ports.stages import Progress

_SQL = Database.queries("outdated")
_ENRICH = Database.queries("projection")["enrich"]


class PostgresOutdated:
    """Implements `OutdatedMemories`."""

    def __init__(self, database: Database) -> None:
        """Read and write through `database`."""
        self._database = database

    async def count(self, tenant: str, sought: Sought) -> Mapping[str, int]:
        """Count what is outdated by version; see `OutdatedMemories.count`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["count"], tenant, *_parameters(sought))
        return {row["version"]: row["number"] for row in found}

    async def find(self, tenant: str, sought: Sought, after: UUID | None, limit: int) -> Sequence[Outdated]:
        """Return what is outdated; see `OutdatedMemories.find`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["find"], tenant, *_parameters(sought), after, limit)
        return [
            Outdated(row["id"], row["user_id"], row["model"], row["version"], row["rated_by"])
            for row in found
        ]

    async def replace(
        self, tenant: str, enriched: Sequence[EnrichedMemory], *, rating_only: bool = False
    ) -> Sequence[Progress]:
        """Write and take back the stage; see `OutdatedMemories.replace`."""
        statement = _SQL["rate"] if rating_only else _ENRICH
        document = rows.recordset(map(derived_row, enriched))
        async with self._database.transaction(tenant) as connection:
            written = {row["id"] for row in await connection.fetch(statement, tenant, document)}
            found = await connection.fetch(_SQL["unindex"], tenant, sorted(written))
        progress = rows.in_order(found, [one.memory_id for one in enriched])
        return [rows.progress(row) for row in progress]


def _parameters(sought: Sought) -> tuple[Any, ...]:
    return sought.user_id, sought.version, sought.with_model, sought.rating_only, sought.models
