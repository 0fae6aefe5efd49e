"""What a worker remembers of evidence: only what has changed is read, and nothing that is gone."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import asyncpg
import pytest
from tests.contract.store.conftest import Dsns
from tests.contract.store.evidence import learn, said, tell
from tests.contract.store.stores import Stores
from tests.fixtures.growth import rows_touched

from ricordo.memory.facts import Evidence, fold
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.store.database import Database
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.fact_queries import FactQuestion
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

CITIES = ("Rome", "Milan", "Turin", "Bari", "Lecce")
TABLES = ("fact_evidence", "facts", "entities")
BATCH = 40
ALL = FactQuestion(user_id="u-1", min_confidence=0, history=True, limit=10_000)


async def _told(stores: Stores, start: int, count: int = BATCH) -> list[ExtractedEvidence]:
    """Record messages that say where the user lives, or where her friend does."""
    numbers = range(start, start + count)
    await stores.record(*(new_message(f"m-{n}", tenant=stores.tenant, timestamp=at(n)) for n in numbers))
    return [tell(stores, f"m-{n}", *_says(n)) for n in numbers]


def _says(n: int) -> tuple[Evidence, Evidence]:
    city = CITIES[n % len(CITIES)]
    subject = ("user", "Bea")[n % 7 // 6]
    return said("lives_in", city, minute=n, subject=subject), said("likes", "tea", minute=n, position=9)


async def _holds_the_fold(stores: Stores, told: list[ExtractedEvidence]) -> None:
    evidence = [row for one in told for row in one.evidence]
    facts = fold(evidence, tenant=stores.tenant, user_id="u-1")
    assert set(await stores.ledger.facts(stores.tenant, ALL)) == set(facts)


@pytest.fixture
async def others(connection: "asyncpg.Connection[asyncpg.Record]") -> AsyncIterator[None]:
    """What another tenant knows: where there is little in all, reading every row of it costs least."""
    await connection.execute(
        "insert into facts (tenant, id, user_id, subject, subject_key, predicate, object, object_key, "
        "confidence, first_seen, last_reinforced, message_ids) "
        "select 'beside', gen_random_uuid(), 'u', 'user', 'user', 'likes', 'thing ' || n, 'thing ' || n, "
        "1, now(), now(), '{}' from generate_series(1, 20000) as n"
    )
    await connection.execute(
        "insert into fact_evidence (tenant, user_id, message_id, ordinal, sent_at, subject, subject_key, "
        "predicate, object, object_key, polarity, kind, position) "
        "select 'beside', 'u', 'm-' || n, 0, now(), 'user', 'user', 'likes', 'thing ' || n, 'thing ' || n, "
        "'holds', 'said', 0 from generate_series(1, 20000) as n"
    )
    yield
    for table in ("facts", "fact_evidence", "evidence_versions"):
        await connection.execute(f"delete from {table} where tenant = 'beside'")


@pytest.mark.usefixtures("others")
async def test_a_batch_touches_no_more_rows_when_more_is_known(
    dsns: Dsns, stores: Stores, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    async with Database.connect(dsns.worker, size=1) as database:
        ledger, touched = FactLedger(database), []
        for start in range(0, 20 * BATCH, BATCH):
            told = await _told(stores, start)
            await connection.execute("analyze facts, fact_evidence, entities")  # as the server does, in time
            touched.append(
                await rows_touched(database, connection, TABLES, learn(stores, *told, ledger=ledger))
            )
    assert max(touched[-5:]) <= 1.2 * max(touched[1:6])
    assert min(touched) >= BATCH, "what is written is counted"


async def test_evidence_that_somebody_takes_away_is_remembered_no_more(
    stores: Stores, database: Database
) -> None:
    told = await _told(stores, 0)
    await learn(stores, *told)
    async with database.transaction(stores.tenant) as erasing:
        await erasing.execute(
            "delete from fact_evidence where tenant = $1 and message_id = any($2::text[])",
            stores.tenant,
            [one.message_id for one in told[10:30]],
        )
        assert await erasing.fetchval("select count(*) from evidence_versions") == 0
    more = await _told(stores, BATCH)
    await learn(stores, *more)
    await _holds_the_fold(stores, [*told[:10], *told[30:], *more])


async def test_evidence_that_somebody_adds_is_noticed(stores: Stores, database: Database) -> None:
    """As a worker of the version before does, while a cluster is upgraded."""
    told = await _told(stores, 0)
    await learn(stores, *told)
    (between,) = await _told(stores, BATCH, 1)
    (row, _) = between.evidence
    async with database.transaction(stores.tenant) as connection:
        await connection.execute(
            "insert into fact_evidence select tenant, user_id, $2, 0, $3, subject, subject_key, predicate, "
            "object, object_key, polarity, kind, position, valid_from, valid_to, quote "
            "from fact_evidence where tenant = $1 and message_id = 'm-0' and ordinal = 0",
            stores.tenant,
            between.message_id,
            row.at,
        )
    more = await _told(stores, BATCH + 1)
    await learn(stores, *more)
    await _holds_the_fold(stores, [*told, replace(between, evidence=(row,)), *more])


async def test_who_takes_evidence_away_waits_for_who_folds_it(stores: Stores, database: Database) -> None:
    told = await _told(stores, 0)
    await learn(stores, *told)
    more = await _told(stores, BATCH)

    async def erase() -> None:
        async with database.transaction(stores.tenant) as erasing:
            await erasing.execute(
                "delete from fact_evidence where tenant = $1 and message_id = $2", stores.tenant, "m-0"
            )

    await asyncio.gather(erase(), learn(stores, *more))
    last = await _told(stores, 2 * BATCH)
    await learn(stores, *last)
    await _holds_the_fold(stores, [*told[1:], *more, *last])


async def test_a_ledger_that_may_remember_nothing_holds_the_same(stores: Stores, database: Database) -> None:
    forgetful, told = FactLedger(database, remembered=0), []
    for start in range(0, 4 * BATCH, BATCH):
        told += await _told(stores, start)
        await learn(stores, *told[-BATCH:], ledger=forgetful)
    await _holds_the_fold(stores, told)
