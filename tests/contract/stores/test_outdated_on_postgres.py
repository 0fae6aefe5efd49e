"""The contract of what finds and replaces outdated derivations, on PostgreSQL."""

import pytest

from ricordo.store.database import Database
from ricordo.store.outdated import PostgresOutdated
from ricordo.store.types.outdated import OutdatedMemories
from ricordo.testing.stores.outdated import OutdatedContract

pytestmark = pytest.mark.integration


class TestOutdated(OutdatedContract):
    """Backfill's part."""

    @pytest.fixture
    def outdated(self, database: Database) -> OutdatedMemories:
        return PostgresOutdated(database)


class TestOutdatedInSmallWindows(OutdatedContract):
    """The same, looking at two memories at once."""

    @pytest.fixture
    def outdated(self, database: Database) -> OutdatedMemories:
        return PostgresOutdated(database, window=2)
