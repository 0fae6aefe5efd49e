"""Feedback, pins, confirmations and corrections of memories by users."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from ricordo.memory.progress import Progress
from ricordo.memory.reinforcement import RecallVerdict
from ricordo.store import derived_memories, rows
from ricordo.store.database import Connection, Database, RequestConflict, Store
from ricordo.store.lifecycle_store import RecallUse, lock_memories, record_uses

_SQL = Database.queries("curation_store")
_SESSIONS: Final = Database.queries("session_store")
_CONFIRMED: Final = ("source", "confidence", "verified")
Outcome = dict[str, Any]
"""What came of a request, as JSON keeps it."""


class UnknownMemories(LookupError):
    """The user has no such memories.

    Attributes:
        memory_ids: those of the asked ones that there are not.
    """

    def __init__(self, memory_ids: Sequence[UUID]) -> None:
        super().__init__(f"the user has no memory {', '.join(map(str, memory_ids))}")
        self.memory_ids = tuple(memory_ids)


@dataclass(frozen=True, slots=True)
class CurationRequest:
    """Identity of a request of a user.

    Attributes:
        request_id: under which it is kept what came of it; None where it is not to be repeated.
        asked: a hash of all that is asked; a request of the same id that asks for something else is refused.
    """

    user_id: str
    request_id: str | None
    asked: bytes


@dataclass(frozen=True, slots=True)
class FeedbackResult:
    """Result of a feedback.

    Attributes:
        used, irrelevant: how many memories it made stronger and weaker.
        changed: which rows it changed.
    """

    used: int = 0
    irrelevant: int = 0
    changed: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class CorrectionResult:
    """Result of a correction.

    Attributes:
        fields: the columns that it changed; none where the memory said so already.
        progress: the stages as they stand.
        withdrawn: what had been made of the former words, and is no more.
    """

    fields: tuple[str, ...]
    progress: Progress | None
    withdrawn: tuple[UUID, ...] = ()


class CurationStore(Store):
    """Writes feedback, pins, confirmations and corrections. Each method is one transaction.

    Repeating a request changes nothing and returns the same, for as long as it is kept what came of it.

    Raises:
        UnknownMemories: the user has none of that id, or is forgotten; nothing was written.
        RequestConflict: the request is known for something else; nothing was written.
        StoreUnavailable: nothing was written.
    """

    async def feedback(
        self,
        tenant: str,
        wish: CurationRequest,
        recall_id: UUID,
        *,
        used: Sequence[UUID],
        irrelevant: Sequence[UUID],
        at: datetime,
    ) -> FeedbackResult:
        """Count what was used, unless that recall had counted it, and take back what was irrelevant.

        The last that was said of a memory in a recall holds, whether the event of the recall comes before or
        after it; see `ricordo.memory.reinforcement`.
        """
        verdicts = dict.fromkeys(used, RecallVerdict.USED) | dict.fromkeys(
            irrelevant, RecallVerdict.IRRELEVANT
        )
        told = [RecallUse(wish.user_id, one, recall_id, at, verdict=said) for one, said in verdicts.items()]

        async def weigh(connection: Connection) -> Outcome:
            held = await lock_memories(connection, tenant, told)
            if unknown := [one for one in verdicts if (one, wish.user_id) not in held]:
                raise UnknownMemories(unknown)
            noted = await record_uses(connection, tenant, told, held)
            return asdict(FeedbackResult(noted.stronger, noted.weaker, noted.changed))

        done = await self._once(tenant, wish, at, weigh)
        return FeedbackResult(done["used"], done["irrelevant"], tuple(map(UUID, done["changed"])))

    async def pin(
        self, tenant: str, wish: CurationRequest, memory_id: UUID, *, pinned: bool, at: datetime
    ) -> Sequence[str]:
        """Keep a memory from fading, or let it fade again; return the columns that this has changed.

        One that is pinned comes back from the archive.
        """

        async def write(connection: Connection) -> Outcome:
            row = await connection.fetchrow(_SQL["pin"], tenant, wish.user_id, memory_id, pinned)
            if row is None:
                raise UnknownMemories([memory_id])
            back = ["archived_at"] if pinned and row["archived"] else []
            return {"fields": [*(["pinned"] if row["pinned"] != pinned else []), *back]}

        return tuple((await self._once(tenant, wish, at, write))["fields"])

    async def verify(
        self, tenant: str, wish: CurationRequest, memory_id: UUID, *, verified: bool, at: datetime
    ) -> Sequence[str]:
        """Confirm a memory, or take that back; return the columns that this has changed."""

        async def write(connection: Connection) -> Outcome:
            row = await connection.fetchrow(_SQL["verify"], tenant, wish.user_id, memory_id, verified)
            if row is None:
                raise UnknownMemories([memory_id])
            return {"fields": ["verified"] if row["verified"] != verified else []}

        return tuple((await self._once(tenant, wish, at, write))["fields"])

    async def correct(
        self,
        tenant: str,
        wish: CurationRequest,
        memory_id: UUID,
        *,
        content: str,
        language: str,
        at: datetime,
    ) -> CorrectionResult:
        """Let a memory say something else, verified, in the user's name.

        What was derived from the former words counts no more: the stages are taken back with it. What was
        said stays in the history, and its digest, so that the message that comes again is the same message.

        Args:
            tenant: whose memory.
            wish: see there.
            memory_id: which.
            content: what it says instead; not blank.
            language: of the content; empty where it is not known: then it stays what it was.
            at: now.
        """

        async def write(connection: Connection) -> Outcome:
            correcting = _Correcting(connection, tenant, wish.user_id, memory_id)
            return await correcting.to(content, language, at)

        async with self._database.transaction(tenant) as connection:
            done = await _once(connection, tenant, wish, at, write)
            row = await connection.fetchrow(_SQL["stages"], tenant, memory_id)
        return CorrectionResult(
            tuple(done["fields"]),
            None if row is None else rows.progress(row),
            tuple(map(UUID, done.get("withdrawn", ()))),
        )

    async def _once(
        self, tenant: str, wish: CurationRequest, at: datetime, do: Callable[[Connection], Awaitable[Outcome]]
    ) -> Outcome:
        async with self._database.transaction(tenant) as connection:
            return await _once(connection, tenant, wish, at, do)


async def _once(
    connection: Connection,
    tenant: str,
    wish: CurationRequest,
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
        await derived_memories.lock_users(
            self.connection, self.tenant, [self.user_id]
        )  # nobody condenses it meanwhile
        other = (self.tenant, self.user_id, self.memory_id, content)
        row = await self.connection.fetchrow(_SQL["says_otherwise"], *other)
        gone = (
            ()
            if row is None
            else await derived_memories.withdraw_derived(self.connection, self.tenant, rows.memory(row))
        )
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


async def _known(connection: Connection, tenant: str, wish: CurationRequest) -> Outcome:
    """Return what came of a request that was made before.

    Raises:
        RequestConflict: it asked for something else.
    """
    row = await connection.fetchrow(_SQL["kept_request"], tenant, wish.request_id)
    if row is None or row["request_hash"] != wish.asked:
        raise RequestConflict(f"the request {wish.request_id} is known for something else")
    outcome: Outcome = json.loads(row["outcome"])
    return outcome


def _plain(outcome: Outcome) -> Outcome:
    """Return an outcome as it is read back, be it new or known."""
    read: Outcome = json.loads(json.dumps(outcome, default=str))
    return read
