"""Connections to PostgreSQL, transactions of a tenant, and named blocks of SQL."""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import cache
from importlib.resources import files
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, Self

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from ricordo.messages.subjects import checked_tenant
from ricordo.unavailable import DependencyUnavailable

_HEAD = re.compile(r"^-- (name|fragment): (\w+)\s*$", re.MULTILINE)
_INCLUDE = re.compile(r"^-- include: (?:(\w+)\.)?(\w+)(?: of (\w+))?\s*$", re.MULTILINE)
# The server is away, starting, full, or resolved a deadlock: a retry may succeed.
TRANSIENT = (
    OSError,
    TimeoutError,
    ssl.SSLError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # raised by a session whose connection was just lost
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.TransactionRollbackError,
    asyncpg.ObjectInUseError,
    asyncpg.LockNotAvailableError,
    asyncpg.IdleInTransactionSessionTimeoutError,
)
_PLANNED_ANEW = "set local plan_cache_mode = force_custom_plan"
_PATIENCE_S = 60
_ACQUIRE_S = 5  # for a free connection, and for giving it back
_ROLLBACK_S = 1
_SESSION = {
    "application_name": "ricordo",
    "timezone": "UTC",
    "random_page_cost": "1.1",  # of a solid state disk
    # A process that hangs within a transaction must not keep its locks.
    "idle_in_transaction_session_timeout": str(_PATIENCE_S * 1000),
}


class StoreUnavailable(DependencyUnavailable):
    """The store does not answer: nothing was written, unless the answer to a commit was lost."""

    server = "PostgreSQL"


@cache
def blocks(file: str) -> dict[str, str]:
    """Return the blocks of `sql/<file>.sql` by name; a block begins with a line `-- name: NAME`.

    A line `-- include: NAME` is replaced by the block after `-- fragment: NAME`; `-- include: FILE.NAME` by
    one of another file; `-- include: NAME of TABLE` by its columns, each qualified with the table.
    """
    return {name: _expand(file, body) for name, body in _parts(file)["name"].items()}


def _expand(file: str, text: str) -> str:
    def included(line: re.Match[str]) -> str:
        source = line[1] or file
        body = _expand(source, _parts(source)["fragment"][line[2]])
        return body if line[3] is None else re.sub(r"\w+", rf"{line[3]}.\g<0>", body)

    return _INCLUDE.sub(included, text)


@cache
def _parts(file: str) -> dict[str, dict[str, str]]:
    text = files(__package__).joinpath("sql", f"{file}.sql").read_text(encoding="utf-8")
    parts = _HEAD.split(text)[1:]
    found: dict[str, dict[str, str]] = {"name": {}, "fragment": {}}
    for kind, name, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        found[kind][name] = body.strip()
    return found


@cache
def _call(function: str, count: int) -> str:
    """Return a statement that calls a function with so many arguments; one that is written out stays."""
    if not function.isidentifier():
        return function
    arguments = ", ".join(f"${n}" for n in range(1, count + 1))
    return f"select * from {function}({arguments})"  # noqa: S608 - an identifier


if TYPE_CHECKING:
    Connection = PoolConnectionProxy[asyncpg.Record]
else:
    Connection = PoolConnectionProxy  # generic in its stubs only


def _is_of_driver(error: BaseException) -> bool:
    """Return whether the driver raised an error, or one of the system passed through it.

    A transaction may wait for other servers, whose time-outs and lost connections are not PostgreSQL's.
    """
    modules = (frame.f_globals.get("__name__", "") for frame, _ in walk_tb(error.__traceback__))
    return not isinstance(error, OSError) or any(name.startswith("asyncpg.") for name in modules)


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raise transient errors of the driver as `StoreUnavailable`, and invalid addresses as `ValueError`."""
    try:
        yield
    except TRANSIENT as error:
        if isinstance(error, ValueError) or not _is_of_driver(error):
            raise
        raise StoreUnavailable(f"PostgreSQL could not answer: {type(error).__name__}: {error}") from error


def _begin(tenant: str, *, planned_anew: bool) -> str:
    """Return statements that begin a transaction of a tenant, for one round trip without parameters.

    Raises:
        ValueError: the tenant is invalid; a valid one contains no quotes.
    """
    begin = f"begin; select set_config('app.tenant', '{checked_tenant(tenant)}', true)"
    return f"{begin}; {_PLANNED_ANEW}" if planned_anew else begin


async def _roll_back(connection: Connection) -> None:
    """Roll back, or close the connection if the server hangs."""
    try:
        if not connection.is_closed():
            async with asyncio.timeout(_ROLLBACK_S):
                await connection.execute("rollback")
    except TRANSIENT:
        with suppress(asyncpg.InterfaceError):  # the pool has dropped a connection that the server ended
            connection.terminate()


async def call_function(
    connection: Connection, function: str, tenant: str, *arguments: object
) -> list["asyncpg.Record"]:
    """Call a function of the database within the caller's transaction, and return its rows."""
    return await connection.fetch(_call(function, 1 + len(arguments)), tenant, *arguments)


