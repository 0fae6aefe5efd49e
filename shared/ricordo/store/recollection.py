"""Reads of the truth, for retrieval."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

import asyncpg

from ricordo.language.instructions import TAG
from ricordo.memory.model import Memory
from ricordo.messages.ids import memory_id
from ricordo.store import rows
from ricordo.store.database import Database
from ricordo.store.types.recollection import Counts, Failure, Profile, Standing, Turn
from ricordo.store.types.stages import Progress

_SQL = Database.queries("recollection")


class PostgresRecollection:
    """Implements `Recollection`."""

    def __init__(self, database: Database) -> None:
        """Read through `database`."""
        self._database = database

    async def memories(self, tenant: str, user_id: str, ids: Sequence[UUID]) -> Sequence[Memory]:
        """Return rows of the user; see `Recollection.memories`."""
        return [rows.memory(row) for row in await self._fetch("memories", tenant, user_id, ids)]

    async def standings(self, tenant: str, user_id: str, ids: Sequence[UUID]) -> Sequence[Standing]:
        """Return what a ranking looks at; see `Recollection.standings`."""
        found = await self._fetch("standings", tenant, user_id, ids, TAG)
        return [Standing(one, said, rows.event_times(times), *rest) for one, said, times, *rest in found]

    async def history(
        self,
        tenant: str,
        user_id: str,
        *,
        conversation_id: str | None,
        before: tuple[datetime, str] | None,
        limit: int,
    ) -> Sequence[Turn]:
        """Return the last turns, oldest first; see `Recollection.history`."""
        instant, message_id = before or (None, None)
        found = await self._fetch("history", tenant, user_id, conversation_id, instant, message_id, limit)
        return [
            Turn(
                message_id=row["message_id"],
                memory_id=row["memory_id"],
                conversation_id=row["conversation_id"],
                role=row["role"],
                speaker=row["speaker"],
                content=row["content"],
                timestamp=row["said_at"],
                language=row["language"] or "",
                participants=tuple(row["participants"]),
            )
            for row in reversed(found)
        ]

    async def timeline(
        self, tenant: str, user_id: str, start: datetime, end: datetime, limit: int
    ) -> Sequence[Memory]:
        """Return memories created in [start, end), oldest first."""
        return [rows.memory(row) for row in await self._fetch("timeline", tenant, user_id, start, end, limit)]

    async def status(self, tenant: str, message_id: str) -> tuple[Progress | None, Failure | None]:
        """Return the stages of a message, and its last dead letter; see `Recollection.status`."""
        async with self._database.transaction(tenant) as connection:
            stages = await connection.fetchrow(_SQL["status"], tenant, memory_id(tenant, message_id))
            failure = await connection.fetchrow(_SQL["failure"], tenant, message_id, stages is not None)
            if stages is None:
                failure = await connection.fetchrow(_SQL["forgotten"], tenant, message_id) or failure
        return (
            None if stages is None else rows.progress(stages),
            None if failure is None else Failure(**dict(failure)),
        )

    async def counts(self, tenant: str, user_id: str) -> Counts:
        """Count what is held about the user."""
        [row] = await self._fetch("counts", tenant, user_id)
        return Counts(**dict(row))

    async def profile(self, tenant: str, user_id: str) -> Profile:
        """Return the user's zone and the names met so far; see `Recollection.profile`."""
        [row] = await self._fetch("profile", tenant, user_id)
        return Profile(
            timezone=row["timezone"],
            names=_each_once((*row["names"], *row["people"], *row["speakers"])),
            speakers=tuple(row["speakers"]),
        )

    async def _fetch(self, name: str, tenant: str, *arguments: object) -> list[asyncpg.Record]:
        async with self._database.transaction(tenant) as connection:
            return await connection.fetch(_SQL[name], tenant, *arguments)


def _each_once(names: Iterable[str]) -> tuple[str, ...]:
    """Return names in their order; of those that differ in case only, the first."""
    kept: dict[str, str] = {}
    for name in names:
        kept.setdefault(name.casefold(), name)
    return tuple(kept.values())
