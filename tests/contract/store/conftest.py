"""A PostgreSQL database and connections for each file, a tenant for each test."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio
from tests.contract.store.page_reader import Reader
from tests.contract.store.stores import Stores

from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.database import Database
from ricordo.store.schema import migrate
from ricordo_services.stack.endpoints import Endpoints


@dataclass(frozen=True)
class Dsns:
    """Where a database is: for the owner of its schema, and for the workers' role."""

    admin: str
    worker: str


def _of(dsn: str, database: str) -> str:
    return urlunsplit(urlsplit(dsn)._replace(path=f"/{database}"))


async def execute(dsn: str, statement: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def waits_for_a_lock(fetch: Callable[[str], Awaitable[Sequence[object]]]) -> bool:
    """Whether a session of the database waits for a lock, asked by a connection of whoever wants to know."""
    here = "coalesce(database, oid) = oid and datname = current_database()"
    return bool(await fetch(f"select 1 from pg_locks, pg_database where not granted and {here}"))


@pytest.fixture(scope="session")
def new_database(stack: Endpoints) -> Iterator[Callable[..., Dsns]]:
    """Yield a maker of databases, empty or copies of a template; they are dropped at the end."""
    made: list[str] = []

    def make(template: str = "template1") -> Dsns:
        made.append(f"contract_{uuid4().hex}")
        asyncio.run(execute(stack.postgres_admin_dsn, f"create database {made[-1]} template {template}"))
        return Dsns(_of(stack.postgres_admin_dsn, made[-1]), _of(stack.postgres_dsn, made[-1]))

    yield make
    for name in reversed(made):
        asyncio.run(execute(stack.postgres_admin_dsn, f"drop database {name} with (force)"))


@pytest.fixture(scope="session")
def new_schema(new_database: Callable[..., Dsns]) -> Callable[[], Dsns]:
    """Return a maker of databases with the schema, which is created once and copied."""
    template = new_database()
    asyncio.run(migrate(template.admin))
    return lambda: new_database(urlsplit(template.admin).path.strip("/"))


@pytest.fixture(scope="module")
def dsns(new_schema: Callable[[], Dsns]) -> Dsns:
    """Return a database with the schema, and without the tenants of other files."""
    return new_schema()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def database(dsns: Dsns) -> AsyncIterator[Database]:
    async with Database.connect(dsns.worker, size=12) as database:
        yield database


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def executor() -> AsyncIterator[CpuExecutor]:
    async with CpuExecutor() as executor:
        yield executor


@pytest.fixture
def stores(dsns: Dsns, database: Database, executor: CpuExecutor) -> Stores:
    return Stores(database, executor, dsns.worker)


@pytest.fixture
def reader(stores: Stores) -> Reader:
    return Reader(stores)


@pytest_asyncio.fixture(loop_scope="module")
async def connection(dsns: Dsns) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    connection = await asyncpg.connect(dsns.admin)
    try:
        yield connection
    finally:
        await connection.close()


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makemodule() -> Generator[None, pytest.Module, pytest.Module]:
    """Run the tests of a file on one event loop, so that they share the connections of one pool."""
    module = yield
    module.add_marker(pytest.mark.asyncio(loop_scope="module"))
    return module
