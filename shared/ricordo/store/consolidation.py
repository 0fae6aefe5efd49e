"""Syntheses of old and weak memories, and reflections."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter
from typing import Final
from uuid import UUID

from ricordo.language.temporal.moments import EARLIEST
from ricordo.memory.compression import CompressionCandidate, is_weak, subjects_of
from ricordo.memory.model import Memory, Progress, Successor
from ricordo.memory.reflection.observations import ReflectionEvidence
from ricordo.memory.summaries import SessionTurn
from ricordo.store import derived_memories, rows
from ricordo.store.database import Database, Store
from ricordo.store.listing_store import MemoryPlace

_SQL: Final = Database.queries("consolidation")
_told = attrgetter(
    "user_id", "content", "language", "speaker", "participants", "importance", "access_count", "last_accessed"
)
_ROUNDING: Final = 1e-6


@dataclass(frozen=True, slots=True)
class ReflectionBacklog:
    """A user, and the sum of the importance (1 to 10 each) of the messages since the last reflection."""

    user_id: str
    importance: float


@dataclass(frozen=True, slots=True)
class Reflection:
    """An insight to be stored.

    Attributes:
        about: a hash of its subject and claim; it replaces an earlier insight with the same hash.
    """

    about: UUID
    memory: Memory


_BEGINNING: Final = MemoryPlace(UUID(int=0), EARLIEST)


class CompressionStore(Store):
    """Reads candidates of compression in slices, and writes a synthesis of them in one transaction."""

    async def users(self, tenant: str, before: datetime, after: str, limit: int) -> Sequence[str]:
        """Return at most `limit` users after `after`, in order, who sent a message before `before`."""
        found = await self._fetch(_SQL["users"], tenant, after, before, limit)
        return [row["user_id"] for row in found]

    async def weak(
        self,
        tenant: str,
        user_id: str,
        model: str,
        now: datetime,
        *,
        after: MemoryPlace | None,
        limit: int,
    ) -> Sequence[CompressionCandidate]:
        """Return weak memories (see `memory.compression`) with a vector of `model`, oldest first."""
        place = after or _BEGINNING
        found = await self._fetch(
            _SQL["weak"], tenant, user_id, model, now, place.created_at, place.id, limit
        )
        return [
            rows.build(
                CompressionCandidate,
                row,
                about=subjects_of(row["participants"], row["speaker"]),
                vector=rows.vector(row["vector"]),
            )
            for row in found
        ]

    async def sources(
        self, tenant: str, user_id: str, model: str, ids: Sequence[UUID]
    ) -> Sequence[SessionTurn]:
        """Return memories of a user, with their vectors of `model`, in any order; others are left out."""
        found = await self._fetch(_SQL["sources"], tenant, user_id, model, ids)
        return [SessionTurn(rows.memory(row), rows.vector(row["vector"])) for row in found]

    async def compress(
        self, tenant: str, synthesis: Memory, sources: Sequence[Memory], now: datetime, at: datetime
    ) -> Progress | None:
        """Write a synthesis and mark its sources as compressed, in one transaction.

        Args:
            now: when they must still be weak.

        Returns:
            The stages of the synthesis; None if a source has changed since: nothing is written.
        """
        ids = [one.id for one in sources]
        async with self._database.transaction(tenant) as connection:
            await derived_memories.lock_users(connection, tenant, {synthesis.user_id})
            found = {row["id"]: rows.memory(row) for row in await connection.fetch(_SQL["lock"], tenant, ids)}
            if not all(_stays(found.get(one.id), one, now) for one in sources):
                return None
            written = await derived_memories.write(connection, tenant, [synthesis], at, finished=True)
            if written:
                await connection.execute(_SQL["mark"], tenant, ids, synthesis.id)
        return written[0] if written else None


def _stays(found: Memory | None, read: Memory, now: datetime) -> bool:
    return found is not None and is_weak(found, now) and _told(found) == _told(read)


class ReflectionStore(Store):
    """Reads the evidence of reflections, and writes their insights in one transaction."""

    async def due(
        self, tenant: str, threshold: float, *, user_id: str | None, limit: int
    ) -> Sequence[ReflectionBacklog]:
        """Return users with a backlog of more than `threshold`, the largest first."""
        found = await self._fetch(_SQL["due"], tenant, threshold, user_id, limit)
        return [ReflectionBacklog(**row) for row in found]

    async def observed(self, tenant: str, user_id: str, most: int) -> ReflectionEvidence:
        """Return the latest enriched messages of a user that are not archived."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["observations"], tenant, user_id, most)
            names = await connection.fetch(_SQL["own_names"], tenant, user_id)
        return ReflectionEvidence([rows.memory(row) for row in found], [row["object"] for row in names])

    async def reflect(
        self, tenant: str, one: ReflectionBacklog, reflections: Sequence[Reflection], at: datetime
    ) -> derived_memories.SuccessionResult | None:
        """Write insights and reduce the backlog, in one transaction.

        An insight replaces a former one with the same hash, and keeps its pin and use, unless the user has
        corrected or verified that one. An insight without all of its sources is left out.

        Returns:
            The result; None if another process has reflected since: nothing is written.
        """
        whose = (tenant, one.user_id)
        async with self._database.transaction(tenant) as connection:
            await derived_memories.lock_users(connection, tenant, [one.user_id])
            about = [each.about for each in reflections]
            found = await connection.fetch(_SQL["former"], *whose, about)
            former = {row["insight_hash"]: row["id"] for row in found}
            backlog = await connection.fetchval(_SQL["lock_backlog"], *whose)
            if backlog is None or backlog < one.importance - _ROUNDING:
                return None
            successors = [
                Successor(each.memory, (former[each.about],) if each.about in former else ())
                for each in reflections
            ]
            succeeded = await derived_memories.write_successors(connection, tenant, successors, at)
            there = {progress.memory_id for progress in succeeded.written}
            noted = {each.about: each.memory.id for each in reflections if each.memory.id in there}
            await connection.execute(_SQL["note"], *whose, list(noted), list(noted.values()))
            await connection.execute(_SQL["settle"], *whose, one.importance)
        return replace(succeeded, created=sum(former.get(about) != noted[about] for about in noted))
