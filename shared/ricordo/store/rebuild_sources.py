"""Reads for projections that are written anew: the facts for the graph, the memories for the vector index."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple
from uuid import UUID

from ricordo.memory.facts import Fact
from ricordo.memory.progress import Progress
from ricordo.store import rows
from ricordo.store.database import Connection, Database, Store
from ricordo.store.fact_rows import fact_of

_SQL = Database.queries("rebuild_sources")
_STATES = Database.queries("facts")["states"]
_UNINDEX = Database.queries("reprocessing")["unindex"]
_LOCK_USERS = Database.queries("facts")["lock_users"]


class ReindexingSlice(NamedTuple):
    """Some memories in id order, or none.

    Attributes:
        memories: each with its stages.
        last: the id after which to go on; None at the end.
    """

    memories: Sequence[Progress]
    last: UUID | None


class FactSource(Store):
    """Reads facts for a rebuild of the graph.

    Every method raises `StoreUnavailable` when the store does not answer.
    """

    async def owners(self, tenant: str, user_id: str | None = None) -> Mapping[str, int]:
        """Return how many facts each user has, sorted by user; users without any are left out."""
        found = await self._fetch(_SQL["owners"], tenant, user_id)
        return {row["user_id"]: row["facts"] for row in found}

    async def ids(self, tenant: str, user_id: str) -> Collection[UUID]:
        """Return the ids of all facts of a user."""
        found = await self._fetch(_SQL["ids"], tenant, user_id)
        return {row["id"] for row in found}

    @asynccontextmanager
    async def held(self, tenant: str, user_id: str) -> AsyncIterator["LockedFacts"]:
        """Hold the lock of the user under which facts are recorded and projected, for the length of a block.

        What is read under it may be projected under it: no older state can overwrite a newer one.
        """
        async with self._database.transaction(tenant) as connection:
            await connection.execute(_LOCK_USERS, tenant, [user_id])
            yield LockedFacts(connection, tenant, user_id)


class LockedFacts:
    """Facts of a user in a transaction that holds the lock of the user.

    In the transaction that holds the lock.
    """

    def __init__(self, connection: Connection, tenant: str, user_id: str) -> None:
        self._connection = connection
        self._of = tenant, user_id

    async def among(self, ids: Collection[UUID]) -> Sequence[Fact]:
        """Return those of `ids` that are facts of the user, as they stand."""
        return [fact_of(row) for row in await self._connection.fetch(_SQL["among"], *self._of, list(ids))]

    async def state(self) -> UUID | None:
        """Return the state of the user's evidence; None where there never was any."""
        tenant, user_id = self._of
        found = await self._connection.fetch(_STATES, tenant, [user_id])
        return found[0]["version"] if found else None


class ReindexingStore(Store):
    """Reads and releases memories for a rebuild of the index. Only enriched memories with a vector count.

    Every method raises `StoreUnavailable` when the store does not answer.
    """

    async def count(self, tenant: str, user_id: str | None) -> int:
        """Count the memories of a user, or of all."""
        number: int = await self._fetchval(_SQL["count"], tenant, user_id)
        return number

    async def release(
        self, tenant: str, user_id: str | None, after: UUID | None, limit: int
    ) -> ReindexingSlice:
        """Take back the stage `indexed` of at most `limit` memories, in id order after `after`.

        The missing stage says that the point has yet to be written, should nobody be told of it.
        """
        async with self._database.transaction(tenant) as connection:
            (looked,) = await connection.fetch(_SQL["find"], tenant, user_id, after, limit)
            found = await connection.fetch(_UNINDEX, tenant, looked["ids"])
        memories = sorted(map(rows.progress, found), key=lambda one: one.memory_id)
        return ReindexingSlice(memories, looked["last"] if looked["number"] == limit else None)
