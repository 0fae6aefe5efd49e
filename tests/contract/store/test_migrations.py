"""The schema: applied once, by one process at a time, and never by a version that does not know it."""

import asyncio
from collections.abc import Callable
from uuid import uuid4

import asyncpg
import pytest
from tests.contract.store.conftest import Dsns

from ricordo.store import schema as module
from ricordo.store.database import StoreUnavailable
from ricordo.store.schema import Migration, SchemaTooNew, migrate, migrations

pytestmark = pytest.mark.integration

MakeDatabase = Callable[[], Dsns]


@pytest.fixture
async def empty(new_database: MakeDatabase) -> Dsns:
    return await asyncio.to_thread(new_database)


async def _fetch(dsn: str, query: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(dsn)
    try:
        return list(await connection.fetch(query))
    finally:
        await connection.close()


async def test_four_at_once_apply_each_migration_once(empty: Dsns) -> None:
    applied = await asyncio.gather(*(migrate(empty.admin) for _ in range(4)))
    assert sorted(map(len, applied)) == [0, 0, 0, len(migrations())]
    rows = await _fetch(empty.admin, "select version from schema_migrations order by version")
    assert [row["version"] for row in rows] == [one.version for one in migrations()]
    assert await migrate(empty.admin) == []


async def test_several_databases_of_one_server_at_once(new_database: MakeDatabase) -> None:
    """Roles belong to the server, not to a database."""
    made = [await asyncio.to_thread(new_database) for _ in range(3)]
    applied = await asyncio.gather(*(migrate(one.admin) for one in made))
    assert [len(one) for one in applied] == [len(migrations())] * 3


async def test_a_newer_schema_is_refused_and_left_alone(empty: Dsns) -> None:
    await migrate(empty.admin)
    await _fetch(empty.admin, "insert into schema_migrations (version, name) values (9999, 'from_tomorrow')")
    with pytest.raises(SchemaTooNew, match=r"schema version 9999, .* upgrade Ricordo"):
        await migrate(empty.admin)
    with pytest.raises(SchemaTooNew):
        await migrate(empty.admin)


async def test_one_that_fails_leaves_nothing_behind_and_is_applied_later(
    empty: Dsns, monkeypatch: pytest.MonkeyPatch
) -> None:
    packaged = migrations()
    broken = Migration(9000, "broken", "create table half (n integer); select 1 / 0;")
    monkeypatch.setattr(module, "migrations", lambda: [*packaged, broken])
    for _ in range(2):
        with pytest.raises(asyncpg.DivisionByZeroError):
            await migrate(empty.admin)
    assert await _fetch(empty.admin, "select from pg_tables where tablename = 'half'") == []
    mended = Migration(9000, "broken", "create table half (n integer);")
    monkeypatch.setattr(module, "migrations", lambda: [*packaged, mended])
    assert await migrate(empty.admin) == ["9000_broken"]


async def test_the_models_of_older_vectors_are_known(empty: Dsns, monkeypatch: pytest.MonkeyPatch) -> None:
    packaged = migrations()
    monkeypatch.setattr(module, "migrations", lambda: packaged[:7])
    await migrate(empty.admin)
    for tenant, model, length in (("t-1", "a", 3), ("t-1", "a", 3), ("t-1", "b", 5), ("t-2", "a", 3)):
        await _fetch(
            empty.admin,
            f"with known as (insert into tenants (tenant) values ('{tenant}') on conflict do nothing) "
            "insert into vectors (tenant, memory_id, model, text_hash, vector) "
            f"values ('{tenant}', gen_random_uuid(), '{model}', '', "
            f"decode(repeat('00', {4 * length}), 'hex'))",
        )
    monkeypatch.setattr(module, "migrations", lambda: packaged)
    await migrate(empty.admin)
    found = await _fetch(empty.admin, "select tenant, model, dimensions from embedding_models order by 1, 2")
    assert [tuple(row) for row in found] == [("t-1", "a", 3), ("t-1", "b", 5), ("t-2", "a", 3)]


async def test_what_was_enriched_before_is_not_counted_again(
    empty: Dsns, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the owner of the tables is bound by row-level security; what waits is counted later."""
    packaged = migrations()
    monkeypatch.setattr(module, "migrations", lambda: [one for one in packaged if one.version < 19])
    await migrate(empty.admin)
    await _fetch(
        empty.admin,
        "insert into stages (tenant, memory_id, user_id, ingested, enriched) "
        "select 't-' || n, gen_random_uuid(), 'u-1', now(), case when n < 3 then now() end "
        "from generate_series(1, 4) as n",
    )
    (mended,) = (one.sql for one in packaged if one.version == 19)
    role = f"owner_{uuid4().hex}"
    connection = await asyncpg.connect(empty.admin)
    try:
        await connection.execute(
            f"create role {role}; grant create, usage on schema public to {role}; "
            f"alter table stages owner to {role}; alter table documents owner to {role}; "
            f"alter table dead_letters owner to {role}; set role {role}"
        )
        await connection.execute(mended)
        await connection.execute("reset role")
        found = await connection.fetch("select tenant, gathered from stages order by tenant")
        forced = await connection.fetchval(_IS_FORCED)
    finally:
        await connection.execute("reset role")
        await connection.execute(f"reassign owned by {role} to current_user; drop owned by {role}")
        await connection.execute(f"drop role {role}")
        await connection.close()
    assert [row["gathered"] for row in found] == [True, True, False, False]
    assert forced


_IS_FORCED = "select relforcerowsecurity from pg_class where relname = 'stages'"


async def test_nobody_there_is_said_as_such() -> None:
    with pytest.raises(StoreUnavailable):
        await migrate("postgresql://nobody@127.0.0.1:1/none")


def test_numbers_are_unique() -> None:
    numbers = [one.version for one in migrations()]
    assert numbers == sorted(set(numbers))
    assert numbers[0] == 1


async def test_one_that_was_written_beside_a_later_one_is_applied_too(
    empty: Dsns, monkeypatch: pytest.MonkeyPatch
) -> None:
    packaged = migrations()
    monkeypatch.setattr(module, "migrations", lambda: [*packaged[:10], *packaged[11:]])
    await migrate(empty.admin)
    monkeypatch.setattr(module, "migrations", lambda: packaged)
    assert await migrate(empty.admin) == [f"{packaged[10].version:04d}_{packaged[10].name}"]
