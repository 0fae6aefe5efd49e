"""Queries of memories, history and counts for retrieval, and of what belongs to one memory."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.model import Memory, Progress
from ricordo.memory.spoken_turns import SpokenTurn
from ricordo.memory.style import RegisterPatterns, StyleCounts, TopicCount
from ricordo.messages.errors import ID_TAKEN
from ricordo.messages.ids import memory_id
from ricordo.messages.listings import MemoryChange
from ricordo.messages.queries import StatsReply
from ricordo.store import rows
from ricordo.store.database import Database, Store

_SQL = Database.queries("memory_queries")
FORGOTTEN: Final = "forgotten"
"""Error code of a forgotten message."""
_PARTS: Final = ("morning", "afternoon", "evening", "night")
_COUNTS: Final = ("messages", "formal", "informal", "emoji", "questions", "sessions", "days")


@dataclass(frozen=True, slots=True)
class MessageFailure:
    """Why a message was dead-lettered, or rejected as `forgotten`.

    Attributes:
        of_another: whether the rejected message had the id of a stored one, but another content.
    """

    code: str
    reason: str
    died_at: datetime
    of_another: bool = False

    @property
    def is_forgotten(self) -> bool:
        """Whether the message was forgotten."""
        return self.code == FORGOTTEN


class MessageStatus(NamedTuple):
    """What is known of a message.

    Attributes:
        progress: its stages; None if it is not stored, or if another one has its id.
        failure: its last one.
    """

    progress: Progress | None
    failure: MessageFailure | None
    has_document: bool = False


@dataclass(frozen=True, slots=True)
class StyleStats:
    """Counts over the last messages of a user, the time of the last one, and the number of tombstones."""

    talk: StyleCounts
    until: datetime | None = None
    forgotten: int = 0


@dataclass(frozen=True, slots=True)
class StyleDelta:
    """Number of the user's messages since a count, and of all tombstones."""

    messages: int
    forgotten: int


class MemoryQueries(Store):
    """Reads memories, history and style of a user; an unknown one has none. Raises `StoreUnavailable`."""

    async def memories(self, tenant: str, user_id: str, ids: Sequence[UUID]) -> Sequence[Memory]:
        """Return the memories of `ids` that belong to the user, in any order."""
        return [rows.memory(row) for row in await self._database.read(_SQL["memories"], tenant, user_id, ids)]

    async def history(
        self,
        tenant: str,
        user_id: str,
        *,
        conversation_id: str | None,
        before: tuple[datetime, str] | None,
        limit: int,
    ) -> Sequence[SpokenTurn]:
        """Return the last `limit` turns before the (timestamp, message id) given, oldest first."""
        instant, message_id = before or (None, None)
        found = await self._fetch(
            _SQL["history"], tenant, user_id, conversation_id, instant, message_id, limit
        )
        return [
            rows.build(SpokenTurn, row, timestamp=row["sent_at"], language=row["language"] or "")
            for row in reversed(found)
        ]

    async def timeline(
        self, tenant: str, user_id: str, start: datetime, end: datetime, limit: int
    ) -> Sequence[Memory]:
        """Return informative memories created in [start, end), oldest first."""
        return [
            rows.memory(row)
            for row in await self._fetch(_SQL["timeline"], tenant, user_id, start, end, limit)
        ]

    async def status(
        self, tenant: str, message_id: str, digest: str | None = None, user_id: str | None = None
    ) -> MessageStatus:
        """Return the stages of a message, and its last failure.

        Args:
            digest: of the message in hex; if another one has the id, its failure is the conflict.
            user_id: whose deletion of the message counts; None for anybody's.
        """
        taken = None if digest is None else bytes.fromhex(digest)
        ids = memory_id(tenant, message_id), message_id
        row = await self._fetchrow(_SQL["status"], tenant, *ids, taken, user_id)
        assert row is not None  # noqa: S101 - the statement returns one
        failure = None
        if row["code"] is not None:
            reason = ID_TAKEN.format(message_id) if row["is_conflict"] else row["reason"]
            failure = MessageFailure(row["code"], reason, row["died_at"], row["of_another"])
        has_stages = row["memory_id"] is not None and not row["is_conflict"]
        return MessageStatus(rows.progress(row) if has_stages else None, failure, row["has_document"])

    async def counts(self, tenant: str, user_id: str) -> StatsReply:
        """Count the rows of the user."""
        [row] = await self._fetch(_SQL["counts"], tenant, user_id)
        return StatsReply(**dict(row))

    async def details(
        self, tenant: str, memory: Memory, decay_factor: float
    ) -> tuple[Sequence[Fact], Sequence[MemoryChange], dict[str, Any]]:
        """Return the facts that a memory supports, its changes, oldest first, and its metadata."""
        async with self._database.transaction(tenant) as connection:
            of_memory = tenant, memory.user_id, memory.id
            of_message = tenant, memory.user_id, memory.message_id
            facts = await connection.fetch(_SQL["facts"], *of_message)
            changes = await connection.fetch(_SQL["changes"], *of_memory, decay_factor)
            metadata = await connection.fetchval(_SQL["metadata"], *of_message)
        changed = [MemoryChange(**dict(row)) for row in changes]
        return [rows.fact_of(row) for row in facts], changed, json.loads(metadata or "{}")

    async def style(
        self, tenant: str, user_id: str, *, before: datetime, manners: RegisterPatterns
    ) -> StyleStats:
        """Return counts over the last messages of the user before `before`, at most 200."""
        patterns = manners.formal, manners.informal, manners.emoji
        row = await self._fetchrow(_SQL["style"], tenant, user_id, before, *patterns)
        if row is None or not row["messages"]:
            return StyleStats(StyleCounts(), None, 0 if row is None else row["forgotten"])
        low, median, high = row["lengths"]
        talk = StyleCounts(
            lengths=(low, median, high),
            lately=median if row["lately"] is None else row["lately"],
            earlier=median if row["earlier"] is None else row["earlier"],
            parts_of_day={part: row[part] for part in _PARTS},
            span_days=row["span_days"] or 0,
            topics=tuple(
                TopicCount(one["topic"], one["messages"], one["valence"])
                for one in json.loads(row["topics"] or "[]")
            ),
            **{name: row[name] for name in _COUNTS},
        )
        return StyleStats(talk, row["until"], row["forgotten"])

    async def style_delta(
        self, tenant: str, user_id: str, *, since: datetime, before: datetime, most: int
    ) -> StyleDelta:
        """Count what has changed since; at most `most` messages."""
        row = await self._fetchrow(_SQL["style_delta"], tenant, user_id, since, before, most)
        return StyleDelta(0, 0) if row is None else StyleDelta(row["messages"], row["forgotten"])
