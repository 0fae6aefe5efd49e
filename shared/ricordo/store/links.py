"""Enrichment's part of the truth: who is near to whom, and who is related for it."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final
from uuid import UUID

import numpy as np

from ricordo.language.annotations import Role
from ricordo.memory.links import LinkChanges, LinkedMember
from ricordo.memory.similarity import QuantizedVector
from ricordo.store import rows
from ricordo.store.corrections import link_corrections
from ricordo.store.database import Connection, Database
from ricordo.store.types.links import Linkable, State
from ricordo.store.types.stages import Progress

_SQL = Database.queries("links")
_PORTION: Final = 1000  # members that are read at once: about a megabyte


class PostgresLinks:
    """Implements `Links`."""

    def __init__(self, database: Database) -> None:
        """Read and write through `database`."""
        self._database = database

    @asynccontextmanager
    async def hold(self, tenant: str, user_ids: Sequence[str]) -> AsyncIterator["PostgresHeldLinks"]:
        """Hold the links of users for one transaction; see `Links.hold`."""
        async with self._database.transaction(tenant) as connection:
            users = sorted(user_ids)
            await connection.execute(_SQL["lock"], tenant, users)
            found = await connection.fetch(_SQL["states"], tenant, users)
            states = {row["user_id"]: State(row["generation"], row["number"]) for row in found}
            yield PostgresHeldLinks(connection, tenant, users, states)


class PostgresHeldLinks:
    """Implements `HeldLinks`."""

    def __init__(
        self, connection: Connection, tenant: str, users: Sequence[str], states: Mapping[str, State]
    ) -> None:
        """Read and write in the transaction of `connection`, which holds the lock of `users`."""
        self._connection = connection
        self._tenant = tenant
        self._users = users
        self.states = states

    async def linkable(self, model: str, memory_ids: Sequence[UUID]) -> Sequence[Linkable]:
        """Return memories with their vectors; see `HeldLinks.linkable`."""
        found = await self._connection.fetch(_SQL["linkable"], self._tenant, self._users, model, memory_ids)
        return [
            Linkable(
                memory_id=row["memory_id"],
                user_id=row["user_id"],
                content=row["content"],
                language=row["language"],
                role=Role(row["role"]),
                stated=row["stated"],
                said_at=row["said_at"],
                vector=np.frombuffer(row["vector"], dtype="<f4"),
                linked_model=row["linked_model"],
                linked_vector=None if row["linked_vector"] is None else _read(row["linked_vector"]),
            )
            for row in rows.in_order(found, memory_ids)
        ]

    async def correct(self, memory_ids: Sequence[UUID]) -> Sequence[Progress]:
        """Link messages with what they correct; see `HeldLinks.correct`."""
        return await link_corrections(self._connection, self._tenant, self._users, memory_ids)

    async def members(self, user_id: str, model: str, after: int) -> AsyncIterator[Sequence[LinkedMember]]:
        """Yield who is linked, in portions; see `HeldLinks.members`."""
        cursor = await self._connection.cursor(_SQL["members"], self._tenant, user_id, model, after)
        while found := await cursor.fetch(_PORTION):
            yield [
                LinkedMember(row["memory_id"], row["said_at"], _read(row["vector"]), tuple(row["nearest"]))
                for row in found
            ]

    async def write(self, changes: Mapping[tuple[str, str], LinkChanges]) -> Mapping[str, State]:
        """Write what has changed; see `HeldLinks.write`."""
        users = sorted({user for user, _ in changes})
        departed = sorted({user for (user, _), one in changes.items() if one.left})
        found = await self._connection.fetch(_SQL["advance"], self._tenant, users, departed)
        states = {row["user_id"]: State(row["generation"], row["number"]) for row in found}
        await self._execute("relate", _related(changes.values()))
        if left := [one for each in changes.values() for one in each.left]:
            await self._execute("leave", left)
        numbered = {key: states[key[0]].number for key in changes}
        await self._join(changes, numbered)
        rearranged = [
            {"memory_id": memory_id, "number": numbered[key], "nearest": nearest}
            for key, one in changes.items()
            for memory_id, nearest in one.nearest.items()
        ]
        if rearranged:
            await self._execute("rearrange", rows.recordset(rearranged))
        return states

    async def _join(
        self, changes: Mapping[tuple[str, str], LinkChanges], numbered: Mapping[tuple[str, str], int]
    ) -> None:
        joined = [(key, member) for key, one in changes.items() for member in one.joined]
        if not joined:
            return
        document = rows.recordset(
            {
                "memory_id": member.memory_id,
                "user_id": user,
                "model": model,
                "number": numbered[user, model],
                "nearest": member.nearest,
            }
            for (user, model), member in joined
        )
        ids = [member.memory_id for _, member in joined]
        await self._execute("join", document, ids, [_write(member.vector) for _, member in joined])

    async def _execute(self, name: str, *arguments: object) -> None:
        await self._connection.execute(_SQL[name], self._tenant, *arguments)


def _related(changes: Collection[LinkChanges]) -> str:
    """Return whom each is related to; who left one model's neighbours for another's, by the latter."""
    related: dict[UUID, tuple[UUID, ...]] = {}
    for one in changes:
        related |= dict.fromkeys(one.left, ())
    for one in changes:
        related |= {
            memory_id: others for memory_id, others in one.related.items() if memory_id not in one.left
        }
    return rows.recordset({"memory_id": each, "related": others} for each, others in related.items())


def _read(raw: bytes) -> QuantizedVector:
    """Read the vector of a member: int16 [d], read-only."""
    return np.frombuffer(raw, dtype="<i2")


def _write(vector: QuantizedVector) -> bytes:
    return np.ascontiguousarray(vector, dtype="<i2").tobytes()
