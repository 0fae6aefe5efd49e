"""The truth on a real PostgreSQL: a database of its own, a tenant for each test."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
import pytest

from ricordo.runtime.cpu_executor import Beside
from ricordo.store.curating import PostgresCurating
from ricordo.store.database import Database
from ricordo.store.habits import PostgresHabits
from ricordo.store.intake import PostgresIntake
from ricordo.store.ledger import PostgresFactLedger
from ricordo.store.life import PostgresLife
from ricordo.store.migrate import migrate
from ricordo.store.passes import PostgresPassLocks, PostgresPassRuns
from ricordo.store.projection import PostgresEncodings, PostgresEnrichments, PostgresIndexing
from ricordo.store.recollection import PostgresRecollection
from ricordo.store.retention import PostgresRetention
from ricordo.store.working import PostgresDesks, PostgresNotebook
from ricordo.testing.stores import Scope, Stores
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
async def beside() -> AsyncIterator[Beside]:
    """Yield the thread for what computes."""
    async with Beside() as beside:
        yield beside


@pytest.fixture
def stores(dsns: Dsns, database: Database, beside: Beside) -> Stores:
    """Return all ports on PostgreSQL, in the name of a new tenant."""
    return Stores(
        tenant=f"t-{uuid4()}",
        intake=PostgresIntake(database),
        encodings=PostgresEncodings(database),
        enrichments=PostgresEnrichments(database),
        indexing=PostgresIndexing(database),
        ledger=PostgresFactLedger(database, beside),
        another_ledger=lambda: PostgresFactLedger(database, beside),
        recollection=PostgresRecollection(database),
        life=PostgresLife(database),
        retention=PostgresRetention(database),
        pass_runs=PostgresPassRuns(database),
        pass_locks=PostgresPassLocks(dsns.worker),
        curating=PostgresCurating(database),
        desks=PostgresDesks(database),
        notebook=PostgresNotebook(database),
        habits=PostgresHabits(database),
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
