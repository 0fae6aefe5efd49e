"""The truth on a real PostgreSQL: a database of its own, a tenant for each test."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
import pytest
from tests.contract.store.linked_memories import LinkedMemories, MemoriesInMemory, of_stores
from tests.contract.store.stores import Scope, Stores

from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.curation_store import CurationStore
from ricordo.store.database import Database
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.intake import IntakeStore
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.memory_queries import MemoryQueries, StyleQueries
from ricordo.store.pass_store import PassLocks, PassRuns, RetentionStore
from ricordo.store.schema import migrate
from ricordo.store.stages import EncodingStore, EnrichmentStore, IndexingStore
from ricordo.store.working_memory_store import NoteStore, WorkingMemoryStore
from ricordo_services.stack import Endpoints


@dataclass(frozen=True)
class Dsns:
    """Where a database is: for the owner of its schema, and for the workers' role."""

    admin: str
    worker: str


def _of(dsn: str, database: str) -> str:
    return urlunsplit(urlsplit(dsn)._replace(path=f"/{database}"))


async def _execute(dsn: str, statement: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


@pytest.fixture(scope="session")
def new_database(stack: Endpoints) -> Iterator[Callable[[], Dsns]]:
    """Yield a maker of empty databases; they are dropped at the end."""
    made: list[str] = []

    def make() -> Dsns:
        made.append(f"contract_{uuid4().hex}")
        asyncio.run(_execute(stack.postgres_admin_dsn, f"create database {made[-1]}"))
        return Dsns(_of(stack.postgres_admin_dsn, made[-1]), _of(stack.postgres_dsn, made[-1]))

    yield make
    for name in made:
        asyncio.run(_execute(stack.postgres_admin_dsn, f"drop database {name} with (force)"))


@pytest.fixture(scope="session")
def dsns(new_database: Callable[[], Dsns]) -> Dsns:
    """Return a database with the schema."""
    found = new_database()
    asyncio.run(migrate(found.admin))
    return found


@pytest.fixture
async def database(dsns: Dsns) -> AsyncIterator[Database]:
    """Yield the workers' connections."""
    async with Database.connect(dsns.worker, size=12) as database:
        yield database


@pytest.fixture
async def beside() -> AsyncIterator[CpuExecutor]:
    """Yield the thread for what computes."""
    async with CpuExecutor() as beside:
        yield beside


@pytest.fixture
def stores(dsns: Dsns, database: Database, beside: CpuExecutor) -> Stores:
    """Return all ports on PostgreSQL, in the name of a new tenant."""
    return Stores(
        tenant=f"t-{uuid4()}",
        intake=IntakeStore(database),
        encodings=EncodingStore(database),
        enrichments=EnrichmentStore(database),
        indexing=IndexingStore(database),
        ledger=FactLedger(database, beside),
        another_ledger=lambda: FactLedger(database, beside),
        recollection=MemoryQueries(database),
        life=LifecycleStore(database),
        retention=RetentionStore(database),
        pass_runs=PassRuns(database),
        pass_locks=PassLocks(dsns.worker),
        curating=CurationStore(database),
        desks=WorkingMemoryStore(database),
        notebook=NoteStore(database),
        habits=StyleQueries(database),
        entomb=_entombing(database),
    )


def _entombing(database: Database) -> Callable[[str, Scope, str, str], Awaitable[None]]:
    async def entomb(tenant: str, scope: Scope, key: str, user_id: str) -> None:
        async with database.transaction(tenant) as connection:
            await connection.execute(
                "insert into tombstones (tenant, scope, key, user_id) values ($1, $2, $3, $4)",
                tenant,
                scope,
                key,
                user_id,
            )

    return entomb


@pytest.fixture
async def connection(dsns: Dsns) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    """Yield a connection of the schema's owner."""
    connection = await asyncpg.connect(dsns.admin)
    try:
        yield connection
    finally:
        await connection.close()


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.integration)])
def linked(request: pytest.FixtureRequest) -> LinkedMemories:
    """Return memories in memory, and on PostgreSQL."""
    if request.param == "memory":
        return MemoriesInMemory()
    return of_stores(request.getfixturevalue("stores"), request.getfixturevalue("database"))
