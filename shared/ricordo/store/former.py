"""Finding the memories of a former embedding model, and letting go of its vectors."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from ricordo.store import rows
from ricordo.store.database import Database
from ricordo.store.types.former import Behind, Former, FormerSlice
from ricordo.store.types.stages import Progress

_SQL = Database.queries("former")
_UNINDEX = Database.queries("outdated")["unindex"]


class PostgresFormerVectors:
    """Implements `FormerVectors`."""

    def __init__(self, database: Database, window: int = 1_000) -> None:
        """Read and write through `database`, looking at `window` memories at once."""
        self._database = database
        self._window = window

    async def count(self, tenant: str, behind: Behind) -> Mapping[str, int]:
        """Count what is still to be moved; see `FormerVectors.count`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["count"], tenant, behind.model, behind.user_id)
        return {row["model"]: row["number"] for row in found}

    async def unencoded(self, tenant: str, user_id: str | None) -> int:
        """Count what no model has encoded yet; see `FormerVectors.unencoded`."""
        async with self._database.transaction(tenant) as connection:
            number: int = await connection.fetchval(_SQL["unencoded"], tenant, user_id)
        return number

    async def held(self, tenant: str, models: Sequence[str]) -> Mapping[str, int]:
        """Count the vectors of models; see `FormerVectors.held`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["held"], tenant, models)
        return {row["model"]: row["number"] for row in found}

    async def find(self, tenant: str, behind: Behind, after: UUID | None, limit: int) -> FormerSlice:
        """Return what is still to be moved; see `FormerVectors.find`."""
        asked = (tenant, behind.model, behind.user_id, after, limit, self._window)
        async with self._database.transaction(tenant) as connection:
            looked = await connection.fetch(_SQL["find"], *asked)
        found = [
            Former(row["id"], row["user_id"], row["content"], row["encoded"])
            for row in looked
            if row["id"] is not None
        ]
        if len(found) == limit:
            return FormerSlice(found, found[-1].memory_id)
        return FormerSlice(found, looked[0]["last"] if looked[0]["number"] == self._window else None)

    async def release(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Sequence[Progress]:
        """Drop other vectors and take back the stage; see `FormerVectors.release`."""
        async with self._database.transaction(tenant) as connection:
            moved = await connection.fetch(_SQL["release"], tenant, model, memory_ids)
            found = await connection.fetch(_UNINDEX, tenant, sorted(row["id"] for row in moved))
        progress = (rows.progress(row) for row in found)
        return sorted((one for one in progress if one.enriched is not None), key=lambda one: one.memory_id)

    async def retire(self, tenant: str, keep: Sequence[str], before: datetime) -> Sequence[str]:
        """Strike out models without vectors; see `FormerVectors.retire`."""
        async with self._database.transaction(tenant) as connection:
            held = [row["model"] for row in await connection.fetch(_SQL["hold_models"], tenant, keep)]
            # A statement of its own, which sees what those have kept who were waited for.
            gone = await connection.fetch(_SQL["retire"], tenant, held, before) if held else []
        return [row["model"] for row in gone]
