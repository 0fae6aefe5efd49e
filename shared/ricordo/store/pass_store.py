"""Passes of lifecycle: their runs and locks, expiry and retention limits."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

import asyncpg

from ricordo.store.database import TRANSIENT, Database, Store, translate_errors

Strategy = Literal["importance_weighted", "fifo", "recency"]

OBSERVATIONS: Final = ("message", "note", "agreement", "problem", "decision", "extract")
"""Counted kinds; summaries and syntheses stand for others and are not counted."""
REFLECTIONS: Final = ("reflection",)

LITE: Final = (1_000, 100)
"""Observations and reflections kept per user in lite mode, by default."""


_SQL = Database.queries("pass_store")
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


@dataclass(frozen=True, slots=True)
class PassState:
    """Progress of a pass for a tenant."""

    completed_at: datetime | None = None
    unfinished_run_at: datetime | None = None
    resume_after: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """The number of memories of a user and of some kinds that stay out of the archive, and which ones."""

    user_id: str
    kinds: tuple[str, ...]
    limit: int
    strategy: Strategy


class PassRuns(Store):
    """Reads and writes the progress of passes, per tenant."""

    async def state(self, tenant: str, name: str) -> PassState:
        """Return the state of a pass."""
        row = await self._fetchrow(_SQL["state"], tenant, name)
        return PassState() if row is None else PassState(**row)

    async def save_position(
        self, tenant: str, name: str, unfinished_run_at: datetime, resume_after: UUID
    ) -> None:
        """Record the position of an unfinished run."""
        await self._execute(_SQL["save_position"], tenant, name, unfinished_run_at, resume_after)

    async def complete(self, tenant: str, name: str, at: datetime) -> None:
        """Record the end of a run."""
        await self._execute(_SQL["complete"], tenant, name, at)


class PassLocks:
    """Locks of passes over all processes; a session holds each, and PostgreSQL frees it with the session."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn

    @asynccontextmanager
    async def acquire(self, name: str, patience: float = 0) -> AsyncIterator[bool]:
        """Acquire the lock of a pass within `patience` seconds, and yield whether that succeeded."""
        with translate_errors():
            session = await asyncpg.connect(
                self._dsn, timeout=_TIMEOUT_S, command_timeout=_TIMEOUT_S + patience, server_settings=_SESSION
            )
        try:
            with translate_errors():
                acquired = await _acquired(session, name, patience)
            yield acquired
        finally:
            try:
                await session.close(timeout=_TIMEOUT_S)
            except TRANSIENT:
                session.terminate()


async def _acquired(session: "asyncpg.Connection[asyncpg.Record]", name: str, patience: float) -> bool:
    if patience <= 0:
        return bool(await session.fetchval(_SQL["try"], name))
    await session.execute(_SQL["patience"], f"{patience:.3f}s")
    try:
        await session.execute(_SQL["wait"], name)
    except asyncpg.LockNotAvailableError:
        return False
    return True


class RetentionStore(Store):
    """Counts, expires and prunes memories of a tenant; each method is one transaction."""

    async def count(self, tenant: str, user_id: str | None) -> int:
        """Count the memories of a user or of all, including archived ones."""
        return int(await self._fetchval(_SQL["count"], tenant, user_id, planned_anew=True))

    async def expiring(self, tenant: str, now: datetime, *, user_id: str | None, kept: timedelta) -> int:
        """Count the memories that `expire` would archive."""
        return int(await self._fetchval(_SQL["expiring"], tenant, now, user_id, kept))

    async def expire(
        self, tenant: str, now: datetime, *, user_id: str | None, kept: timedelta, limit: int
    ) -> Sequence[tuple[UUID, str]]:
        """Archive expired memories, oldest expiry first, and return them with their users.

        Pinned ones stay. One that was used after its expiry stays for `kept` from its last use.
        """
        found = await self._fetch(_SQL["expire"], tenant, now, user_id, kept, limit)
        return [(row["id"], row["user_id"]) for row in found]

    async def over_quota(
        self, tenant: str, kinds: Sequence[str], limit: int, user_id: str | None
    ) -> Mapping[str, int]:
        """Return the users with more than `limit` memories of `kinds` out of the archive, and how many."""
        found = await self._fetch(_SQL["over_quota"], tenant, list(kinds), limit, user_id, planned_anew=True)
        return {row["user_id"]: row["number"] for row in found}

    async def prune(
        self, tenant: str, now: datetime, quota: Quota, *, limit: int
    ) -> Sequence[tuple[UUID, str]]:
        """Archive at most `limit` memories beyond a quota, the worst first; protected ones count and stay.

        Returns:
            Archived memories with their user; fewer than `limit` at the end.
        """
        found = await self._fetch(_SQL["prune"], tenant, now, *astuple(quota), limit, planned_anew=True)
        return [(row["id"], row["user_id"]) for row in found]
