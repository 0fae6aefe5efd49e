"""Writes new messages: history, memory rows, links in time, the first stage."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID

import asyncpg

from ricordo.documents.port import NewDocument
from ricordo.memory.progress import Progress
from ricordo.store import rows
from ricordo.store.database import Connection, Database, Store

_SQL = Database.queries("intake")
_SESSIONS = Database.queries("session_store")
_DOCUMENTS = Database.queries("document_store")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A validated message, ready to be recorded.

    Attributes:
        content: the text to keep, recalled spans removed.
        digest: hash of what makes the message itself; a repeated id with another digest is a conflict.
        memorable: False for a message that belongs to the history only.
        metadata: the bot's own values, a JSON object.
        document: what it brings along, whose bytes are kept already.
        kind, importance, expires_at: what the bot set, which wins over what is inferred; None where unset.
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
        status: `kept` (new, or a repeat of what is kept), `conflict` (the id is taken by another content),
            `forgotten` (a tombstone stands before it), `too_many` or `too_many_today` (its user has as many
            as the quota allows).
        progress: the stage row, for `kept`.
        displaced: memories that come right after this one and are indexed already: their points may show them
            behind another memory, or none. It follows from the state, so that a repeat says it again.
        rezoned: messages that lie in another zone since this one, which names it, is there: enrichment has to
            see them again. Said once; whoever misses it finds that they lack a stage.
        deferred: whether it waits to be admitted: its user has many under way.
    """

    status: Literal["kept", "conflict", "forgotten", "too_many", "too_many_today"]
    progress: Progress | None = None
    displaced: tuple[UUID, ...] = ()
    rezoned: tuple[Progress, ...] = ()
    deferred: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeLimits:
    """Limits of a user.

    Attributes:
        under_way: messages on their way to being remembered at once; the rest is deferred. None for any
            number.
        kept: messages that are kept at once; what is forgotten frees room. None for any number.
        kept_a_day: of these, messages that are taken in on one day, by UTC; None for any number.
    """

    under_way: int | None = None
    kept: int | None = None
    kept_a_day: int | None = None


class IntakeStore(Store):
    """Writes history, memory rows and their links in time, and reads deferred messages."""

    def __init__(self, database: Database, limits: IntakeLimits | None = None) -> None:
        """Write through `database`, what a user may have within `limits`; None for no limits."""
        super().__init__(database)
        self._limits = limits or IntakeLimits()
        self._met: set[str] = set()  # tenants known to be listed: saves a statement per batch

    async def record(
        self, tenant: str, messages: Sequence[NewMessage], at: datetime
    ) -> Sequence[RecordedMessage]:
        """Write history, memory and stage rows of `messages` in one transaction; one result each, in order.

        Raises:
            StoreUnavailable: nothing was written.
        """
        if not messages:
            return []
        async with self._database.transaction(tenant) as connection:
            if tenant not in self._met:
                await connection.execute(_SQL["known_tenant"], tenant)
            outcomes = await _Batch(connection, tenant, messages, at, self._limits).record()
        self._met.add(tenant)  # only now: what was rolled back is not listed
        return outcomes

    async def admit(self, tenant: str, behind: str, limit: int, at: datetime) -> Sequence[Progress]:
        """Have the oldest of one user deferred no more, and return them.

        Each is returned once: who ends before telling of it leaves it to reconciliation.

        Args:
            tenant: whose they are.
            behind: the user whose turn was last; the next one in order has the turn now.
            limit: how many at the most.
            at: the instant, from which on they have their time.

        Returns:
            None where no user behind that one has any, or another process has just taken them.

        Raises:
            StoreUnavailable: nothing was changed.
        """
        found = await self._fetch(_SQL["admit"], tenant, behind, limit, at)
        return [rows.progress(row) for row in found]


