"""What a ledger keeps of former evidence: it reads what has changed, also late, and nothing that is gone."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import asyncpg
import pytest
import pytest_asyncio
from tests.contract.store.conftest import Dsns
from tests.contract.store.evidence import ALL, claim, extracted, learn
from tests.contract.store.stores import Stores
from tests.fixtures.growth import rows_touched

from ricordo.memory.facts import Evidence, fold
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.store.database import Database
from ricordo.store.fact_ledger import FactLedger

CITIES = ("Rome", "Milan", "Turin", "Bari", "Lecce")
TABLES = ("fact_evidence", "facts", "entities")
BATCH = 40


async def _extracted(stores: Stores, start: int, count: int = BATCH) -> list[ExtractedEvidence]:
    """Record messages that say where the user lives, or where her friend does."""
    names = {n: f"m-{n}" for n in range(start, start + count)}
    await stores.record(*(stores.message(name, minute=n) for n, name in names.items()))
    return [extracted(stores, name, *_claims(n)) for n, name in names.items()]


def _claims(n: int) -> tuple[Evidence, Evidence]:
    subject = ("user", "Bea")[n % 7 // 6]
    city = claim("lives_in", CITIES[n % len(CITIES)], minute=n, subject=subject)
    return city, claim("likes", "tea", minute=n, position=9)


async def _equals_the_fold(stores: Stores, evidence: list[ExtractedEvidence]) -> None:
    rows = [row for one in evidence for row in one.evidence]
    facts = fold(rows, tenant=stores.tenant, user_id="u-1")
    assert set(await stores.ledger.facts(stores.tenant, ALL)) == set(facts)


async def test_a_fact_names_its_latest_hundred_messages_and_is_supported_by_all(stores: Stores) -> None:
    evidence = await _extracted(stores, 0, 120)
    supported, _ = await learn(stores, *evidence)
    assert set(supported) == {one.message_id for one in evidence}
    again, _ = await learn(stores, evidence[0])
    assert again == {"m-0": supported["m-0"]}
    (tea,) = [fact for fact in again["m-0"] if fact.object == "tea"]
    assert (tea.confidence, tea.message_ids) == (10, tuple(f"m-{n}" for n in range(20, 120)))


@pytest_asyncio.fixture(loop_scope="module")
async def others(connection: "asyncpg.Connection[asyncpg.Record]") -> AsyncIterator[None]:
    """Fill another tenant: where there is little in all, reading every row of it costs least."""
    await connection.execute(
        "insert into facts (tenant, id, user_id, subject, subject_key, predicate, object, object_key, "
        "confidence, first_seen, last_reinforced, message_ids, version) "
        "select 'other', gen_random_uuid(), 'u', 'user', 'user', 'likes', 'thing ' || n, 'thing ' || n, "
        "1, now(), now(), '{}', 1 from generate_series(1, 20000) as n"
    )
    await connection.execute(
        "insert into fact_evidence (tenant, user_id, message_id, ordinal, sent_at, subject, subject_key, "
        "predicate, object, object_key, polarity, kind, position) "
        "select 'other', 'u', 'm-' || n, 0, now(), 'user', 'user', 'likes', 'thing ' || n, 'thing ' || n, "
        "'holds', 'said', 0 from generate_series(1, 20000) as n"
    )
    yield
    for table in ("facts", "fact_evidence", "evidence_versions"):
        await connection.execute(f"delete from {table} where tenant = 'other'")


@pytest.mark.usefixtures("others")
@pytest.mark.slow
async def test_a_batch_touches_no_more_rows_when_more_is_known(
    dsns: Dsns, stores: Stores, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    async with Database.connect(dsns.worker, size=1) as database:
        ledger, touched = FactLedger(database), []
        for start in range(0, 14 * BATCH, BATCH):
            evidence = await _extracted(stores, start)
            await connection.execute("analyze facts, fact_evidence, entities")  # as the server does, in time
            work = learn(stores, *evidence, ledger=ledger)
            touched.append(await rows_touched(database, connection, TABLES, work))
    assert max(touched[-4:]) <= 1.2 * max(touched[1:6])
    assert min(touched) >= BATCH, "what is written is counted"


async def test_evidence_that_another_transaction_deletes_is_kept_no_more(stores: Stores) -> None:
    evidence = await _extracted(stores, 0)
    await learn(stores, *evidence)
    async with stores.transaction() as connection:
        await connection.execute(
            "delete from fact_evidence where message_id = any($1::text[])",
            [one.message_id for one in evidence[10:30]],
        )
        assert await connection.fetchval("select count(*) from evidence_versions") == 0
    more = await _extracted(stores, BATCH)
    await learn(stores, *more)
    await _equals_the_fold(stores, [*evidence[:10], *evidence[30:], *more])


async def test_evidence_that_another_transaction_adds_is_noticed(stores: Stores) -> None:
    """A worker of the version before does so while a cluster is upgraded."""
    evidence = await _extracted(stores, 0)
    await learn(stores, *evidence)
    (between,) = await _extracted(stores, BATCH, 1)
    (row, _) = between.evidence
    await stores.execute(
        "insert into fact_evidence select tenant, user_id, $1, 0, $2, subject, subject_key, predicate, "
        "object, object_key, polarity, kind, position, valid_from, valid_to, quote "
        "from fact_evidence where message_id = 'm-0' and ordinal = 0",
        between.message_id,
        row.at,
    )
    more = await _extracted(stores, BATCH + 1)
    await learn(stores, *more)
    await _equals_the_fold(stores, [*evidence, replace(between, evidence=(row,)), *more])


async def test_a_deletion_waits_for_a_fold(stores: Stores) -> None:
    evidence, more = await _extracted(stores, 0), await _extracted(stores, BATCH)
    await learn(stores, *evidence)
    erase = stores.execute("delete from fact_evidence where message_id = 'm-0'")
    await asyncio.gather(erase, learn(stores, *more))
    last = await _extracted(stores, 2 * BATCH)
    await learn(stores, *last)
    await _equals_the_fold(stores, [*evidence[1:], *more, *last])
