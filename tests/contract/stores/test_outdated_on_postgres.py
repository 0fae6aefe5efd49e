"""The contract of what finds and replaces outdated derivations, on PostgreSQL."""

import pytest

from ricordo.store.database import Database
from ricordo.store.reprocessing import BackfillStore
from ricordo.testing.stores.outdated import OutdatedContract

pytestmark = pytest.mark.integration


class TestOutdated(OutdatedContract):
    """Backfill's part."""

    @pytest.fixture
    def outdated(self, database: Database) -> BackfillStore:
        return BackfillStore(database)


class TestOutdatedInSmallWindows(OutdatedContract):
    """The same, looking at two memories at once."""

    @pytest.fixture
    def outdated(self, database: Database) -> BackfillStore:
        return BackfillStore(database, window=2)
