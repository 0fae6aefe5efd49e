"""Ingest's part of the truth: history, memory rows, links in time, the first stage."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from ricordo.adapters.postgres import rows
from ricordo.adapters.postgres.database import Connection, Database
from ricordo.ports.memories import NewMessage, Recorded

_SQL = Database.queries("intake")


class PostgresIntake:
    """Implements `Intake`."""

    def __init__(self, database: Database) -> None:
        """Write through `database`."""
        self._database = database
        self._met: set[str] = set()  # tenants known to be listed: saves a statement per batch

    async def record(self, tenant: str, messages: Sequence[NewMessage], at: datetime) -> Sequence[Recorded]:
        """Write history, memory and stage rows in one transaction; see `Intake.record`."""
        if not messages:
            return []
        async with self._database.transaction(tenant) as connection:
            return await _Batch(connection, tenant, messages, at).record(self._met)


class _Batch:
    """One transaction's work."""

    def __init__(
        self, connection: Connection, tenant: str, messages: Sequence[NewMessage], at: datetime
    ) -> None:
        self.connection = connection
        self.tenant = tenant
        self.messages = messages
        self.at = at

    async def record(self, met: set[str]) -> list[Recorded]:
        await self._greet(met)
        conversations = sorted({message.conversation_id for message in self.messages})
        await self.connection.execute(_SQL["lock_conversations"], self.tenant, conversations)
        forgotten = {row["message_id"] for row in await self._fetch("forgotten", _identities(self.messages))}
        first = {
            message.message_id: message
            for message in reversed(self.messages)  # of a repeated id, the first in the batch stays
            if message.message_id not in forgotten
        }
        document = rows.recordset(map(_row, first.values()))
        fresh_ids = {row["message_id"] for row in await self._fetch("keep_history", document, self.at)}
        fresh = [first[message_id] for message_id in fresh_ids]
        displaced = await self._keep(fresh)
        digests = await self._digests(set(first) - fresh_ids)
        digests |= {message.message_id: message.digest for message in fresh}
        progress = {
            row["message_id"]: rows.progress(row)
            for row in await self._fetch("progress", [message.memory_id for message in first.values()])
        }
        owner = fresh[0].message_id if fresh else None  # one outcome carries what happened to the neighbours
        outcomes = []
        for message in self.messages:
            if message.message_id in forgotten:
                outcomes.append(Recorded("forgotten"))
            elif digests[message.message_id] != message.digest:
                outcomes.append(Recorded("conflict"))
            else:
                neighbours = displaced if message.message_id == owner else ()
                outcomes.append(Recorded("kept", progress[message.message_id], neighbours))
        return outcomes

    async def _greet(self, met: set[str]) -> None:
        if self.tenant not in met:
            await self.connection.execute(_SQL["known_tenant"], self.tenant)
            met.add(self.tenant)

    async def _keep(self, fresh: Sequence[NewMessage]) -> tuple[UUID, ...]:
        """Write memories and stages of what is new; return those that now follow another memory."""
        if not fresh:
            return ()
        await self._execute("begin_stages", rows.recordset(map(_row, fresh)), self.at)
        memorable = [message for message in fresh if message.memorable]
        if not memorable:
            return ()
        ids = [message.memory_id for message in memorable]
        await self._execute("keep_memories", rows.recordset(map(_row, memorable)), self.at)
        linked = await self._fetch("link_in_time", ids)
        if any(message.timezone for message in memorable):
            await self._execute("rezone", ids)
        return tuple(sorted({row["id"] for row in linked if row["displaced"]} - set(ids)))

    async def _digests(self, message_ids: set[str]) -> dict[str, bytes]:
        if not message_ids:
            return {}
        found = await self._fetch("digests", sorted(message_ids))
        return {row["message_id"]: row["digest"] for row in found}

    async def _fetch(self, name: str, *arguments: object) -> list[asyncpg.Record]:
        return await self.connection.fetch(_SQL[name], self.tenant, *arguments)

    async def _execute(self, name: str, *arguments: object) -> None:
        await self.connection.execute(_SQL[name], self.tenant, *arguments)


def _identities(messages: Sequence[NewMessage]) -> str:
    return rows.recordset(
        {"message_id": m.message_id, "user_id": m.user_id, "conversation_id": m.conversation_id}
        for m in messages
    )


def _row(message: NewMessage) -> dict[str, Any]:
    return {
        "message_id": message.message_id,
        "memory_id": str(message.memory_id),
        "user_id": message.user_id,
        "conversation_id": message.conversation_id,
        "role": message.role,
        "speaker": message.speaker,
        "content": message.content,
        "digest": message.digest.hex(),
        "said_at": message.timestamp.isoformat(),
        "timezone": message.timezone,
        "language": message.language,
        "metadata": dict(message.metadata),
        "participants": message.participants,
        "location": message.location,
        "kind": message.kind,
        "importance": message.importance,
        "tags": message.tags,
        "expires_at": None if message.expires_at is None else message.expires_at.isoformat(),
        "trust": message.trust,
        "source": message.source,
        "memorable": message.memorable,
    }
