"""The contract of what finds and lets go of vectors of former models, on PostgreSQL."""

import pytest

from ricordo.store.database import Database
from ricordo.store.reprocessing import ReembeddingStore
from ricordo.testing.stores.former import FormerContract

pytestmark = pytest.mark.integration


class TestFormer(FormerContract):
    """The re-embedding's part."""

    @pytest.fixture
    def former(self, database: Database) -> ReembeddingStore:
        return ReembeddingStore(database)


class TestFormerInSmallWindows(FormerContract):
    """The same, looking at two memories at once."""

    @pytest.fixture
    def former(self, database: Database) -> ReembeddingStore:
        return ReembeddingStore(database, window=2)
