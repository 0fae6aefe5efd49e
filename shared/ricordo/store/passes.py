"""Which passes were made, and the locks under which one process at a time makes them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Final
from uuid import UUID

import asyncpg

from ricordo.store.database import TRANSIENT, Database, translating
from ricordo.store.types.passes import PassState

_SQL = Database.queries("passes")
_TIMEOUT_S: Final = 10
_SESSION: Final = {
    "application_name": "ricordo pass",
    # It is idle as long as the pass lasts.
    "idle_session_timeout": "0",
    # The server knows at once of a process that dies; of a machine that does, it would after two hours.
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
}


class PostgresPassRuns:
    """Implements `PassRuns`."""

    def __init__(self, database: Database) -> None:
        """Read and write through `database`."""
        self._database = database

    async def state(self, tenant: str, name: str) -> PassState:
        """Return how far a pass is; see `PassRuns.state`."""
        async with self._database.transaction(tenant) as connection:
            row = await connection.fetchrow(_SQL["state"], tenant, name)
        return PassState() if row is None else PassState(**row)

    async def reach(self, tenant: str, name: str, began_for: datetime, reached: UUID) -> None:
        """Note how far an unfinished run has come."""
        async with self._database.transaction(tenant) as connection:
            await connection.execute(_SQL["reach"], tenant, name, began_for, reached)

    async def complete(self, tenant: str, name: str, at: datetime) -> None:
        """Note that a run came to its end."""
        async with self._database.transaction(tenant) as connection:
            await connection.execute(_SQL["complete"], tenant, name, at)


class PostgresPassLocks:
    """Implements `PassLocks`: a session of its own holds each, and PostgreSQL frees it with the session."""

    def __init__(self, dsn: str) -> None:
        """Lock in the database at `dsn`; nothing is connected until a lock is asked for."""
        self._dsn = dsn

    @asynccontextmanager
    async def alone(self, name: str, patience: float = 0) -> AsyncIterator[bool]:
        """Take the lock of a pass if it is free; see `PassLocks.alone`.

        Raises:
            StoreUnavailable: PostgreSQL cannot be asked now.
        """
        with translating():
            session = await asyncpg.connect(
                self._dsn, timeout=_TIMEOUT_S, command_timeout=_TIMEOUT_S + patience, server_settings=_SESSION
            )
        try:
            with translating():
                is_free = await _taken(session, name, patience)
            yield is_free
        finally:
            try:
                await session.close(timeout=_TIMEOUT_S)
            except TRANSIENT:
                session.terminate()


async def _taken(session: "asyncpg.Connection[asyncpg.Record]", name: str, patience: float) -> bool:
    if patience <= 0:
        return bool(await session.fetchval(_SQL["try"], name))
    await session.execute(_SQL["patience"], f"{patience:.3f}s")
    try:
        await session.execute(_SQL["wait"], name)
    except asyncpg.LockNotAvailableError:
        return False
    return True
