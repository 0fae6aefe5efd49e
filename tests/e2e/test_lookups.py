"""What is written and recalled looks its rows up by key, however fast the tables have grown.

A plan is kept until the server analyses its tables: one that reads a table as a whole, made while that was
small, would make an import quadratic.
"""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import asyncpg
import pytest
from tests.e2e.test_costs import conversation
from tests.fixtures.system import ALL_WORKERS, System, Workers
from tests.fixtures.wire import Bot

QUESTIONS: Final = ("What broke this winter?", "Where do I work?")
GROWN: Final = (Path(__file__).parent / "grown_tables.sql").read_text(encoding="utf-8")
TABLES: Final = (
    "history memories stages vectors fact_evidence facts mentions entities "
    "entity_names tombstones corrections dead_letters"
).split()
WRITERS: Final = [name for name in ALL_WORKERS if name != "lifecycle"]
"""Passes read all that a user has."""
ANALYSED: Final = 1_500
MANY: Final = 20_000


@asynccontextmanager
async def grown_tables(system: System, tenant: str) -> "AsyncIterator[asyncpg.Connection[asyncpg.Record]]":
    """Yield a connection of the owner; the server looks at no table by itself until the end."""
    owner = await asyncpg.connect(system.endpoints.postgres_admin_dsn)
    try:
        for table in TABLES:
            await owner.execute(f"alter table {table} set (autovacuum_enabled = off)")
        yield owner
        await owner.execute("set session_replication_role = replica")  # no triggers
        for table in TABLES:
            await owner.execute(f"delete from {table} where tenant = $1", tenant)
            await owner.execute(f"alter table {table} reset (autovacuum_enabled)")
        await owner.execute("vacuum analyze")
    finally:
        await owner.close()


async def rows_scanned(owner: "asyncpg.Connection[asyncpg.Record]") -> Counter[str]:
    """Return how many rows sequential scans have read, by table, once all workers have stopped."""
    found = await owner.fetch(
        "select relname, seq_tup_read from pg_stat_user_tables where relname = any($1::text[])", TABLES
    )
    return Counter(dict(map(tuple, found)))


@pytest.mark.parametrize("analysed", [0, ANALYSED])
async def test_grown_tables_are_not_read_as_a_whole(system: System, bot: Bot, analysed: int) -> None:
    """Statements are prepared when there are few rows, of which the server knows or does not."""
    async with grown_tables(system, bot.tenant) as owner:
        if analysed:
            await owner.execute(GROWN.format(tenant=bot.tenant, rows=analysed))
            await owner.execute(f"analyze {', '.join(TABLES)}")
        async with system.workers.stopped():
            before = await rows_scanned(owner)
            # What a connection has read is counted when it ends.
            async with Workers(system.settings, WRITERS).started():
                for n in range(8):
                    await bot.remember(*conversation(f"before-{n}", 6))
                    await bot.recall(QUESTIONS[n % 2])
                await owner.execute(GROWN.format(tenant=bot.tenant, rows=MANY))
                await bot.remember(*conversation("after", 30))
                for question in QUESTIONS:
                    assert (await bot.recall(question))["memories"]
            read = await rows_scanned(owner) - before
    assert {table: rows for table, rows in read.items() if rows >= MANY} == {}
