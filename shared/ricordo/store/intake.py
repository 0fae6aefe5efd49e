"""Ingest's part of the truth: history, memory rows, links in time, the first stage."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

import asyncpg

from ricordo.store import rows
from ricordo.store.database import Connection, Database
from ricordo.store.types.memories import IntakeLimits, NewMessage, Recorded
from ricordo.store.types.stages import Progress

_SQL = Database.queries("intake")
_SESSIONS = Database.queries("sessions")
_DOCUMENTS = Database.queries("documents")


class PostgresIntake:
    """Implements `Intake` and `Deferred`."""

    def __init__(self, database: Database, limits: IntakeLimits | None = None) -> None:
        """Write through `database`, what a user may have within `limits`; None for no limits."""
        self._database = database
        self._limits = limits or IntakeLimits()
        self._met: set[str] = set()  # tenants known to be listed: saves a statement per batch

    async def record(self, tenant: str, messages: Sequence[NewMessage], at: datetime) -> Sequence[Recorded]:
        """Write history, memory and stage rows in one transaction; see `Intake.record`."""
        if not messages:
            return []
        async with self._database.transaction(tenant) as connection:
            if tenant not in self._met:
                await connection.execute(_SQL["known_tenant"], tenant)
            outcomes = await _Batch(connection, tenant, messages, at, self._limits).record()
        self._met.add(tenant)  # only now: what was rolled back is not listed
        return outcomes

    async def admit(self, tenant: str, behind: str, limit: int, at: datetime) -> Sequence[Progress]:
        """Have messages of the next user deferred no more; see `Deferred.admit`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["admit"], tenant, behind, limit, at)
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
        self.day_began = at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        self.document = rows.recordset(_row(n, message) for n, message in enumerate(messages))

    async def record(self) -> list[Recorded]:
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

    async def _beyond(self) -> dict[str, Recorded]:
        """Return, by their ids, the messages that their users' quotas leave no room for."""
        if self.limits.kept is None and self.limits.kept_a_day is None:
            return {}
        users = sorted({message.user_id for message in self.messages})
        await self._execute("tally", users, self.day_began)
        found = await self._fetch(
            "beyond", self.document, self.limits.kept, self.limits.kept_a_day, self.day_began
        )
        return {
            row["message_id"]: Recorded("too_many_today" if row["of_a_day"] else "too_many") for row in found
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
        await self._execute("count_kept", list(new), list(new.values()), self.day_began)
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


def _outcome(message: NewMessage, standing: asyncpg.Record) -> Recorded:
    if standing["forgotten"]:
        return Recorded("forgotten")
    if standing["digest"] != message.digest:
        return Recorded("conflict")
    displaced = standing["displaced"]
    return Recorded(
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
        "said_at": message.timestamp,
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