class _Batch:
    """One transaction's work."""

    def __init__(
        self,
        connection: Connection,
        tenant: str,
        messages: Sequence[NewMessage],
        at: datetime,
        limits: IntakeLimits,
    ) -> None:
        self.connection = connection
        self.tenant = tenant
        self.messages = messages
        self.at = at
        self.limits = limits
        self.day_start = at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        self.document = rows.recordset(_row(n, message) for n, message in enumerate(messages))

    async def record(self) -> list[RecordedMessage]:
        await self._execute("lock", _locks(self.messages))
        beyond = await self._beyond()
        kept = await self._fetch("keep_history", self._without(beyond), self.at)
        fresh = self._places({row["message_id"]: row["digest"] for row in kept})
        rezoned = await self._keep(fresh) if fresh else ()
        standing = await self._fetch("standing", self.document)
        if kept_out := [row["n"] for row in standing if row["forgotten"]]:
            await self._execute("keep_out", self.document, kept_out, self.at)
        outcomes = [
            beyond.get(message.message_id) or _outcome(message, row)
            for message, row in zip(self.messages, standing, strict=True)
        ]
        if rezoned:  # one of them carries what happened to the others
            outcomes[fresh[0]] = replace(outcomes[fresh[0]], rezoned=rezoned)
        return outcomes

    async def _beyond(self) -> dict[str, RecordedMessage]:
        """Return, by their ids, the messages that their users' quotas leave no room for."""
        if self.limits.kept is None and self.limits.kept_a_day is None:
            return {}
        users = sorted({message.user_id for message in self.messages})
        await self._execute("tally", users, self.day_start)
        found = await self._fetch(
            "beyond", self.document, self.limits.kept, self.limits.kept_a_day, self.day_start
        )
        return {
            row["message_id"]: RecordedMessage("too_many_today" if row["of_a_day"] else "too_many")
            for row in found
        }

    def _without(self, beyond: Collection[str]) -> str:
        if not beyond:
            return self.document
        return rows.recordset(
            _row(n, message) for n, message in enumerate(self.messages) if message.message_id not in beyond
        )

    def _places(self, kept: dict[str, bytes]) -> list[int]:
        """Find the messages that were kept: of several with the same id, the first with its content."""
        places: list[int] = []
        for n, message in enumerate(self.messages):
            if kept.get(message.message_id) == message.digest:
                places.append(n)
                del kept[message.message_id]
        return places

    async def _keep(self, fresh: Sequence[int]) -> tuple[Progress, ...]:
        """Write memories and stages of what is new, and what it changes around it; return the rezoned."""
        await self._execute("keep_memories", self.document, fresh, self.at)
        await self._execute("begin_stages", self.document, fresh, self.at, self.limits.under_way)
        await self.connection.execute(_SESSIONS["reopen"], self.tenant, self.document, fresh, self.at)
        messages = [self.messages[n] for n in fresh]
        new = Counter(message.user_id for message in messages)
        await self._execute("count_kept", list(new), list(new.values()), self.day_start)
        await self._keep_documents(messages)
        placed = await self._fetch(
            "place", [message.message_id for message in messages], [message.memory_id for message in messages]
        )
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


def _outcome(message: NewMessage, standing: asyncpg.Record) -> RecordedMessage:
    if standing["forgotten"]:
        return RecordedMessage("forgotten")
    if standing["digest"] != message.digest:
        return RecordedMessage("conflict")
    displaced = standing["displaced"]
    return RecordedMessage(
        "kept",
        rows.progress(standing),
        displaced=() if displaced is None else (displaced,),
        deferred=standing["deferred"],
    )


def _row(n: int, message: NewMessage) -> dict[str, Any]:
    return {
        "n": n,
        "message_id": message.message_id,
        "memory_id": message.memory_id,
        "user_id": message.user_id,
        "conversation_id": message.conversation_id,
        "role": message.role,
        "speaker": message.speaker,
        "content": message.content,
        "digest": message.digest.hex(),
        "sent_at": message.timestamp,
        "timezone": message.timezone,
        "language": message.language,
        "metadata": dict(message.metadata),
        "participants": message.participants,
        "location": message.location,
        "kind": message.kind,
        "importance": message.importance,
        "tags": message.tags,
        "expires_at": message.expires_at,
        "trust": message.trust,
        "source": message.source,
        "memorable": message.memorable,
    }
