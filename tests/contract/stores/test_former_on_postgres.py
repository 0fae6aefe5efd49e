"""The contract of what finds and lets go of vectors of former models, on PostgreSQL."""

import pytest

from ricordo.store.database import Database
from ricordo.store.former import PostgresFormerVectors
from ricordo.store.types.former import FormerVectors
from ricordo.testing.stores.former import FormerContract

pytestmark = pytest.mark.integration


class TestFormer(FormerContract):
    """The re-embedding's part."""

    @pytest.fixture
    def former(self, database: Database) -> FormerVectors:
        return PostgresFormerVectors(database)


class TestFormerInSmallWindows(FormerContract):
    """The same, looking at two memories at once."""

    @pytest.fixture
    def former(self, database: Database) -> FormerVectors:
        return PostgresFormerVectors(database, window=2)
