"""Sleep's part of the truth: who is old and weak, and the transaction that makes a synthesis of them."""

from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter
from typing import Final
from uuid import UUID

import numpy as np

from ricordo.language.temporal import EARLIEST
from ricordo.memory.compression import CompressionCandidate, is_weak, subjects_of
from ricordo.memory.model import Memory
from ricordo.memory.summaries import SessionTurn
from ricordo.store import derived, rows
from ricordo.store.database import Database
from ricordo.store.types.compressing import Place
from ricordo.store.types.stages import Progress

_SQL: Final = Database.queries("compressing")
_BEGINNING: Final = Place(EARLIEST, UUID(int=0))
_told = attrgetter(
    "user_id", "content", "language", "speaker", "participants", "importance", "access_count", "last_accessed"
)


class PostgresCompressing:
    """Implements `Compressing`."""

    def __init__(self, database: Database) -> None:
        """Read and write through `database`."""
        self._database = database

    async def users(self, tenant: str, before: datetime, after: str, limit: int) -> Sequence[str]:
        """Return users who said something before; see `Compressing.users`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["users"], tenant, after, before, limit)
        return [row["user_id"] for row in found]

    async def weak(
        self, tenant: str, user_id: str, model: str, now: datetime, *, after: Place | None, limit: int
    ) -> Sequence[CompressionCandidate]:
        """Return old and weak memories; see `Compressing.weak`."""
        place = after or _BEGINNING
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(
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
        """Return memories with their vectors; see `Compressing.sources`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["sources"], tenant, user_id, model, ids)
        return [SessionTurn(rows.memory(row), rows.vector(row["vector"])) for row in found]

    async def compress(
        self, tenant: str, synthesis: Memory, sources: Sequence[Memory], now: datetime, at: datetime
    ) -> Progress | None:
        """Write a synthesis and mark its sources, or nothing; see `Compressing.compress`."""
        ids = [one.id for one in sources]
        async with self._database.transaction(tenant) as connection:
            await derived.hold(connection, tenant, {synthesis.user_id})
            found = {row["id"]: rows.memory(row) for row in await connection.fetch(_SQL["lock"], tenant, ids)}
            if not all(_stays(found.get(one.id), one, now) for one in sources):
                return None
            written = await derived.write(connection, tenant, [synthesis], at, finished=True)
            if written:
                await connection.execute(_SQL["mark"], tenant, ids, synthesis.id)
        return written[0] if written else None


def _stays(found: Memory | None, read: Memory, now: datetime) -> bool:
    return found is not None and is_weak(found, now) and _told(found) == _told(read)
