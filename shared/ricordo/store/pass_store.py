"""Passes of lifecycle: when they ran, who runs them, expiry and quotas."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import asyncpg

from ricordo.memory.retention import Strategy
from ricordo.store.database import TRANSIENT, Database, Store, translate_errors

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
    """Progress of a pass for a tenant.

    Attributes:
        completed_at: when it last came to its end; None if it never did.
        unfinished_run_at: the moment that an unfinished run is made for; None where none is unfinished.
        resume_after: the id behind which that run continues.
    """

    completed_at: datetime | None = None
    unfinished_run_at: datetime | None = None
    resume_after: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """How many memories of a user stay out of the archive.

    Attributes:
        user_id: whose.
        kinds: which of them count.
        limit: how many stay.
        strategy: which ones these are.
    """

    user_id: str
    kinds: tuple[str, ...]
    limit: int
    strategy: Strategy


class PassRuns(Store):
    """Reads and writes the progress of passes, per tenant."""

    async def state(self, tenant: str, name: str) -> PassState:
        """Return how far the pass of that name is; of one that never ran, nothing."""
        row = await self._fetchrow(_SQL["state"], tenant, name)
        return PassState() if row is None else PassState(**row)

    async def reach(self, tenant: str, name: str, unfinished_run_at: datetime, resume_after: UUID) -> None:
        """Note how far an unfinished run has come."""
        await self._execute(_SQL["reach"], tenant, name, unfinished_run_at, resume_after)

    async def complete(self, tenant: str, name: str, at: datetime) -> None:
        """Note that a run came to its end; none is unfinished then."""
        await self._execute(_SQL["complete"], tenant, name, at)


class PassLocks:
    """Locks of passes: one holder over all processes.

    A session of its own holds each, and PostgreSQL frees it with the session.
    """

    def __init__(self, dsn: str) -> None:
        """Lock in the database at `dsn`; nothing is connected until a lock is asked for."""
        self._dsn = dsn

    @asynccontextmanager
    async def alone(self, name: str, patience: float = 0) -> AsyncIterator[bool]:
        """Take the lock of a pass if it is free; it is given up at the end.

        It is given up as well when the process dies that holds it, or its connection is cut.

        Args:
            name: of the pass.
            patience: seconds to wait for it.

        Returns:
            A context that yields whether it was free.
        """
        with translate_errors():
            session = await asyncpg.connect(
                self._dsn, timeout=_TIMEOUT_S, command_timeout=_TIMEOUT_S + patience, server_settings=_SESSION
            )
        try:
            with translate_errors():
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


class RetentionStore(Store):
    """Counts, expires and prunes memories of a tenant; each method is one transaction."""

    async def count(self, tenant: str, user_id: str | None) -> int:
        """Return how many memories there are, of a user or of all, archived ones too."""
        return int(await self._fetchval(_SQL["count"], tenant, user_id, planned_anew=True))

    async def expiring(self, tenant: str, now: datetime, *, user_id: str | None, kept: timedelta) -> int:
        """Return how many memories `expire` would archive."""
        return int(await self._fetchval(_SQL["expiring"], tenant, now, user_id, kept))

    async def expire(
        self, tenant: str, now: datetime, *, user_id: str | None, kept: timedelta, limit: int
    ) -> Sequence[tuple[UUID, str]]:
        """Archive, oldest expiry first, what is past its time, and return it with its users.

        What is pinned stays. What was used after its time stays for `kept` from that use on, however often; a
        use that is dated ahead of `now` is none.
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
        """Archive at most `limit` memories of those that are over a user's quota, the worst first.

        Which ones, `ricordo.memory.retention.pruned` says: pinned and verified ones stay.

        Returns:
            What was archived, each with its user; fewer than `limit` when no more have to go.
        """
        found = await self._fetch(
            _SQL["prune"],
            tenant,
            now,
            quota.user_id,
            list(quota.kinds),
            quota.limit,
            quota.strategy,
            limit,
            planned_anew=True,
        )
        return [(row["id"], row["user_id"]) for row in found]
