"""The contracts of what a reindexing reads, on PostgreSQL."""

import pytest

from ricordo.store.database import Database
from ricordo.store.rebuild_sources import FactSource, ReindexingStore
from ricordo.testing.stores.indexed import IndexedContract
from ricordo.testing.stores.known import KnownFactsContract

pytestmark = pytest.mark.integration


class TestKnownFacts(KnownFactsContract):
    """What the graph is written anew from."""

    @pytest.fixture
    def known(self, database: Database) -> FactSource:
        return FactSource(database)


class TestIndexed(IndexedContract):
    """What the vector index is written anew from."""

    @pytest.fixture
    def indexed(self, database: Database) -> ReindexingStore:
        return ReindexingStore(database)
