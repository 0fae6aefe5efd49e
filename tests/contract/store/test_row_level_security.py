"""One tenant at a time: no table shows or takes another's rows, and the workers' role cannot help it."""

from dataclasses import replace
from uuid import uuid4

import asyncpg
import pytest
from tests.contract.store.conftest import Dsns
from tests.contract.store.evidence import Projection, learn, said, tell
from tests.contract.store.linked_memories import of_stores
from tests.contract.store.stores import STORED, Stores, enriched
from tests.contract.store.test_curation import wish
from tests.contract.store.test_erasing import burial, forget
from tests.contract.store.test_lifecycle_store import kept, letter
from tests.contract.store.test_links import join

from ricordo.documents.port import NewDocument
from ricordo.memory.facts import Assertion
from ricordo.messages.vocabulary import ForgetScope
from ricordo.store import derived_memories
from ricordo.store.consolidation import Reflection, ReflectionBacklog, ReflectionStore
from ricordo.store.database import Connection, Database
from ricordo.store.erasure import ErasureStore
from ricordo.store.fact_assertions import FactAssertion
from ricordo.store.fact_queries import FactQuestion
from ricordo.store.intake import IntakeLimits, IntakeStore
from ricordo.store.lifecycle_store import Access
from ricordo.store.link_store import LinkStore
from ricordo.store.session_store import SessionStore
from ricordo.store.working_memory_store import WorkingNote
from ricordo.testing.factories import memory, new_message

pytestmark = pytest.mark.integration

TABLES = (
    "history memories vectors stages fact_evidence facts entities tombstones inbox dead_letters "
    "neighbours link_versions embedding_models evidence_versions entity_names identity_decisions pass_runs "
    "memory_uses requests withdrawn_memories unsummarized_conversations session_ends notes documents "
    "reflection_backlog insights discarded_objects quota_counters rejections corrections"
).split()

UNBOUND = {"schema_migrations"}
"""Tables that hold nothing of any tenant."""


async def _in_every_table(stores: Stores, database: Database) -> None:
    """Leave a row of the tenant in every table that has tenants."""
    document = NewDocument(name="a.txt", media_type="text/plain", key="k", size=1)
    await stores.record(replace(new_message("m-8", tenant=stores.tenant), document=document))
    await forget(ErasureStore(database), stores, burial(ForgetScope.MESSAGE, "m-8"))
    counting = IntakeStore(database, IntakeLimits(kept=10))
    first = replace(new_message(tenant=stores.tenant), document=document)
    await counting.record(stores.tenant, [first], STORED)
    await stores.encode("m-1")
    await _reflected(stores, database)
    await _rejected(stores)
    await learn(
        stores,
        tell(stores, "m-1", said("lives_in", "Rome"), said("friend", "Marco R."), said("friend", "Lupo")),
    )
    await stores.ledger.decide(
        stores.tenant, "u-1", ("Marco R.", "Lupo"), Projection(), same=True, by="user", request_id="r"
    )
    await stores.life.reinforce(stores.tenant, [Access(uuid4(), "u-1", (stores.id("m-1"),), STORED)])
    await stores.pass_runs.complete(stores.tenant, "decay", STORED)
    await stores.curating.pin(stores.tenant, wish("r"), stores.id("m-1"), pinned=True, at=STORED)
    await stores.life.record_dead_letter(stores.tenant, letter(stores), kept)
    await SessionStore(database).end(stores.tenant, "u-1", "c-1", STORED, STORED)
    await _withdrawn(stores, database)
    await stores.entomb(stores.tenant, "message", "m-9", "u-1")
    await join(of_stores(stores, database), "m-1")
    await _corrected(stores, database)
    note = WorkingNote(user_id="u-1", conversation_id="c-1", key="kpi", value=3)
    await stores.notebook.note(stores.tenant, note, STORED, alive_since=STORED, most=1)


async def _corrected(stores: Stores, database: Database) -> None:
    await stores.record(new_message("m-7", tenant=stores.tenant, content="Sorry, the 4th, not the 3rd"))
    async with LinkStore(database).hold(stores.tenant, ["u-1"]) as held:
        await held.correct([stores.id("m-7")])


async def _rejected(stores: Stores) -> None:
    await learn(stores, tell(stores, "m-1", said("has_pet", "Rex")))
    (rex,) = await stores.ledger.facts(stores.tenant, FactQuestion(user_id="u-1"))
    word = FactAssertion(user_id="u-1", fact_id=rex.id, request_id="r", word=Assertion(rejected=True))
    await stores.ledger.apply_assertion(stores.tenant, word, Projection(), STORED)


async def _reflected(stores: Stores, database: Database) -> None:
    said = await stores.memory("m-1")
    await stores.enrichments.save(stores.tenant, [enriched(said)], STORED)
    made = replace(said, id=uuid4(), message_id=None, source_ids=(said.id,))
    store = ReflectionStore(database)
    await store.reflect(stores.tenant, ReflectionBacklog("u-1", 1.0), [Reflection(uuid4(), made)], STORED)


