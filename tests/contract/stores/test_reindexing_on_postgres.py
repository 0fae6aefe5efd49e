"""The contracts of what a reindexing reads, on PostgreSQL."""

import pytest

from ricordo.adapters.postgres.database import Database
from ricordo.adapters.postgres.indexed import PostgresIndexedMemories
from ricordo.adapters.postgres.known import PostgresKnownFacts
from ricordo.ports.indexed import IndexedMemories
from ricordo.ports.known import KnownFacts
from ricordo.testing.stores.indexed import IndexedContract
from ricordo.testing.stores.known import KnownFactsContract

pytestmark = pytest.mark.integration


class TestKnownFacts(KnownFactsContract):
    """What the graph is written anew from."""

    @pytest.fixture
    def known(self, database: Database) -> KnownFacts:
        return PostgresKnownFacts(database)


class TestIndexed(IndexedContract):
    """What the vector index is written anew from."""

    @pytest.fixture
    def indexed(self, database: Database) -> IndexedMemories:
        return PostgresIndexedMemories(database)
