"""Finding what former versions have derived, and writing it anew."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from ricordo.language.instructions import TAG
from ricordo.store import rows
from ricordo.store.database import Database
from ricordo.store.projection import derived_row
from ricordo.store.types.memories import EnrichedMemory
from ricordo.store.types.outdated import Outdated, Slice, Sought
from ricordo.store.types.stages import Progress

_SQL = Database.queries("outdated")
_ENRICH = Database.queries("projection")["enrich"]


class PostgresOutdated:
    """Implements `OutdatedMemories`."""

    def __init__(self, database: Database, window: int = 2_000) -> None:
        """Read and write through `database`, looking at `window` memories at once."""
        self._database = database
        self._window = window

    async def count(self, tenant: str, sought: Sought) -> Mapping[str, int]:
        """Count what is outdated by version; see `OutdatedMemories.count`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["count"], tenant, *_parameters(sought))
        return {row["version"]: row["number"] for row in found}

    async def find(self, tenant: str, sought: Sought, after: UUID | None, limit: int) -> Slice:
        """Return what is outdated; see `OutdatedMemories.find`."""
        async with self._database.transaction(tenant) as connection:
            looked = await connection.fetch(
                _SQL["find"], tenant, *_parameters(sought), after, limit, self._window
            )
        found = [
            Outdated(row["id"], row["user_id"], row["model"], row["version"], row["rated_by"])
            for row in looked
            if row["id"] is not None
        ]
        if len(found) == limit:
            return Slice(found, found[-1].memory_id)
        return Slice(found, looked[0]["last"] if looked[0]["number"] == self._window else None)

    async def replace(
        self, tenant: str, enriched: Sequence[EnrichedMemory], *, rating_only: bool = False
    ) -> Sequence[Progress]:
        """Write and take back the stage; see `OutdatedMemories.replace`."""
        statement = _SQL["rate"] if rating_only else _ENRICH
        document = rows.recordset(map(derived_row, enriched))
        arguments = (document,) if rating_only else (document, TAG)
        async with self._database.transaction(tenant) as connection:
            written = {row["id"] for row in await connection.fetch(statement, tenant, *arguments)}
            found = await connection.fetch(_SQL["unindex"], tenant, sorted(written))
        progress = rows.in_order(found, [one.memory_id for one in enriched])
        return [rows.progress(row) for row in progress]


def _parameters(sought: Sought) -> tuple[Any, ...]:
    return sought.user_id, sought.version, sought.with_model, sought.rating_only, sought.models
