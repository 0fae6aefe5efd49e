"""Reflections on PostgreSQL: what has accumulated, what they are drawn from, and what takes whose place."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from ricordo.memory.model import Memory, Successor
from ricordo.store import derived, rows
from ricordo.store.database import Connection, Database
from ricordo.store.types.reflecting import Accumulated, Observed, Reflected, Reflection

_SQL: Final = Database.queries("reflecting")
_ROUNDING: Final = 1e-6


async def gather(connection: Connection, tenant: str, memory_ids: Sequence[UUID]) -> None:
    """Count what users said, as part of the transaction that enriches it, before its stage is set."""
    if memory_ids:
        await connection.execute(_SQL["gather"], tenant, memory_ids)


class PostgresReflecting:
    """Implements `Reflecting`."""

    def __init__(self, database: Database) -> None:
        """Read and write through `database`."""
        self._database = database

    async def due(
        self, tenant: str, threshold: float, *, user_id: str | None, limit: int
    ) -> Sequence[Accumulated]:
        """Return users of whom much has accumulated; see `Reflecting.due`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["due"], tenant, threshold, user_id, limit)
        return [Accumulated(**row) for row in found]

    async def observed(self, tenant: str, user_id: str, most: int) -> Observed:
        """Return what a reflection is drawn from; see `Reflecting.observed`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["observations"], tenant, user_id, most)
            names = await connection.fetch(_SQL["own_names"], tenant, user_id)
        return Observed([rows.memory(row) for row in found], [row["object"] for row in names])

    async def reflect(
        self, tenant: str, one: Accumulated, reflections: Sequence[Reflection], at: datetime
    ) -> Reflected | None:
        """Write insights and settle what has accumulated; see `Reflecting.reflect`."""
        whose = (tenant, one.user_id)
        async with self._database.transaction(tenant) as connection:
            await derived.hold(connection, tenant, [one.user_id])
            former = await _former(connection, whose, [each.about for each in reflections])
            accumulated = await connection.fetchval(_SQL["lock"], *whose)
            if accumulated is None or accumulated < one.importance - _ROUNDING:
                return None
            successors = [
                Successor(each.memory, (former[each.about].id,) if each.about in former else ())
                for each in reflections
            ]
            succeeded = await derived.succeed(connection, tenant, successors, at)
            there = {progress.memory_id for progress in succeeded.written}
            noted = [each for each in reflections if each.memory.id in there]
            new = [each for each in noted if _id(former, each.about) != each.memory.id]
            ids = [each.memory.id for each in noted]
            await connection.execute(_SQL["note"], *whose, [each.about for each in noted], ids)
            await connection.execute(_SQL["settle"], *whose, one.importance)
        return Reflected(succeeded.written, len(new), tuple(succeeded.withdrawn))


async def _former(
    connection: Connection, whose: tuple[str, str], about: Sequence[UUID]
) -> Mapping[UUID, Memory]:
    found = await connection.fetch(_SQL["former"], *whose, about)
    return {row["about"]: rows.memory(row) for row in found}


def _id(former: Mapping[UUID, Memory], about: UUID) -> UUID | None:
    return former[about].id if about in former else None
