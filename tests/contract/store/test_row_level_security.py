"""One tenant at a time: no table shows or takes another's rows, and the workers' role cannot help it."""

from dataclasses import replace
from uuid import uuid4

import asyncpg
import pytest
from tests.contract.store.conftest import Dsns
from tests.contract.store.evidence import assert_fact, by_object, claim, extracted, learn
from tests.contract.store.stores import STORED, Stores, request, summary
from tests.contract.store.test_correction_links import link
from tests.contract.store.test_erasure import A_MESSAGE, forget

from ricordo.documents.records import NewDocument
from ricordo.memory.facts.user_assertions import UserAssertion
from ricordo.store import derived_memories
from ricordo.store.consolidation import Reflection, ReflectionBacklog, ReflectionStore
from ricordo.store.database import Connection, Database
from ricordo.store.intake import IntakeLimits, IntakeStore
from ricordo.store.listing_store import Listings, ListingScope
from ricordo.store.session_store import SessionStore
from ricordo.store.working_memory_store import WorkingNote

TABLES = (
    "history memories vectors stages fact_evidence facts entities tombstones inbox dead_letters "
    "embedding_models mentions entity_names identity_decisions "
    "pass_runs memory_uses requests withdrawn_memories unsummarized_conversations session_ends notes "
    "documents reflection_backlog insights discarded_objects quota_counters rejections corrections "
    "fact_versions gone_facts listings"
).split()

UNBOUND = {"schema_migrations"}
"""Tables that hold nothing of any tenant."""


async def _fill_every_table(stores: Stores) -> None:
    document = NewDocument(name="a.txt", media_type="text/plain", key="k", size=1)
    await stores.record(replace(stores.message("m-2"), document=document))
    await forget(stores, A_MESSAGE)
    counting = IntakeStore(stores.database, IntakeLimits(kept=10))
    await counting.record(stores.tenant, [replace(stores.message(), document=document)], STORED)
    await stores.encode("m-1")
    await stores.enrich("m-1")
    said = await stores.memory()
    insight = replace(said, id=uuid4(), message_id=None, source_ids=(said.id,))
    backlog, reflection = ReflectionBacklog("u-1", 1.0), Reflection(uuid4(), insight)
    await ReflectionStore(stores.database).reflect(stores.tenant, backlog, [reflection], STORED)
    await learn(stores, extracted(stores, "m-1", claim("has_pet", "Rex")))
    await assert_fact(stores, (await by_object(stores))["Rex"].id, UserAssertion(rejected=True))
    friends = [claim("friend", name) for name in ("Marco R.", "Lupo")]
    await learn(stores, extracted(stores, "m-1", claim("lives_in", "Rome"), *friends))
    decide = stores.ledger.decide(
        stores.tenant, "u-1", ("Marco R.", "Lupo"), same=True, by="user", request_id="r"
    )
    await decide
    await stores.use(said.id)
    await stores.pass_runs.complete(stores.tenant, "decay", STORED)
    await stores.mark(said.id, "pinned", by=request("r"))
    await stores.record_dead_letter()
    await SessionStore(stores.database).end(stores.tenant, "u-1", "c-1", STORED, STORED)
    made = summary(stores, [said.id])
    await stores.write_derived(made)
    async with stores.transaction() as connection:
        await derived_memories.withdraw(connection, stores.tenant, [made.id])
    await stores.put_tombstone("message", "m-9")
    await stores.record(stores.message("m-7", content="Sorry, the 4th, not the 3rd"))
    await link(stores, ["m-7"])
    listings = Listings(stores.database)
    order = listings.by_weight(stores.tenant, "u-1", ListingScope(), uuid4(), "used")
    await order.begin(STORED, limit=1)
    note = WorkingNote(user_id="u-1", conversation_id="c-1", key="kpi", value=3)
    await stores.notes.note(stores.tenant, note, STORED, live_since=STORED, limit=1)


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


async def test_another_tenant_sees_changes_and_takes_nothing(stores: Stores) -> None:
    await _fill_every_table(stores)
    other = stores.another_tenant()
    for table in TABLES:
        async with stores.transaction() as connection:
            mine = await _count(connection, table)
        assert mine > 0, table
        async with other.transaction() as connection:
            assert await _count(connection, table) == 0, table
            assert await connection.execute(f"delete from {table}") == "DELETE 0", table
            assert await connection.execute(f"update {table} set tenant = tenant") == "UPDATE 0", table
        async with stores.transaction() as connection:
            assert await _count(connection, table) == mine, table
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
            await stores.execute(f"update {table} set tenant = 'another'")
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
        await other.execute(
            "insert into tombstones (tenant, scope, key, user_id) values ($1, 'user', 'u', 'u')",
            stores.tenant,
        )


async def test_without_a_tenant_nothing_works_also_after_a_transaction_that_had_one(
    dsns: Dsns, stores: Stores
) -> None:
    await _fill_every_table(stores)
    async with Database.connect(dsns.worker, size=1) as single:
        for table in TABLES * 2:
            with pytest.raises(asyncpg.InsufficientPrivilegeError, match="names no tenant"):
                async with single.unscoped() as connection:
                    await _count(connection, table)
            async with single.transaction(stores.tenant) as connection:
                assert await _count(connection, table) > 0
        with pytest.raises(ValueError, match="is not a valid tenant"):
            async with single.transaction(""):
                pass


STEPS_AROUND = (
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
)


async def test_the_workers_role_cannot_step_around_it(dsns: Dsns) -> None:
    connection = await asyncpg.connect(dsns.worker)
    try:
        for statement in STEPS_AROUND:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(statement)
    finally:
        await connection.close()


async def test_switching_the_check_off_is_refused_by_the_query_itself(stores: Stores) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):  # noqa: PT012 - nor could it be committed
        async with stores.transaction() as connection:
            await connection.execute("set local row_security = off")
            await connection.fetch("select * from memories")
