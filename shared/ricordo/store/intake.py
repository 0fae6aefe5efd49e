"""Records new messages: history, memory rows, neighbours in time, the first stage."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID

import asyncpg

from ricordo.documents.records import NewDocument
from ricordo.memory.model import Progress
from ricordo.store import rows
from ricordo.store.database import Connection, Database, Store

_SQL = Database.queries("intake")
_SESSIONS = Database.queries("session_store")
_DOCUMENTS = Database.queries("document_store")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A validated message, ready to be recorded.

    Attributes:
        digest: hash of the message; a repeated id with another digest is a conflict.
        memorable: False for a message that belongs to the history only.
        document: an attached document, whose bytes are stored already.
        kind, importance, expires_at: set by the bot, which overrides derived values; None if unset.
    """

    message_id: str
    memory_id: UUID
    user_id: str
    conversation_id: str
    role: str
    content: str
    digest: bytes
    timestamp: datetime
    speaker: str = ""
    participants: tuple[str, ...] = ()
    timezone: str | None = None
    language: str = ""
    location: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    kind: str | None = None
    importance: float | None = None
    tags: tuple[str, ...] = ()
    expires_at: datetime | None = None
    trust: float = 0.0
    source: str = "conversation"
    memorable: bool = True
    document: NewDocument | None = None


