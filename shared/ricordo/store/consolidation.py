"""Syntheses of old and weak memories, and reflections."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Final
from uuid import UUID

import numpy as np

from ricordo.language.temporal import EARLIEST
from ricordo.memory.compression import CompressionCandidate, is_weak, subjects_of
from ricordo.memory.model import Memory, Successor
from ricordo.memory.progress import Progress
from ricordo.memory.reflection.observations import ReflectionEvidence
from ricordo.memory.summaries import SessionTurn
from ricordo.store import derived_memories, rows
from ricordo.store.database import Connection, Database, Store

_SQL: Final = Database.queries("consolidation")
_told = attrgetter(
    "user_id", "content", "language", "speaker", "participants", "importance", "access_count", "last_accessed"
)
_ROUNDING: Final = 1e-6


@dataclass(frozen=True, slots=True)
class MemoryPosition:
    """Position of a memory in the order of time and id; reading continues behind it."""

    created_at: datetime
    id: UUID


@dataclass(frozen=True, slots=True)
class ReflectionBacklog:
    """A user whose messages since the last reflection exceed a threshold of importance.

    Attributes:
        importance: the sum, from 1 to 10 each, of what they said since the last reflection.
    """

    user_id: str
    importance: float


@dataclass(frozen=True, slots=True)
class Reflection:
    """An insight, ready to be remembered.

    Attributes:
        about: a hash of what it says of whom: an earlier insight with the same one gives way to it.
    """

    about: UUID
    memory: Memory


@dataclass(frozen=True, slots=True)
class ReflectionResult:
    """Result of a reflection.

    Attributes:
        written: the stages of its insights that are there now, in their order.
        created: how many of them were not there before.
        withdrawn: former insights that have given way to some of these.
    """

    written: Sequence[Progress]
    created: int
    withdrawn: Sequence[UUID]


_BEGINNING: Final = MemoryPosition(EARLIEST, UUID(int=0))


class CompressionStore(Store):
    """Reads candidates of compression in slices, and writes a synthesis of them in one transaction."""

    async def users(self, tenant: str, before: datetime, after: str, limit: int) -> Sequence[str]:
        """Return users, in order, who said something before `before`.

        Args:
            tenant: whose users.
            before: aware.
            after: the user behind whom to go on; "" to begin with the first.
            limit: how many at the most.
        """
        found = await self._fetch(_SQL["users"], tenant, after, before, limit)
        return [row["user_id"] for row in found]

    async def weak(
        self,
        tenant: str,
        user_id: str,
        model: str,
        now: datetime,
        *,
        after: MemoryPosition | None,
        limit: int,
    ) -> Sequence[CompressionCandidate]:
        """Return memories that `ricordo.memory.compression.is_weak` holds for, in the order of time.

        Those that are not enriched yet, or have no vector of `model`, are left out.
        """
        place = after or _BEGINNING
        found = await self._fetch(
            _SQL["weak"], tenant, user_id, model, now, place.created_at, place.id, limit
        )
        return [
            CompressionCandidate(
                id=row["id"],
                created_at=row["created_at"],
                language=row["language"],
                about=subjects_of(row["participants"], row["speaker"]),
                vector=np.frombuffer(row["vector"], dtype="<f4"),
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
            tenant: whose.
            synthesis: a memory without a message.
            sources: those that it was made of, as they were read.
            now: for which they must still be old and weak.
            at: when the synthesis is stored.

        Returns:
            The stages of the synthesis; None where a source was used, changed, forgotten or compressed since
            it was read: then nothing is written.

        Raises:
            StoreUnavailable: nothing was written, unless it was the answer that was lost.
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


async def count_for_reflection(connection: Connection, tenant: str, memory_ids: Sequence[UUID]) -> None:
    """Count what users said, as part of the transaction that enriches it, before its stage is set."""
    if memory_ids:
        await connection.execute(_SQL["gather"], tenant, memory_ids)


class ReflectionStore(Store):
    """Reads what reflections are drawn from, and writes their insights in one transaction."""

    async def due(
        self, tenant: str, threshold: float, *, user_id: str | None, limit: int
    ) -> Sequence[ReflectionBacklog]:
        """Return users of whom more than `threshold` has accumulated, the most first."""
        found = await self._fetch(_SQL["due"], tenant, threshold, user_id, limit)
        return [ReflectionBacklog(**row) for row in found]

    async def observed(self, tenant: str, user_id: str, most: int) -> ReflectionEvidence:
        """Return the latest enriched memories of what a user said, archived ones left out."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["observations"], tenant, user_id, most)
            names = await connection.fetch(_SQL["own_names"], tenant, user_id)
        return ReflectionEvidence([rows.memory(row) for row in found], [row["object"] for row in names])

    async def reflect(
        self, tenant: str, one: ReflectionBacklog, reflections: Sequence[Reflection], at: datetime
    ) -> ReflectionResult | None:
        """Write insights and take what they were drawn from off what has accumulated, in one transaction.

        An insight takes the place of a former one about the same, and keeps its pin and what use has made of
        it. One that the user corrected or verified stays as it is. One of whose sources any is gone is left
        out.

        Args:
            tenant: whose.
            one: as it was when it was read.
            reflections: about something different each.
            at: when they are stored.

        Returns:
            What was written; None where somebody else has reflected since: then nothing is.

        Raises:
            StoreUnavailable: nothing was written, unless it was the answer that was lost.
        """
        whose = (tenant, one.user_id)
        async with self._database.transaction(tenant) as connection:
            await derived_memories.lock_users(connection, tenant, [one.user_id])
            former = await _former(connection, whose, [each.about for each in reflections])
            accumulated = await connection.fetchval(_SQL["lock_backlog"], *whose)
            if accumulated is None or accumulated < one.importance - _ROUNDING:
                return None
            successors = [
                Successor(each.memory, (former[each.about].id,) if each.about in former else ())
                for each in reflections
            ]
            succeeded = await derived_memories.write_successors(connection, tenant, successors, at)
            there = {progress.memory_id for progress in succeeded.written}
            noted = [each for each in reflections if each.memory.id in there]
            new = [each for each in noted if _id(former, each.about) != each.memory.id]
            ids = [each.memory.id for each in noted]
            await connection.execute(_SQL["note"], *whose, [each.about for each in noted], ids)
            await connection.execute(_SQL["settle"], *whose, one.importance)
        return ReflectionResult(succeeded.written, len(new), tuple(succeeded.withdrawn))


async def _former(
    connection: Connection, whose: tuple[str, str], about: Sequence[UUID]
) -> Mapping[UUID, Memory]:
    found = await connection.fetch(_SQL["former"], *whose, about)
    return {row["insight_hash"]: rows.memory(row) for row in found}


def _id(former: Mapping[UUID, Memory], about: UUID) -> UUID | None:
    return former[about].id if about in former else None
