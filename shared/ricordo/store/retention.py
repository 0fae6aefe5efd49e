"""Expiry and retention on PostgreSQL."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from ricordo.store.database import Database
from ricordo.store.types.retention import Quota

_SQL = Database.queries("retention")


class PostgresRetention:
    """Implements `Retention`."""

    def __init__(self, database: Database) -> None:
        """Read and write through `database`."""
        self._database = database

    async def count(self, tenant: str, user_id: str | None) -> int:
        """Return how many memories there are."""
        async with self._database.transaction(tenant, planned_anew=True) as connection:
            return int(await connection.fetchval(_SQL["count"], tenant, user_id))

    async def expiring(self, tenant: str, now: datetime, *, user_id: str | None, kept: timedelta) -> int:
        """Return how many memories are past their time; see `Retention.expiring`."""
        async with self._database.transaction(tenant) as connection:
            return int(await connection.fetchval(_SQL["expiring"], tenant, now, user_id, kept))

    async def expire(
        self, tenant: str, now: datetime, *, user_id: str | None, kept: timedelta, limit: int
    ) -> Sequence[tuple[UUID, str]]:
        """Archive what is past its time; see `Retention.expire`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["expire"], tenant, now, user_id, kept, limit)
        return [(row["id"], row["user_id"]) for row in found]

    async def over_quota(
        self, tenant: str, kinds: Sequence[str], limit: int, user_id: str | None
    ) -> Mapping[str, int]:
        """Return who is over a quota; see `Retention.over_quota`."""
        async with self._database.transaction(tenant, planned_anew=True) as connection:
            found = await connection.fetch(_SQL["over_quota"], tenant, list(kinds), limit, user_id)
        return {row["user_id"]: row["number"] for row in found}

    async def prune(
        self, tenant: str, now: datetime, quota: Quota, *, limit: int
    ) -> Sequence[tuple[UUID, str]]:
        """Archive the worst of what is over a quota; see `Retention.prune`."""
        async with self._database.transaction(tenant, planned_anew=True) as connection:
            found = await connection.fetch(
                _SQL["prune"],
                tenant,
                now,
                quota.user_id,
                list(quota.kinds),
                quota.limit,
                quota.strategy,
                limit,
            )
        return [(row["id"], row["user_id"]) for row in found]
