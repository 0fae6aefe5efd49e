"""Connections to PostgreSQL, and the only way to a transaction: in the name of a tenant."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Self

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from ricordo.adapters.postgres.queries import blocks
from ricordo.ports.memories import StoreUnavailable

if TYPE_CHECKING:
    Connection = PoolConnectionProxy[asyncpg.Record]
else:
    Connection = PoolConnectionProxy  # generic in its stubs only

# What says "not now" rather than "wrong": the server is away, starting, full, or resolved a deadlock.
TRANSIENT = (
    OSError,
    TimeoutError,
    ssl.SSLError,
    asyncpg.InterfaceError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.TransactionRollbackError,
    asyncpg.ObjectInUseError,
    asyncpg.LockNotAvailableError,
)


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
        try:
            pool = await asyncpg.create_pool(
                dsn,
                min_size=1,
                max_size=size,
                timeout=timeout_s,
                command_timeout=60,
                max_inactive_connection_lifetime=60,
            )
        except TRANSIENT as error:
            raise StoreUnavailable(f"PostgreSQL does not answer: {type(error).__name__}") from error
        try:
            yield cls(pool)
        finally:
            try:
                async with asyncio.timeout(5):
                    await pool.close()
            except TRANSIENT:
                pool.terminate()

    @asynccontextmanager
    async def transaction(self, tenant: str) -> AsyncIterator[Connection]:
        """Open a transaction that sees and writes the rows of `tenant` only.

        Raises:
            ValueError: no tenant is named.
            StoreUnavailable: PostgreSQL could not do it now; nothing was written.
        """
        if not tenant:
            raise ValueError("a transaction needs a tenant")
        try:
            async with self._pool.acquire() as connection, connection.transaction():
                await connection.execute("select set_config('app.tenant', $1, true)", tenant)
                yield connection
        except TRANSIENT as error:
            raise StoreUnavailable(f"PostgreSQL could not answer: {type(error).__name__}: {error}") from error

    @asynccontextmanager
    async def unscoped(self) -> AsyncIterator[Connection]:
        """Open a connection outside of any tenant: row-level security shows it no tenant's rows."""
        try:
            async with self._pool.acquire() as connection:
                yield connection
        except TRANSIENT as error:
            raise StoreUnavailable(f"PostgreSQL could not answer: {type(error).__name__}: {error}") from error

    @staticmethod
    def queries(file: str) -> Mapping[str, str]:
        """Return the named blocks of a `.sql` file."""
        return blocks(file)
