"""Links between memories: related ones by vector, and corrections with what they correct.

All links of a user are changed under one lock, so that each change sees the ones before it whole: what a
process remembers of a user's links is right as long as their state is the one that it remembers.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final, NamedTuple
from uuid import UUID

import asyncpg
import numpy as np

from ricordo.language.annotations import Role
from ricordo.language.corrections import (
    REACH,
    UserMessage,
    concerns,
    corrected_by,
    denied_pattern,
    read_correction,
)
from ricordo.language.temporal import EARLIEST, LATEST
from ricordo.memory.links import LinkChanges, LinkedMember
from ricordo.memory.progress import Progress
from ricordo.memory.similarity import QuantizedVector
from ricordo.store import rows
from ricordo.store.database import Connection, Database, Store
from ricordo.store.rows import Vector

_SQL: Final = Database.queries("link_store")
_LAST: Final = 50  # messages of a conversation, among which are the last few of any writer
_PORTION: Final = 1000  # members that are read at once: about a megabyte


class LinkVersion(NamedTuple):
    """Version of the links of a user.

    Attributes:
        generation: another one whenever a memory has left: what was remembered does not count any more.
        number: of the last change; each takes the next.
    """

    generation: UUID
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCandidate:
    """A memory with its vector, as it stands now, and as it was linked.

    Attributes:
        stated: whether it is a memory whatever it tells, as the bot or its document says.
        vector: float32 [d], of the asked model.
        linked_model: the model by whose vectors it is linked; None when it is not.
        linked_vector: int16 [d], by which it is linked.
    """

    memory_id: UUID
    user_id: str
    content: str
    language: str
    said_at: datetime
    vector: Vector
    role: Role = Role.USER
    stated: bool = False
    linked_model: str | None = None
    linked_vector: QuantizedVector | None = None


async def link_corrections(
    connection: Connection, tenant: str, user_ids: Collection[str], memory_ids: Collection[UUID]
) -> Sequence[Progress]:
    """Find what messages correct, and which corrections mean them, now that they are there or say otherwise.

    Args:
        connection: of a transaction that holds the links of the users.
        tenant: whose messages.
        user_ids: their users.
        memory_ids: of the messages; what is none, and no row, is left out.

    Returns:
        Those whose facts are to be read again; see `LockedLinks.correct`.
    """
    found = await connection.fetch(_SQL["said"], tenant, sorted(user_ids), list(memory_ids))
    if not found:
        return ()
    new = {row["id"]: _said(row) for row in found}
    users = {row["id"]: row["user_id"] for row in found}
    correcting = [one for one in new.values() if read_correction(one.document) is not None]
    others = sorted(new.keys() - {one.id for one in correcting})
    dropped = await connection.fetch(_SQL["drop"], tenant, others)
    since = min(one.at for one in new.values())
    until = _within_calendar(max(one.at for one in new.values()), REACH)
    later = await connection.fetch(_SQL["later"], tenant, sorted(set(users.values())), since, until)
    again = [row for row in later if row["id"] not in new and _is_concerned(row, new.values(), users)]
    users |= {row["id"]: row["user_id"] for row in again}
    changed = await _relink(connection, tenant, [*correcting, *map(_said, again)], users)
    return await _read_again(connection, tenant, [*(row["correcting_id"] for row in dropped), *changed])


async def relink_corrections(
    connection: Connection,
    tenant: str,
    user_id: str,
    gone: Collection[UUID],
    conversations: Collection[str],
) -> Sequence[Progress]:
    """Find anew what corrections mean, once memories of their user have gone; as `link_corrections` does."""
    behind = await connection.fetch(_SQL["behind"], tenant, user_id, list(gone), list(conversations))
    said = [_said(row) for row in behind]
    changed = await _relink(connection, tenant, said, dict.fromkeys((one.id for one in said), user_id))
    return await _read_again(connection, tenant, changed)


async def _relink(
    connection: Connection, tenant: str, correcting: Sequence[UserMessage], users: dict[UUID, str]
) -> Sequence[UUID]:
    """Find anew what corrections mean; return those that mean something else than before."""
    if not correcting:
        return ()
    linked = [await _linked(connection, tenant, one, users[one.id]) for one in correcting]
    changed = await connection.fetch(_SQL["keep"], tenant, rows.recordset(linked))
    return [row["correcting_id"] for row in changed]


async def _read_again(connection: Connection, tenant: str, changed: Sequence[UUID]) -> Sequence[Progress]:
    """Take the stage back of what means something else than before, and of what corrects that in turn."""
    if not changed:
        return ()
    unread = await connection.fetch(_SQL["read_again"], tenant, changed)
    return [rows.progress(row) for row in unread]


async def _linked(connection: Connection, tenant: str, said: UserMessage, user_id: str) -> dict[str, object]:
    """Return the row of a correction, with what it corrects."""
    span = _within_calendar(said.at, -REACH), said.at
    pattern = denied_pattern(said.document)
    found = await connection.fetch(
        _SQL["earlier"], tenant, user_id, *span, said.conversation_id, _LAST, pattern
    )
    earlier = [_said(row) for row in found]
    corrected = await asyncio.to_thread(partial(corrected_by, said, earlier))
    return {"user_id": user_id, "correcting_id": said.id, "sent_at": said.at, "corrected_id": corrected}


def _is_concerned(row: asyncpg.Record, new: Iterable[UserMessage], users: dict[UUID, str]) -> bool:
    """Tell whether what a correction means may be another one for messages that have come."""
    said = _said(row)
    mine = [one for one in new if users[one.id] == row["user_id"]]
    return any(one.id == row["corrected_id"] or concerns(said, one) for one in mine)


def _within_calendar(instant: datetime, by: timedelta) -> datetime:
    """Return the instant moved; at its ends, where that would lie beyond the calendar."""
    try:
        return instant + by
    except OverflowError:
        return LATEST if by > timedelta() else EARLIEST


def _said(row: asyncpg.Record) -> UserMessage:
    return UserMessage(
        id=row["id"],
        message_id=row["message_id"],
        conversation_id=row["conversation_id"],
        at=row["created_at"],
        content=row["content"],
        speaker=row["speaker"],
    )


class LinkStore(Store):
    """Reads and writes links between memories.

    A memory that is erased takes its links along: nobody is related to it from that moment on. Others may
    take its place among the neighbours, when links of its user are changed next.
    """

    @asynccontextmanager
    async def hold(self, tenant: str, user_ids: Sequence[str]) -> AsyncIterator["LockedLinks"]:
        """Open a transaction that alone changes the links of these users, and commit it at the end.

        Raises:
            StoreUnavailable: nothing was written, unless it was the answer to the commit that was lost.
        """
        async with self._database.transaction(tenant) as connection:
            users = sorted(user_ids)
            await connection.execute(_SQL["lock"], tenant, users)
            found = await connection.fetch(_SQL["states"], tenant, users)
            states = {row["user_id"]: LinkVersion(row["generation"], row["number"]) for row in found}
            yield LockedLinks(connection, tenant, users, states)


class LockedLinks:
    """The links of some users in a transaction that holds their locks."""

    def __init__(
        self, connection: Connection, tenant: str, users: Sequence[str], states: Mapping[str, LinkVersion]
    ) -> None:
        """Read and write in the transaction of `connection`, which holds the lock of `users`."""
        self._connection = connection
        self._tenant = tenant
        self._users = users
        self.states = states

    async def linkable(self, model: str, memory_ids: Sequence[UUID]) -> Sequence[LinkCandidate]:
        """Return those of the users' memories that have a vector of `model` which is that of their text."""
        found = await self._connection.fetch(_SQL["linkable"], self._tenant, self._users, model, memory_ids)
        return [
            LinkCandidate(
                memory_id=row["memory_id"],
                user_id=row["user_id"],
                content=row["content"],
                language=row["language"],
                role=Role(row["role"]),
                stated=row["stated"],
                said_at=row["sent_at"],
                vector=np.frombuffer(row["vector"], dtype="<f4"),
                linked_model=row["linked_model"],
                linked_vector=None if row["linked_vector"] is None else _read(row["linked_vector"]),
            )
            for row in rows.in_order(found, memory_ids)
        ]

    async def correct(self, memory_ids: Sequence[UUID]) -> Sequence[Progress]:
        """Link the users' messages with what they correct, and later corrections with them.

        What corrects what follows from the set of messages: a repeat changes nothing.

        Returns:
            The corrections that mean something else than before, with those that correct them in turn: what
            they state is to be read again, and lacks its stage until it is.
        """
        return await link_corrections(self._connection, self._tenant, self._users, memory_ids)

    async def members(self, user_id: str, model: str, after: int) -> AsyncIterator[Sequence[LinkedMember]]:
        """Yield, some at a time, who is linked by `model` and was changed after the change of that number."""
        cursor = await self._connection.cursor(_SQL["members"], self._tenant, user_id, model, after)
        while found := await cursor.fetch(_PORTION):
            yield [
                LinkedMember(row["memory_id"], row["sent_at"], _read(row["vector"]), tuple(row["nearest"]))
                for row in found
            ]

    async def write(self, changes: Mapping[tuple[str, str], LinkChanges]) -> Mapping[str, LinkVersion]:
        """Write what has changed by user and model: neighbours, and `related_ids` of the memories.

        A memory is linked by one model at a time: who joins by one has left the other.

        Returns:
            how far the links of the users are then.
        """
        users = sorted({user for user, _ in changes})
        departed = sorted({user for (user, _), one in changes.items() if one.left})
        found = await self._connection.fetch(_SQL["advance"], self._tenant, users, departed)
        states = {row["user_id"]: LinkVersion(row["generation"], row["number"]) for row in found}
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
