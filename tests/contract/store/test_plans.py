"""Every statement looks its rows up by key from the first row on, under row-level security too.

A plan made while a table is small is kept while it grows: one that reads all rows of the tenant for each row
that it looks for makes the first minute of an import quadratic.
"""

import asyncio
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from uuid import UUID

import asyncpg
import pytest
from tests.contract.store.conftest import Dsns, execute
from tests.fixtures.growth import rows_touched
from tests.support.factories import at, new_message

from ricordo.store.consolidation import ReflectionStore
from ricordo.store.database import Database, blocks
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.fact_queries import FactQuestion
from ricordo.store.intake import IntakeStore
from ricordo.store.pass_store import RetentionStore
from ricordo.store.session_store import SessionStore

OVER_ALL = ("owners", "count", "over_quota", "said_names")
"""Queries that are asked once, at the start of a job, and of all that a tenant has."""
FEW = ("on embedding_models", "using identity_decisions_open", "using unsummarized_conversations_closed")
"""What holds a row for each model, and what nobody was asked about yet: no more."""
TABLES = ("memories", "history", "stages")

_SAMPLES: dict[str, object] = {
    "bool": False,
    "bytea": b"",
    "float8": 1.0,
    "int4": 5,
    "int8": 5,
    "json": "{}",
    "interval": timedelta(days=1),
    "jsonb": "[]",
    "numeric": Decimal("0.5"),
    "text": "x",
    "timestamptz": datetime(2026, 1, 1, tzinfo=UTC),
    "uuid": UUID(int=1),
}
_WHOLE = re.compile(
    r"Seq Scan on (?!tenants)"
    r"|Index Cond: \(tenant = [^)]*\)$"
    r"|Index Cond: .*\(user_id = .*\(id = (ANY|[a-z]+\.)"  # all that a user has, for a few ids
    r"|Index Cond: \(\(tenant = [^)]*\) AND \(model = [^)]*\)\)$"  # all vectors of a model
)


def _sample(type_name: str) -> object:
    plain = type_name.removesuffix("[]").removeprefix("_")
    return _SAMPLES[plain] if plain == type_name else [_SAMPLES[plain]]


async def _plan(database: Database, query: str) -> list[str]:
    async with database.transaction("x") as connection:
        await connection.execute("set local plan_cache_mode = force_generic_plan")
        parameters = (await connection.prepare(query)).get_parameters()
        plan = await connection.fetch(f"explain {query}", *(_sample(one.name) for one in parameters))
    return [row[0] for row in plan]


FILES = """
intake derived_memories session_store consolidation facts lifecycle_store curation_store memory_queries
memory_listings entity_listings enrichment evidence document_store pass_store stages idempotency
working_memory_store exports imports fact_assertions
"""


@pytest.mark.parametrize("file", FILES.split())
async def test_by_key(database: Database, file: str) -> None:
    reading = []
    for name, query in blocks(file).items():
        if name in OVER_ALL:
            continue
        lines = await _plan(database, query)
        reading += [
            (name, line.strip())
            for before, line in pairwise(["", *lines])
            if _WHOLE.search(line) and not any(few in before for few in FEW)
        ]
    assert reading == []


MANY_MESSAGES = Path(__file__).with_name("many_messages.sql").read_text(encoding="utf-8")


async def test_a_late_message_reads_no_more_when_more_was_said_after_it(
    dsns: Dsns, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    """Each names a zone, which counts up to the next that does: what lies beyond is not looked at."""
    await connection.execute(MANY_MESSAGES)  # where there are few in all, reading every one costs least
    async with Database.connect(dsns.worker, size=1) as database:
        intake, touched = IntakeStore(database), []
        for batch in range(7):
            await connection.execute("analyze memories, history, stages")  # as the server does, in time
            earlier = [
                new_message(f"m-{batch}-{n}", timestamp=at(-60 * batch + n), timezone="Europe/Rome")
                for n in range(20)
            ]
            touched.append(
                await rows_touched(database, connection, TABLES, intake.record("x", earlier, at(0)))
            )
    assert max(touched[-3:]) <= 1.2 * max(touched[1:4])
    assert min(touched) >= 20, "what is written is counted"


MANY_FACTS = Path(__file__).with_name("many_facts.sql").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "asked",
    [
        FactQuestion(user_id="u-1"),
        FactQuestion(user_id="u-1", min_confidence=4),
        FactQuestion(user_id="u-1", predicate="born_in"),
        FactQuestion(user_id="u-1", predicate="age", history=True),
        FactQuestion(user_id="u-1", entity="friend 7"),
        FactQuestion(user_id="u-1", entity="friend 7", predicate="age"),
        FactQuestion(user_id="u-1", entity="nobody", history=True),
        FactQuestion(user_id="u-1", entity="user", history=True),
        FactQuestion(user_id="u-1", history=True),
    ],
    ids=str,
)
async def test_a_question_about_facts_reads_little_more_than_it_shows(
    asked: FactQuestion, dsns: Dsns, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    """Of twenty thousand facts, which the planner knows of, as it does a minute after they are there."""
    if not await connection.fetchval("select exists (select from facts where tenant = 'y')"):
        await connection.execute(f"{MANY_FACTS}; analyze facts")
    async with Database.connect(dsns.worker, size=1) as database:
        ledger = FactLedger(database)
        touched = await rows_touched(database, connection, ("facts",), ledger.facts("y", asked))
    assert touched <= 1_000


QUIET = Path(__file__).with_name("quiet_tenant.sql").read_text(encoding="utf-8")
WATCHED = ("memories", "stages", "unsummarized_conversations", "reflection_backlog")


async def test_a_tenant_that_stopped_talking_costs_no_rows(new_schema: Callable[[], Dsns]) -> None:
    """Sessions, expired memories, users to reflect upon are looked for every few seconds: an index says."""
    quiet, now = await asyncio.to_thread(new_schema), datetime(2026, 6, 1, tzinfo=UTC)
    await execute(quiet.admin, QUIET)
    async with Database.connect(quiet.worker, size=1) as database:
        sessions, retention = SessionStore(database), RetentionStore(database)
        reflecting = ReflectionStore(database)

        async def look() -> None:
            assert not await sessions.due("y", now, timedelta(minutes=30), user_id=None, limit=50)
            assert await retention.expiring("y", now, user_id=None, kept=timedelta(days=1)) == 0
            assert not await reflecting.due("y", 100.0, user_id=None, limit=50)

        observer = await asyncpg.connect(quiet.admin)
        try:
            assert await rows_touched(database, observer, WATCHED, look()) == 0, "on the first day"
            await observer.execute("analyze")
            assert await rows_touched(database, observer, WATCHED, look()) == 0
        finally:
            await observer.close()
