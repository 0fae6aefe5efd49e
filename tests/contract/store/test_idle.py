"""What is looked for every few seconds costs hardly anything in a tenant in which nobody talks any more."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest
import pytest_asyncio
from tests.contract.store.conftest import Dsns
from tests.fixtures.growth import rows_touched

from ricordo.store.consolidation import ReflectionStore
from ricordo.store.database import Database
from ricordo.store.pass_store import RetentionStore
from ricordo.store.session_store import SessionStore

NOW = datetime(2026, 6, 1, tzinfo=UTC)
TABLES = ("memories", "stages", "unsummarized_conversations", "reflection_backlog")
QUIET = """
insert into memories (tenant, id, user_id, message_id, conversation_id, kind, content, role, created_at,
                      stored_at, expires_at, archived_at)
select 'y', gen_random_uuid(), 'u-' || n % 500, 'm-' || n, 'c-' || n % 2000, 'message', 'x', 'user', told,
       told, case when n % 2 = 0 then told + interval '1 day' end,
       case when n % 2 = 0 then told + interval '2 days' end
from (select n, timestamptz '2026-01-01' + n * interval '1 minute' as told
      from generate_series(1, 20000) as n) as told;
insert into stages (tenant, memory_id, message_id, user_id, conversation_id, ingested, encoded, enriched,
                    indexed, extracted)
select tenant, id, message_id, user_id, conversation_id, stored_at, stored_at, stored_at, stored_at, stored_at
from memories;
insert into reflection_backlog (tenant, user_id, importance)
select 'y', 'u-' || n, n % 100 from generate_series(1, 500) as n
"""


async def _fill(dsn: str) -> None:
    owner = await asyncpg.connect(dsn)
    try:
        await owner.execute(QUIET)
    finally:
        await owner.close()


@pytest.fixture(scope="module")
def dsns(new_schema: Callable[[], Dsns]) -> Dsns:
    """Return a database of its own, in which all was said, and seen to, long ago."""
    found = new_schema()
    asyncio.run(_fill(found.admin))
    return found


@pytest_asyncio.fixture(loop_scope="module")
async def owner(dsns: Dsns) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    connection = await asyncpg.connect(dsns.admin)
    yield connection
    await connection.close()


@pytest.mark.parametrize("analysed", [False, True], ids=["on the first day", "analysed"])
async def test_a_tenant_that_stopped_talking_costs_no_rows(
    dsns: Dsns, owner: "asyncpg.Connection[asyncpg.Record]", *, analysed: bool
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
            await owner.execute("analyze")
        assert await rows_touched(database, owner, TABLES, look()) == 0
