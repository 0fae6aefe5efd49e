"""The contracts of what a reindexing reads, on PostgreSQL."""

import pytest

from ricordo.store.database import Database
from ricordo.store.indexed import PostgresIndexedMemories
from ricordo.store.known import PostgresKnownFacts
from ricordo.store.types.indexed import IndexedMemories
from ricordo.store.types.known import KnownFacts
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
