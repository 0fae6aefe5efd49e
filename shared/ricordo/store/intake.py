"""Records new messages: history, memory rows, neighbours in time, the first stage."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID

import asyncpg

from ricordo.documents.records import NewDocument
from ricordo.language.temporal.moments import offset_name
from ricordo.memory.model import Progress
from ricordo.store import rows
from ricordo.store.database import Database, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A validated message, ready to be recorded.

    Attributes:
        digest: hash of the message; a repeated id with another digest is a conflict.
        memorable: False for a message that belongs to the history only.
        document: an attached document, whose bytes are stored already.
        bulk: whether it is processed on the bulk lane.
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
    refs: tuple[str, ...] = ()
    expires_at: datetime | None = None
    trust: float = 0.0
    source: str = "conversation"
    memorable: bool = True
    document: NewDocument | None = None
    bulk: bool = False


@dataclass(frozen=True, slots=True)
class RecordedMessage:
    """Outcome of recording a message.

    Attributes:
        status: `kept` (new, or a repeat), `conflict` (the id is taken by another content), `forgotten` (a
            tombstone covers it), `too_many` or `too_many_today` (beyond the user's quota).
        progress: the stage row, for `kept`.
        timezone_changed: messages whose time zone this one has changed: they are to be enriched
            again. Returned once; the missing stage remains.
        bulk: whether it was first recorded on the bulk lane.
    """

    status: Literal["kept", "conflict", "forgotten", "too_many", "too_many_today"]
    progress: Progress | None = None
    timezone_changed: tuple[Progress, ...] = ()
    bulk: bool = False


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

    async def record(
        self, tenant: str, messages: Sequence[NewMessage], at: datetime
    ) -> Sequence[RecordedMessage]:
        """Write history, memory and stage rows of `messages` in one transaction; return a result of each."""
        if not messages:
            return []
        found = await self._database.call(
            "record_messages",
            tenant,
            rows.recordset(_row(n, message) for n, message in enumerate(messages)),
            rows.recordset(_documents(messages)),
            _locks(messages),
            at,
            self._limits.kept,
            self._limits.kept_a_day,
            at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0),
        )
        recorded = {row["n"]: _recorded(row) for row in found if row["n"] is not None}
        if timezone_changed := tuple(rows.progress(row) for row in found if row["n"] is None):
            first = min(n for n, one in recorded.items() if one.status == "kept")
            recorded[first] = replace(
                recorded[first], timezone_changed=timezone_changed
            )  # one carries what happened to others
        return [recorded[n] for n in range(len(messages))]


def _documents(messages: Sequence[NewMessage]) -> Iterator[dict[str, Any]]:
    for n, one in enumerate(messages):
        if one.document is not None:
            yield {"n": n, "memory_id": one.memory_id, "user_id": one.user_id, **asdict(one.document)}


def _locks(messages: Sequence[NewMessage]) -> list[str]:
    conversations = {f"conversation/{message.conversation_id}" for message in messages}
    return sorted(conversations | {f"user/{message.user_id}" for message in messages})


def _recorded(row: asyncpg.Record) -> RecordedMessage:
    if row["status"] != "kept":
        return RecordedMessage(row["status"])
    return RecordedMessage("kept", rows.progress(row), bulk=row["bulk"])


def _row(n: int, message: NewMessage) -> dict[str, Any]:
    values = {one.name: getattr(message, one.name) for one in fields(message)}
    del values["document"]
    values |= {"n": n, "digest": message.digest.hex(), "metadata": dict(message.metadata)}
    return values | {"utc_offset": offset_name(message.timestamp), "sent_at": values.pop("timestamp")}
