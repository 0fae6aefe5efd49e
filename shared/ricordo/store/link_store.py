"""Links between memories: related ones by vector, and corrections with what they correct.

All links of a user are changed under one lock: what a process has cached of them is valid as long as their
version is the cached one.
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
from ricordo.memory.model import Progress
from ricordo.memory.similarity import QuantizedVector
from ricordo.store import rows
from ricordo.store.database import Connection, Database, Store
from ricordo.store.rows import Vector

_SQL: Final = Database.queries("link_store")
_LAST: Final = 50  # messages of a conversation, which include the last few of any speaker
_PORTION: Final = 1000  # members read at once: about a megabyte


class LinkVersion(NamedTuple):
    """Version of the links of a user.

    Attributes:
        generation: changes whenever a memory is removed: caches are invalid then.
        number: of the last change.
    """

    generation: UUID
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCandidate:
    """A memory to link.

    Attributes:
        stated: whether the bot has set its kind or importance, or it is an extract: it is linked in any case.
        vector: float32 [d], of the requested model.
        linked_vector: int16 [d], by which it is linked.
    """

    memory_id: UUID
    user_id: str
    content: str
    language: str
    sent_at: datetime
    vector: Vector
    role: Role = Role.USER
    stated: bool = False
    linked_model: str | None = None
    linked_vector: QuantizedVector | None = None


async def relink_corrections(
    connection: Connection,
    tenant: str,
    user_id: str,
    gone: Collection[UUID],
    conversations: Collection[str],
) -> Sequence[Progress]:
    """Link corrections anew once memories of their user have gone, as `LockedLinks.correct` does."""
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
    """Reset the stage of changed corrections, and of those that correct them in turn."""
    if not changed:
        return ()
    unread = await connection.fetch(_SQL["read_again"], tenant, changed)
    return [rows.progress(row) for row in unread]


async def _linked(connection: Connection, tenant: str, said: UserMessage, user_id: str) -> dict[str, object]:
    """Return the row of a correction, with the corrected message."""
    span = _within_calendar(said.at, -REACH), said.at
    pattern = denied_pattern(said.document)
    found = await connection.fetch(
        _SQL["earlier"], tenant, user_id, *span, said.conversation_id, _LAST, pattern
    )
    earlier = [_said(row) for row in found]
    corrected = await asyncio.to_thread(partial(corrected_by, said, earlier))
    return {"user_id": user_id, "correcting_id": said.id, "sent_at": said.at, "corrected_id": corrected}


def _is_concerned(row: asyncpg.Record, new: Iterable[UserMessage], users: dict[UUID, str]) -> bool:
    """Tell whether new messages may change what a correction corrects."""
    said = _said(row)
    mine = [one for one in new if users[one.id] == row["user_id"]]
    return any(one.id == row["corrected_id"] or concerns(said, one) for one in mine)


def _within_calendar(instant: datetime, by: timedelta) -> datetime:
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

    An erased memory is removed from `related_ids` of others at once; others take its place among the
    neighbours with the next change of the user's links.
    """

    @asynccontextmanager
    async def lock(self, tenant: str, user_ids: Sequence[str]) -> AsyncIterator["LockedLinks"]:
        """Open a transaction that holds the link locks of these users."""
        async with self._database.transaction(tenant) as connection:
            users = sorted(user_ids)
            await connection.execute(_SQL["lock"], tenant, users)
            found = await connection.fetch(_SQL["versions"], tenant, users)
            versions = {row["user_id"]: LinkVersion(row["generation"], row["number"]) for row in found}
            yield LockedLinks(connection, tenant, users, versions)


class LockedLinks:
    """The links of users, in a transaction that holds their locks."""

    def __init__(
        self, connection: Connection, tenant: str, users: Sequence[str], versions: Mapping[str, LinkVersion]
    ) -> None:
        self._connection = connection
        self._tenant = tenant
        self._users = users
        self.versions = versions

    async def linkable(self, model: str, memory_ids: Sequence[UUID]) -> Sequence[LinkCandidate]:
        """Return memories of the users that have a vector of `model` and their present text."""
        found = await self._connection.fetch(_SQL["linkable"], self._tenant, self._users, model, memory_ids)
        return [
            LinkCandidate(
                memory_id=row["memory_id"],
                user_id=row["user_id"],
                content=row["content"],
                language=row["language"],
                role=Role(row["role"]),
                stated=row["stated"],
                sent_at=row["sent_at"],
                vector=np.frombuffer(row["vector"], dtype="<f4"),
                linked_model=row["linked_model"],
                linked_vector=None if row["linked_vector"] is None else _read(row["linked_vector"]),
            )
            for row in rows.in_order(found, memory_ids)
        ]

    async def correct(self, memory_ids: Sequence[UUID]) -> Sequence[Progress]:
        """Link messages with what they correct, and with later corrections of them.

        The links follow from the set of messages: a repeat changes nothing.

        Returns:
            The corrections that now correct another message, and those that correct them in turn; the stage
            `extracted` of all is reset.
        """
        connection, tenant = self._connection, self._tenant
        found = await connection.fetch(_SQL["messages"], tenant, sorted(self._users), list(memory_ids))
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

    async def members(self, user_id: str, model: str, after: int) -> AsyncIterator[Sequence[LinkedMember]]:
        """Yield members linked by `model` that were changed after the change of that number, in portions."""
        cursor = await self._connection.cursor(_SQL["members"], self._tenant, user_id, model, after)
        while found := await cursor.fetch(_PORTION):
            yield [
                LinkedMember(row["memory_id"], row["sent_at"], _read(row["vector"]), tuple(row["nearest"]))
                for row in found
            ]

    async def write(self, changes: Mapping[tuple[str, str], LinkChanges]) -> Mapping[str, LinkVersion]:
        """Write changes by user and model: neighbours, and `related_ids` of memories.

        A memory is linked by one model at a time. Returns the new versions of the users' links.
        """
        users = sorted({user for user, _ in changes})
        departed = sorted({user for (user, _), one in changes.items() if one.left})
        found = await self._connection.fetch(_SQL["advance"], self._tenant, users, departed)
        versions = {row["user_id"]: LinkVersion(row["generation"], row["number"]) for row in found}
        await self._execute("relate", _related(changes.values()))
        if left := [one for each in changes.values() for one in each.left]:
            await self._execute("leave", left)
        numbered = {key: versions[key[0]].number for key in changes}
        await self._join(changes, numbered)
        rearranged = [
            {"memory_id": memory_id, "number": numbered[key], "nearest": nearest}
            for key, one in changes.items()
            for memory_id, nearest in one.nearest.items()
        ]
        if rearranged:
            await self._execute("rearrange", rows.recordset(rearranged))
        return versions

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
    """Return the related memories of each; of one that has changed its model, by the new one."""
    related: dict[UUID, tuple[UUID, ...]] = {}
    for one in changes:
        related |= dict.fromkeys(one.left, ())
    for one in changes:
        related |= {
            memory_id: others for memory_id, others in one.related.items() if memory_id not in one.left
        }
    return rows.recordset({"memory_id": each, "related": others} for each, others in related.items())


def _read(raw: bytes) -> QuantizedVector:
    return np.frombuffer(raw, dtype="<i2")


def _write(vector: QuantizedVector) -> bytes:
    return np.ascontiguousarray(vector, dtype="<i2").tobytes()