async def _skip_reset(_: object) -> None:
    """Save a round trip at the end of each transaction: settings are local to it, and the driver ends it."""


class Database:
    """A pool of connections of the workers' role, bound by row-level security."""

    def __init__(self, pool: "asyncpg.Pool[asyncpg.Record]") -> None:
        self._pool = pool

    @classmethod
    @asynccontextmanager
    async def connect(cls, dsn: str, *, size: int = 10, timeout_s: float = 10.0) -> AsyncIterator[Self]:
        """Open a pool of up to `size` connections and close it at the end.

        Raises:
            StoreUnavailable: nobody answers at `dsn`.
        """
        with translate_errors():
            pool = await asyncpg.create_pool(
                dsn,
                min_size=1,
                max_size=size,
                timeout=timeout_s,
                command_timeout=_PATIENCE_S,
                max_inactive_connection_lifetime=60,
                server_settings=_SESSION,
                reset=_skip_reset,
            )
        try:
            yield cls(pool)
        finally:
            try:
                async with asyncio.timeout(5):
                    await pool.close()
            except TRANSIENT:
                pool.terminate()

    @asynccontextmanager
    async def transaction(self, tenant: str, *, planned_anew: bool = False) -> AsyncIterator[Connection]:
        """Open a transaction that sees and writes the rows of `tenant` only.

        Args:
            planned_anew: whether statements are planned for their values, which decide on the index.

        Raises:
            ValueError: the tenant is invalid.
            StoreUnavailable: nothing was written, unless the answer to the commit was lost.
        """
        begin = _begin(tenant, planned_anew=planned_anew)
        with translate_errors():
            async with self._pool.acquire(timeout=_ACQUIRE_S) as connection:
                try:
                    await connection.execute(begin)
                    yield connection
                except BaseException:
                    await _roll_back(connection)
                    raise
                if await connection.execute("commit") != "COMMIT":  # a statement had failed unnoticed
                    raise StoreUnavailable("PostgreSQL rolled back a transaction instead of committing it")

    async def call(self, function: str, tenant: str, *arguments: object) -> list["asyncpg.Record"]:
        """Call a function of the database that sets the tenant itself: one round trip, one transaction.

        Args:
            function: its name, or a statement that calls it.
            tenant: the first argument of the function.
            arguments: the others.

        Raises:
            ValueError, StoreUnavailable: as `transaction`.
        """
        with translate_errors():
            async with self._pool.acquire(timeout=_ACQUIRE_S) as connection:
                return await call_function(connection, function, checked_tenant(tenant), *arguments)

    async def read(self, function: str, tenant: str, *arguments: object) -> list["asyncpg.Record"]:
        """Call a function that only reads, as `call`; a cancelled call does not wait for a hung server."""
        async with self.unscoped() as connection:
            return await call_function(connection, function, checked_tenant(tenant), *arguments)

    @asynccontextmanager
    async def unscoped(self) -> AsyncIterator[Connection]:
        """Open a connection without a tenant, which has access to no tenant's rows.

        It is closed when its user is cancelled, since the server may hang.

        Raises:
            StoreUnavailable: PostgreSQL does not answer.
        """
        with translate_errors():
            async with self._pool.acquire(timeout=_ACQUIRE_S) as connection:
                try:
                    yield connection
                except asyncio.CancelledError:
                    connection.terminate()
                    raise

    queries = staticmethod(blocks)


class Store:
    """Base class of the stores: runs a statement in a transaction of its own, in the name of a tenant."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def _fetch(
        self, statement: str, tenant: str, *arguments: object, planned_anew: bool = False
    ) -> list["asyncpg.Record"]:
        async with self._database.transaction(tenant, planned_anew=planned_anew) as connection:
            return await connection.fetch(statement, tenant, *arguments)

    async def _fetchrow(self, statement: str, tenant: str, *arguments: object) -> "asyncpg.Record | None":
        async with self._database.transaction(tenant) as connection:
            return await connection.fetchrow(statement, tenant, *arguments)

    async def _fetchval(
        self, statement: str, tenant: str, *arguments: object, planned_anew: bool = False
    ) -> Any:  # noqa: ANN401 - a value of any type
        async with self._database.transaction(tenant, planned_anew=planned_anew) as connection:
            return await connection.fetchval(statement, tenant, *arguments)

    async def _execute(self, statement: str, tenant: str, *arguments: object) -> str:
        """Execute a statement, and return its command tag."""
        async with self._database.transaction(tenant) as connection:
            return await connection.execute(statement, tenant, *arguments)