async def _withdrawn(stores: Stores, database: Database) -> None:
    made = replace(memory("m-8", tenant=stores.tenant), message_id=None, source_ids=(stores.id("m-1"),))
    async with database.transaction(stores.tenant) as connection:
        await derived_memories.write(connection, stores.tenant, [made], STORED, finished=True)
        await derived_memories.withdraw(connection, stores.tenant, [made.id])


async def _count(connection: Connection, table: str) -> int:
    (row,) = await connection.fetch(f"select count(*) as n from {table}")
    return int(row["n"])


async def test_every_table_of_the_catalogue_is_bound_for_everybody_or_holds_nothing_of_tenants(
    dsns: Dsns,
) -> None:
    """A new table makes this fail until it stands in TABLES, and so is tried by all tests below."""
    connection = await asyncpg.connect(dsns.admin)
    try:
        found = await connection.fetch(
            "select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as bound, "
            "array(select pg_get_expr(p.polqual, c.oid) || pg_get_expr(p.polwithcheck, c.oid) "
            "from pg_policy p where p.polrelid = c.oid) as policies, exists (select from pg_attribute a "
            "where a.attrelid = c.oid and a.attname = 'tenant' and a.attnum > 0) as of_tenants "
            "from pg_class c where c.relkind in ('r', 'p', 'v', 'm', 'f') "
            "and c.relnamespace = 'public'::regnamespace"
        )
    finally:
        await connection.close()
    bound = {row["name"]: set(row["policies"]) for row in found if row["bound"]}
    assert bound.keys() == set(TABLES)
    assert {frozenset(one) for one in bound.values()} == {frozenset(["(tenant = current_tenant())" * 2])}
    assert {row["name"] for row in found if not row["bound"] and row["of_tenants"]} == {"tenants"}
    assert {row["name"] for row in found if not row["of_tenants"]} == UNBOUND


@pytest.mark.parametrize("table", TABLES)
async def test_another_tenant_sees_changes_and_takes_nothing(
    database: Database, stores: Stores, table: str
) -> None:
    await _in_every_table(stores, database)
    async with database.transaction(stores.tenant) as connection:
        mine = await _count(connection, table)
    assert mine > 0
    async with database.transaction(stores.elsewhere().tenant) as connection:
        assert await _count(connection, table) == 0
        assert await connection.execute(f"delete from {table}") == "DELETE 0"
        assert await connection.execute(f"update {table} set tenant = tenant") == "UPDATE 0"
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
        async with database.transaction(stores.elsewhere().tenant) as connection:
            await connection.execute(
                "insert into tombstones (tenant, scope, key, user_id) values ($1, 'user', 'u', 'u')",
                stores.tenant,
            )
    async with database.transaction(stores.tenant) as connection:
        assert await _count(connection, table) == mine
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
        async with database.transaction(stores.tenant) as connection:
            await connection.execute(f"update {table} set tenant = 'another'")


@pytest.mark.parametrize("table", TABLES)
async def test_without_a_tenant_nothing_works_also_after_a_transaction_that_had_one(
    dsns: Dsns, stores: Stores, database: Database, table: str
) -> None:
    await _in_every_table(stores, database)
    async with Database.connect(dsns.worker, size=1) as single:
        for _ in range(2):
            with pytest.raises(asyncpg.InsufficientPrivilegeError, match="names no tenant"):
                async with single.unscoped() as connection:
                    await _count(connection, table)
            async with single.transaction(stores.tenant) as connection:
                assert await _count(connection, table) > 0
        with pytest.raises(ValueError, match="is no tenant"):
            async with single.transaction(""):
                pass


@pytest.mark.parametrize(
    "statement",
    [
        "alter table memories disable row level security",
        "drop policy tenant_isolation on memories",
        "set session authorization ricordo_owner",
        "set role ricordo_owner",
        "truncate memories",
        "drop table memories",
        "create table mine (tenant text)",
        "select * from schema_migrations",
        "delete from tenants",
        "alter role ricordo_worker bypassrls",
        "create or replace function current_tenant() returns text language sql as $$ select 'x' $$",
        "copy memories to program 'cat'",
    ],
)
async def test_the_workers_role_cannot_step_around_it(dsns: Dsns, statement: str) -> None:
    connection = await asyncpg.connect(dsns.worker)
    try:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(statement)
    finally:
        await connection.close()


async def test_switching_the_check_off_is_refused_by_the_query_itself(
    database: Database, stores: Stores
) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):  # noqa: PT012 - nor could it be committed
        async with database.transaction(stores.tenant) as connection:
            await connection.execute("set local row_security = off")
            await connection.fetch("select * from memories")