@dataclass(frozen=True, slots=True)
class RecordedMessage:
    """Outcome of recording a message.

    Attributes:
        status: `kept` (new, or a repeat), `conflict` (the id is taken by another content), `forgotten` (a
            tombstone covers it), `too_many` or `too_many_today` (beyond the user's quota).
        progress: the stage row, for `kept`.
        displaced: indexed memories right after this one, whose points contain another predecessor. It follows
            from the state, so that a repeat returns it again.
        rezoned: messages whose time zone this one has changed: they are to be enriched again. Returned once;
            the missing stage remains.
    """

    status: Literal["kept", "conflict", "forgotten", "too_many", "too_many_today"]
    progress: Progress | None = None
    displaced: tuple[UUID, ...] = ()
    rezoned: tuple[Progress, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeLimits:
    """Limits per user; None for no limit.

    Attributes:
        kept: stored messages; forgotten ones do not count.
        kept_a_day: messages stored on one day, by UTC.
    """

    kept: int | None = None
    kept_a_day: int | None = None


class IntakeStore(Store):
    """Records messages within the limits of their users."""

    def __init__(self, database: Database, limits: IntakeLimits | None = None) -> None:
        super().__init__(database)
        self._limits = limits or IntakeLimits()
        self._met: set[str] = set()  # tenants known to be listed: saves a statement per batch

    async def record(
        self, tenant: str, messages: Sequence[NewMessage], at: datetime
    ) -> Sequence[RecordedMessage]:
        """Write history, memory and stage rows of `messages` in one transaction; return a result of each."""
        if not messages:
            return []
        async with self._database.transaction(tenant) as connection:
            if tenant not in self._met:
                await connection.execute(_SQL["known_tenant"], tenant)
            outcomes = await _Batch(connection, tenant, messages, at, self._limits).record()
        self._met.add(tenant)  # only now: what was rolled back is not listed
        return outcomes


@dataclass
class _Batch:
    connection: Connection
    tenant: str
    messages: Sequence[NewMessage]
    at: datetime
    limits: IntakeLimits

    def __post_init__(self) -> None:
        self.day_start = self.at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        self.document = rows.recordset(_row(n, message) for n, message in enumerate(self.messages))

    async def record(self) -> list[RecordedMessage]:
        await self._execute("lock", _locks(self.messages))
        over_quota = await self._over_quota()
        kept = await self._fetch("keep_history", self._without(over_quota), self.at)
        fresh = self._places({row["message_id"]: row["digest"] for row in kept})
        rezoned = await self._keep(fresh) if fresh else ()
        state = await self._fetch("states", self.document)
        if forgotten := [row["n"] for row in state if row["forgotten"]]:
            await self._execute("reject_forgotten", self.document, forgotten, self.at)
        outcomes = [
            over_quota.get(message.message_id) or _outcome(message, row)
            for message, row in zip(self.messages, state, strict=True)
        ]
        if rezoned:  # one of them carries what happened to the others
            outcomes[fresh[0]] = replace(outcomes[fresh[0]], rezoned=rezoned)
        return outcomes

    async def _over_quota(self) -> dict[str, RecordedMessage]:
        if self.limits.kept is None and self.limits.kept_a_day is None:
            return {}
        users = sorted({message.user_id for message in self.messages})
        await self._execute("count_messages", users, self.day_start)
        found = await self._fetch(
            "beyond_quota", self.document, self.limits.kept, self.limits.kept_a_day, self.day_start
        )
        return {
            row["message_id"]: RecordedMessage("too_many_today" if row["of_a_day"] else "too_many")
            for row in found
        }

    def _without(self, over_quota: Collection[str]) -> str:
        if not over_quota:
            return self.document
        return rows.recordset(
            _row(n, one) for n, one in enumerate(self.messages) if one.message_id not in over_quota
        )

    def _places(self, kept: dict[str, bytes]) -> list[int]:
        """Return the places of the stored messages: of several with one id, of the first with its content."""
        places: list[int] = []
        for n, message in enumerate(self.messages):
            if kept.get(message.message_id) == message.digest:
                places.append(n)
                del kept[message.message_id]
        return places

    async def _keep(self, fresh: Sequence[int]) -> tuple[Progress, ...]:
        """Write memories and stages of new messages, update their neighbours, and return the rezoned ones."""
        await self._execute("keep_memories", self.document, fresh, self.at)
        await self._execute("begin_stages", self.document, fresh, self.at)
        await self.connection.execute(_SESSIONS["reopen"], self.tenant, self.document, fresh, self.at)
        messages = [self.messages[n] for n in fresh]
        new = Counter(message.user_id for message in messages)
        await self._execute("add_counts", list(new), list(new.values()), self.day_start)
        await self._keep_documents(messages)
        ids = [message.message_id for message in messages], [message.memory_id for message in messages]
        placed = await self._fetch("update_neighbours", *ids)
        rezoned = [row["id"] for row in placed if row["rezoned"]]
        again = await self._fetch("derive_again", rezoned) if rezoned else ()
        return tuple(map(rows.progress, again))

    async def _keep_documents(self, messages: Sequence[NewMessage]) -> None:
        brought = [
            {"memory_id": one.memory_id, "user_id": one.user_id, **asdict(one.document)}
            for one in messages
            if one.document is not None
        ]
        if brought:
            offered = rows.recordset(brought)
            await self.connection.execute(_DOCUMENTS["keep"], self.tenant, offered, self.at)

    async def _fetch(self, name: str, *arguments: object) -> list[asyncpg.Record]:
        return await self.connection.fetch(_SQL[name], self.tenant, *arguments)

    async def _execute(self, name: str, *arguments: object) -> None:
        await self.connection.execute(_SQL[name], self.tenant, *arguments)


def _locks(messages: Sequence[NewMessage]) -> list[str]:
    conversations = {f"conversation/{message.conversation_id}" for message in messages}
    return sorted(conversations | {f"user/{message.user_id}" for message in messages})


def _outcome(message: NewMessage, state: asyncpg.Record) -> RecordedMessage:
    if state["forgotten"]:
        return RecordedMessage("forgotten")
    if state["digest"] != message.digest:
        return RecordedMessage("conflict")
    displaced = state["displaced"]
    return RecordedMessage(
        "kept",
        rows.progress(state),
        displaced=() if displaced is None else (displaced,),
    )


def _row(n: int, message: NewMessage) -> dict[str, Any]:
    values = {one.name: getattr(message, one.name) for one in fields(message)}
    del values["document"]
    values |= {"n": n, "digest": message.digest.hex(), "metadata": dict(message.metadata)}
    return values | {"sent_at": values.pop("timestamp")}
