"""The contract of links, on PostgreSQL and on the fake that stands for it."""

from collections.abc import Sequence
from uuid import UUID

import pytest

from ricordo.store.database import Database
from ricordo.store.link_store import LinkStore
from ricordo.testing import stores as contracts
from ricordo.testing.stores import Stores
from ricordo.testing.stores.linked import LinkedMemories, MemoriesInMemory, MemoriesOfStores


def of_stores(stores: Stores, database: Database) -> MemoriesOfStores:
    """Return memories on PostgreSQL."""

    async def delete(tenant: str, ids: Sequence[UUID]) -> None:
        async with database.transaction(tenant) as connection:
            await connection.execute(
                "delete from memories where tenant = $1 and id = any($2::uuid[])", tenant, ids
            )

    return MemoriesOfStores(stores, LinkStore(database), delete)


@pytest.mark.integration
class TestOnPostgres(contracts.LinksContract):
    """Enrichment's part of the relations between memories."""

    @pytest.fixture
    def linked(self, stores: Stores, database: Database) -> LinkedMemories:
        """Return memories on PostgreSQL."""
        return of_stores(stores, database)


class TestInMemory(contracts.LinksContract):
    """The fake."""

    @pytest.fixture
    def linked(self) -> LinkedMemories:
        """Return memories in memory."""
        return MemoriesInMemory()
