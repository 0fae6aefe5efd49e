"""The user's word on memories, each in one transaction with what makes it safe to repeat."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from ricordo.memory.reinforcement import RecallVerdict
from ricordo.store import derived, rows
from ricordo.store.database import Connection, Database
from ricordo.store.types.curating import Corrected, UnknownMemories, Weighed, Wish
from ricordo.store.types.facts import OtherRequest
from ricordo.store.uses import Told, hold, note

_SQL = Database.queries("curating")
_SESSIONS: Final = Database.queries("sessions")

_CONFIRMED: Final = ("source", "confidence", "verified")

Outcome = dict[str, Any]
"""What came of a request, as JSON keeps it."""


class PostgresCurating:
    """Implements `Curating`."""

    def __init__(self, database: Database) -> None:
        """Read and write through `database`."""
        self._database = database

    async def feedback(
        self,
        tenant: str,
        wish: Wish,
        recall_id: UUID,
        *,
        used: Sequence[UUID],
        irrelevant: Sequence[UUID],
        at: datetime,
    ) -> Weighed:
        """Count what was used, and take back what was irrelevant; see `Curating.feedback`."""
        verdicts = dict.fromkeys(used, RecallVerdict.USED) | dict.fromkeys(
            irrelevant, RecallVerdict.IRRELEVANT
        )
        told = [Told(wish.user_id, one, recall_id, at, verdict=said) for one, said in verdicts.items()]

        async def weigh(connection: Connection) -> Outcome:
            held = await hold(connection, tenant, told)
            if unknown := [one for one in verdicts if (one, wish.user_id) not in held]:
                raise UnknownMemories(unknown)
            noted = await note(connection, tenant, told, held)
            return asdict(Weighed(noted.stronger, noted.weaker, noted.changed))

        done = await self._once(tenant, wish, at, weigh)
        return Weighed(done["used"], done["irrelevant"], tuple(map(UUID, done["changed"])))

    async def pin(
        self, tenant: str, wish: Wish, memory_id: UUID, *, pinned: bool, at: datetime
    ) -> Sequence[str]:
        """Keep a memory from fading, or let it fade again; see `Curating.pin`."""

        async def write(connection: Connection) -> Outcome:
            row = await connection.fetchrow(_SQL["pin"], tenant, wish.user_id, memory_id, pinned)
            if row is None:
                raise UnknownMemories([memory_id])
            back = ["archived_at"] if pinned and row["archived"] else []
            return {"fields": [*(["pinned"] if row["pinned"] != pinned else []), *back]}

        return tuple((await self._once(tenant, wish, at, write))["fields"])

    async def verify(
        self, tenant: str, wish: Wish, memory_id: UUID, *, verified: bool, at: datetime
    ) -> Sequence[str]:
        """Confirm a memory, or take that back; see `Curating.verify`."""

        async def write(connection: Connection) -> Outcome:
            row = await connection.fetchrow(_SQL["verify"], tenant, wish.user_id, memory_id, verified)
            if row is None:
                raise UnknownMemories([memory_id])
            return {"fields": ["verified"] if row["verified"] != verified else []}

        return tuple((await self._once(tenant, wish, at, write))["fields"])

    async def correct(
        self, tenant: str, wish: Wish, memory_id: UUID, *, content: str, language: str, at: datetime
    ) -> Corrected:
        """Let a memory say something else; see `Curating.correct`."""

        async def write(connection: Connection) -> Outcome:
            correcting = _Correcting(connection, tenant, wish.user_id, memory_id)
            return await correcting.to(content, language, at)

        async with self._database.transaction(tenant) as connection:
            done = await _once(connection, tenant, wish, at, write)
            row = await connection.fetchrow(_SQL["stages"], tenant, memory_id)
        return Corrected(
            tuple(done["fields"]),
            None if row is None else rows.progress(row),
            tuple(map(UUID, done.get("withdrawn", ()))),
        )

    async def _once(
        self, tenant: str, wish: Wish, at: datetime, do: Callable[[Connection], Awaitable[Outcome]]
    ) -> Outcome:
        async with self._database.transaction(tenant) as connection:
            return await _once(connection, tenant, wish, at, do)


async def _once(
    connection: Connection,
    tenant: str,
    wish: Wish,
    at: datetime,
    do: Callable[[Connection], Awaitable[Outcome]],
) -> Outcome:
    """Do what is wished, unless that was done already; return what came of it the first time."""
    if wish.request_id is None:
        return _plain(await do(connection))
    asked = (wish.user_id, wish.asked, at)
    if await connection.fetchval(_SQL["claim"], tenant, wish.request_id, *asked) is None:
        return await _known(connection, tenant, wish)
    outcome = _plain(await do(connection))
    await connection.execute(_SQL["keep_outcome"], tenant, wish.request_id, json.dumps(outcome))
    return outcome


@dataclass(frozen=True, slots=True)
class _Correcting:
    """One correction, as part of a transaction."""

    connection: Connection
    tenant: str
    user_id: str
    memory_id: UUID

    async def to(self, content: str, language: str, at: datetime) -> Outcome:
        """Write it, and take back what followed from the former words; return the columns that it changes."""
        await derived.hold(self.connection, self.tenant, [self.user_id])  # nobody condenses it meanwhile
        other = (self.tenant, self.user_id, self.memory_id, content)
        row = await self.connection.fetchrow(_SQL["says_otherwise"], *other)
        gone = () if row is None else await derived.unmake(self.connection, self.tenant, rows.memory(row))
        held = await self.connection.fetchrow(_SQL["hold_memory"], self.tenant, self.user_id, self.memory_id)
        if held is None:
            raise UnknownMemories([self.memory_id])
        if held["content"] == content:
            if held["corrected"]:
                return {"fields": [], "withdrawn": []}
            await self._execute("confirm")
            return {"fields": _CONFIRMED, "withdrawn": []}
        await self._execute("correct", content, language)
        await self._execute("unencode")
        await self._execute("take_back_stages")
        await self.connection.execute(_SESSIONS["reread"], self.tenant, self.memory_id, at)
        return {"fields": ["content", "language", *_CONFIRMED], "withdrawn": list(gone)}

    async def _execute(self, name: str, *arguments: object) -> None:
        await self.connection.execute(_SQL[name], self.tenant, self.memory_id, *arguments)


async def _known(connection: Connection, tenant: str, wish: Wish) -> Outcome:
    """Return what came of a request that was made before.

    Raises:
        OtherRequest: it asked for something else.
    """
    row = await connection.fetchrow(_SQL["kept_request"], tenant, wish.request_id)
    if row is None or row["asked"] != wish.asked:
        raise OtherRequest(f"the request {wish.request_id} is known for something else")
    outcome: Outcome = json.loads(row["outcome"])
    return outcome


def _plain(outcome: Outcome) -> Outcome:
    """Return an outcome as it is read back, be it new or known."""
    read: Outcome = json.loads(json.dumps(outcome, default=str))
    return read
