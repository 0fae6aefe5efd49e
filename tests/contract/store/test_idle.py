"""What is looked for every few seconds costs hardly anything in a tenant in which nobody talks any more."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import pytest
from tests.contract.store.conftest import Dsns, execute
from tests.fixtures.growth import rows_touched

from ricordo.store.consolidation import ReflectionStore
from ricordo.store.database import Database
from ricordo.store.pass_store import RetentionStore
from ricordo.store.session_store import SessionStore

NOW = datetime(2026, 6, 1, tzinfo=UTC)
TABLES = ("memories", "stages", "unsummarized_conversations", "reflection_backlog")
QUIET = Path(__file__).with_name("quiet_tenant.sql").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def dsns(new_schema: Callable[[], Dsns]) -> Dsns:
    """Return a database of its own, in which all was said, and seen to, long ago."""
    found = new_schema()
    asyncio.run(execute(found.admin, QUIET))
    return found


@pytest.mark.parametrize("analysed", [False, True], ids=["on the first day", "analysed"])
async def test_a_tenant_that_stopped_talking_costs_no_rows(
    dsns: Dsns, connection: "asyncpg.Connection[asyncpg.Record]", *, analysed: bool
) -> None:
    """Sessions, expired memories, users to reflect upon: an index says that there are none."""
    async with Database.connect(dsns.worker, size=1) as database:
        sessions, retention = SessionStore(database), RetentionStore(database)
        reflecting = ReflectionStore(database)

        async def look() -> None:
            assert not await sessions.due("y", NOW, timedelta(minutes=30), user_id=None, limit=50)
            assert await retention.expiring("y", NOW, user_id=None, kept=timedelta(days=1)) == 0
            assert not await reflecting.due("y", 100.0, user_id=None, limit=50)

        if analysed:
            await connection.execute("analyze")
        assert await rows_touched(database, connection, TABLES, look()) == 0
