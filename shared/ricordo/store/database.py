"""Connections to PostgreSQL, transactions in the name of a tenant, and named blocks of SQL."""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Self

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from ricordo.messages.subjects import checked_tenant
from ricordo.unavailable import Unavailable

_HEAD = re.compile(r"^-- (name|fragment): (\w+)\s*$", re.MULTILINE)
_INCLUDE = re.compile(r"^-- include: (?:(\w+)\.)?(\w+)\s*$", re.MULTILINE)
# What says "not now" rather than "wrong": the server is away, starting, full, or resolved a deadlock.
TRANSIENT = (
    OSError,
    TimeoutError,
    ssl.SSLError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # what a session that was cut a moment ago says on its next use
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
    # Every statement looks up rows by key. The planner would rather read a small table whole, and goes on
    # with that plan while the table grows.
    "random_page_cost": "1.1",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    # A process that hangs in the middle of a transaction must not keep its locks for ever.
    "idle_in_transaction_session_timeout": str(_PATIENCE_S * 1000),
}


class RequestConflict(ValueError):
    """The request id is known for another request."""


class StoreUnavailable(Unavailable):
    """The store cannot be asked now: a transient failure."""

    server = "PostgreSQL"


@cache
def blocks(file: str) -> dict[str, str]:
    """Return the blocks of `sql/<file>.sql` by name; a block begins with a line `-- name: the_name`.

    What several of them have in common stands once, after a line `-- fragment: the_name`, in place of which
    they have a line `-- include: the_name`; of another file, `-- include: its_name.the_name`.

    Raises:
        KeyError: there is no fragment of a name.
    """
    return {
        name: _INCLUDE.sub(lambda at: _parts(at[1] or file)["fragment"][at[2]], body)
        for name, body in _parts(file)["name"].items()
    }


@cache
def _parts(file: str) -> dict[str, dict[str, str]]:
    """Return the blocks and the fragments of a file, as they stand there."""
    text = files(__package__).joinpath("sql", f"{file}.sql").read_text(encoding="utf-8")
    parts = _HEAD.split(text)[1:]
    found: dict[str, dict[str, str]] = {"name": {}, "fragment": {}}
    for kind, name, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        found[kind][name] = body.strip()
    return found


if TYPE_CHECKING:
    Connection = PoolConnectionProxy[asyncpg.Record]
else:
    Connection = PoolConnectionProxy  # generic in its stubs only


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raise transient errors of the driver as `StoreUnavailable`.

    Raises:
        StoreUnavailable: PostgreSQL cannot be asked now.
        ValueError: an address is none, which the driver counts among its own troubles.
    """
    try:
        yield
    except TRANSIENT as error:
        if isinstance(error, ValueError):
            raise
        raise StoreUnavailable(f"PostgreSQL could not answer: {type(error).__name__}: {error}") from error


def _begin(tenant: str, *, planned_anew: bool) -> str:
    """Begin and name the tenant in one trip to the server: two statements at once take no parameters.

    Raises:
        ValueError: that is no tenant; in what is one, there is nothing that could end the quotation.
    """
    begin = f"begin; select set_config('app.tenant', '{checked_tenant(tenant)}', true)"
    return f"{begin}; {_PLANNED_ANEW}" if planned_anew else begin


async def _roll_back(connection: Connection) -> None:
    """Undo, or cut the connection, which undoes too: a server that hangs keeps nobody past a deadline."""
    if connection.is_closed():
        return
    try:
        async with asyncio.timeout(_ROLLBACK_S):
            await connection.execute("rollback")
    except TRANSIENT:
        connection.terminate()


async def _leave_as_it_is(_: object) -> None:
    """Spare a trip at the end of each transaction: whatever is set is set for one transaction only.

    One that was left open all the same, as by a cancelled `_roll_back`, the driver ends before this.
    """


class Database:
    """A pool of connections for the workers' role, bound by row-level security."""

    def __init__(self, pool: "asyncpg.Pool[asyncpg.Record]") -> None:
        """Wrap a pool; use `connect` to make one."""
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
                reset=_leave_as_it_is,
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
            tenant: whose rows.
            planned_anew: whether statements are planned for the values that they are given, each time: for
                those whose values decide by which index to look.

        Raises:
            ValueError: no tenant goes by that name.
            StoreUnavailable: PostgreSQL could not do it now. Nothing was written, unless it was the answer to
                the commit that was lost.
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

    @asynccontextmanager
    async def unscoped(self) -> AsyncIterator[Connection]:
        """Open a connection outside of any tenant: row-level security refuses it every tenant's rows.

        It is cut where whoever uses it is cancelled: a server that hangs keeps nobody past a deadline.

        Raises:
            StoreUnavailable: PostgreSQL could not do it now.
        """
        with translate_errors():
            async with self._pool.acquire(timeout=_ACQUIRE_S) as connection:
                try:
                    yield connection
                except asyncio.CancelledError:
                    connection.terminate()
                    raise

    @staticmethod
    def queries(file: str) -> Mapping[str, str]:
        """Return the named blocks of a `.sql` file."""
        return blocks(file)


class Store:
    """Base class of the stores: runs a statement in a transaction of its own, in the name of a tenant."""

    def __init__(self, database: Database) -> None:
        """Read and write through `database`."""
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
