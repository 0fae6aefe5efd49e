"""How much is kept out of the archive."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from ricordo.adapters.postgres.database import Database
from ricordo.ports.keeping import Retention

_SQL = Database.queries("keeping")


class PostgresKeeping:
    """Implements `Keeping`."""

    def __init__(self, database: Database) -> None:
        """Read and write through `database`."""
        self._database = database

    async def count(self, tenant: str, user_id: str | None) -> int:
        """Return how many memories there are."""
        async with self._database.transaction(tenant, planned_anew=True) as connection:
            return int(await connection.fetchval(_SQL["count"], tenant, user_id))

    async def expiring(self, tenant: str, now: datetime, *, user_id: str | None, kept: timedelta) -> int:
        """Return how many memories are past their time; see `Keeping.expiring`."""
        async with self._database.transaction(tenant) as connection:
            return int(await connection.fetchval(_SQL["expiring"], tenant, now, user_id, kept))

    async def expire(
        self, tenant: str, now: datetime, *, user_id: str | None, kept: timedelta, limit: int
    ) -> Sequence[tuple[UUID, str]]:
        """Archive what is past its time; see `Keeping.expire`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["expire"], tenant, now, user_id, kept, limit)
        return [(row["id"], row["user_id"]) for row in found]

    async def crowded(
        self, tenant: str, kinds: Sequence[str], limit: int, user_id: str | None
    ) -> Mapping[str, int]:
        """Return who has too many memories; see `Keeping.crowded`."""
        async with self._database.transaction(tenant, planned_anew=True) as connection:
            found = await connection.fetch(_SQL["crowded"], tenant, list(kinds), limit, user_id)
        return {row["user_id"]: row["number"] for row in found}

    async def prune(
        self, tenant: str, now: datetime, retention: Retention, *, limit: int
    ) -> Sequence[tuple[UUID, str]]:
        """Archive the worst of what is too much; see `Keeping.prune`."""
        async with self._database.transaction(tenant, planned_anew=True) as connection:
            found = await connection.fetch(
                _SQL["prune"],
                tenant,
                now,
                retention.user_id,
                list(retention.kinds),
                retention.limit,
                retention.strategy,
                limit,
            )
        return [(row["id"], row["user_id"]) for row in found]
