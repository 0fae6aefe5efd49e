"""Reading the facts that are known, for a projection that is written anew."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from uuid import UUID

from ricordo.memory.facts import Fact
from ricordo.store.database import Connection, Database
from ricordo.store.fact_rows import fact_of
from ricordo.store.types.known import HeldFacts

_SQL = Database.queries("known")
_LOCK_USERS = Database.queries("facts")["lock_users"]
_STATES = Database.queries("facts")["states"]


class PostgresKnownFacts:
    """Implements `KnownFacts`."""

    def __init__(self, database: Database) -> None:
        """Read through `database`."""
        self._database = database

    async def owners(self, tenant: str, user_id: str | None = None) -> Mapping[str, int]:
        """Return how many facts each user has; see `KnownFacts.owners`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["owners"], tenant, user_id)
        return {row["user_id"]: row["facts"] for row in found}

    async def ids(self, tenant: str, user_id: str) -> Collection[UUID]:
        """Return the ids of all facts of a user; see `KnownFacts.ids`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["ids"], tenant, user_id)
        return {row["id"] for row in found}

    @asynccontextmanager
    async def held(self, tenant: str, user_id: str) -> AsyncIterator[HeldFacts]:
        """Hold the lock of the user; see `KnownFacts.held`."""
        async with self._database.transaction(tenant) as connection:
            await connection.execute(_LOCK_USERS, tenant, [user_id])
            yield _Held(connection, tenant, user_id)


class _Held:
    """Implements `HeldFacts`, in the transaction that holds the lock."""

    def __init__(self, connection: Connection, tenant: str, user_id: str) -> None:
        self._connection = connection
        self._of = tenant, user_id

    async def among(self, ids: Collection[UUID]) -> Sequence[Fact]:
        """Return those of `ids` that are facts; see `HeldFacts.among`."""
        return [fact_of(row) for row in await self._connection.fetch(_SQL["among"], *self._of, list(ids))]

    async def state(self) -> UUID | None:
        """Return the state of the user's evidence; see `HeldFacts.state`."""
        tenant, user_id = self._of
        found = await self._connection.fetch(_STATES, tenant, [user_id])
        return found[0]["state"] if found else None
