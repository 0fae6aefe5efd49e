"""The columns that enrichment derives."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from ricordo.language.annotations import EventTime, MemoryKind, Role
from ricordo.language.corrections.corrected_messages import UserMessage
from ricordo.language.reading import Reading
from ricordo.memory.enrichment import Enrichment
from ricordo.memory.model import LocalMoment, Progress
from ricordo.store import rows
from ricordo.store.corrections import link_corrections, lock_corrections
from ricordo.store.database import Database, Store

_SQL: Final = Database.queries("enrichment")
_LAST: Final = 50  # messages of a conversation, which include the last few of any speaker


@dataclass(frozen=True, slots=True, kw_only=True)
class Unenriched:
    """A memory to enrich, with the participants that the bot has set.

    Attributes:
        message_id: None for a memory that lifecycle derived from others, and for an extract of a document.
        reading: what its text says; None where it was not read.
    """

    memory_id: UUID
    user_id: str
    message_id: str | None
    conversation_id: str
    content: str
    language: str
    role: Role
    speaker: str
    kind: MemoryKind
    created_at: datetime
    timezone: str
    stated_participants: tuple[str, ...] = ()
    reading: Reading | None = None

    @property
    def user_message(self) -> UserMessage | None:
        """The memory as a message that may correct others; None for what no user wrote."""
        if self.role is not Role.USER or self.message_id is None:
            return None
        return UserMessage(
            id=self.memory_id,
            message_id=self.message_id,
            conversation_id=self.conversation_id,
            at=self.created_at,
            content=self.content,
            speaker=self.speaker,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrichedMemory:
    """The columns that enrichment owns.

    Attributes:
        timezone: in which the times were derived. If the memory has another one by now, nothing is written;
            None does not check.
        text_hash: of the text that the values were derived from; checked like `timezone`.
        user_message: with `user_id`, the message whose corrections are linked; None links none.
    """

    memory_id: UUID
    enrichment: Enrichment
    local: LocalMoment
    event_times: tuple[EventTime, ...] = ()
    token_count: int = 0
    timezone: str | None = None
    text_hash: bytes | None = None
    user_id: str = ""
    user_message: UserMessage | None = None


@dataclass(frozen=True, slots=True)
class SavedEnrichment:
    """The stages of a message, and the version that derived its stored columns.

    Attributes:
        unread: corrections that correct another message now, whose facts are to be extracted again; all of a
            batch are with its first memory.
    """

    progress: Progress
    version: str
    unread: tuple[Progress, ...] = ()


class EnrichmentStore(Store):
    """Reads memories to enrich and writes derived columns."""

    async def load(self, tenant: str, memory_ids: Sequence[UUID]) -> Sequence[Unenriched]:
        """Return memories with what was read of them; those without a row are left out."""
        found = await self._database.call("memories_to_enrich", tenant, memory_ids)
        return [
            rows.build(
                Unenriched,
                row,
                role=Role(row["role"]),
                kind=MemoryKind(row["kind"]),
                reading=rows.reading(row["reading"]),
            )
            for row in rows.in_order(found, memory_ids)
        ]

    async def save(
        self, tenant: str, enriched: Sequence[EnrichedMemory], at: datetime
    ) -> Sequence[SavedEnrichment]:
        """Write the derived columns with their version, link corrections, and set the stage.

        Values of the bot stay, as does what use has added, and what an LLM derived, if this comes without
        one. Forgotten memories, and those whose zone or text has changed, are left out.
        """
        if not enriched:
            return []
        document = rows.recordset(map(derived_row, enriched))
        async with self._database.transaction(tenant) as connection:
            written = await connection.fetch(_SQL["save"], tenant, document, at, _users(enriched))
            saved = [
                SavedEnrichment(rows.progress(row), row["version"])
                for row in rows.in_order(written, [one.memory_id for one in enriched])
            ]
            ids = {one.progress.memory_id for one in saved}
            messages = _messages(one for one in enriched if one.memory_id in ids)
            unread = await link_corrections(connection, tenant, messages)
        return [replace(saved[0], unread=tuple(unread)), *saved[1:]] if unread else saved

    async def link_corrections(self, tenant: str, enriched: Sequence[EnrichedMemory]) -> Sequence[Progress]:
        """Link corrections alone; returns those to be read again, see `SavedEnrichment.unread`."""
        async with self._database.transaction(tenant) as connection:
            await lock_corrections(connection, tenant, _users(enriched))
            return await link_corrections(connection, tenant, _messages(enriched))


def _users(enriched: Iterable[EnrichedMemory]) -> list[str]:
    return sorted({one.user_id for one in enriched if one.user_message is not None})


def _messages(enriched: Iterable[EnrichedMemory]) -> list[tuple[str, UserMessage]]:
    return [(one.user_id, one.user_message) for one in enriched if one.user_message is not None]


def derived_row(one: EnrichedMemory) -> dict[str, Any]:
    """Return derived columns as a row for the queries `save` and `replace`."""
    return {
        **rows.columns(one.enrichment, "emotion"),
        **rows.emotion_columns(one.enrichment.emotion),
        **rows.columns(one.local, "date"),
        "local_date": one.local.date.isoformat(),
        "memory_id": one.memory_id,
        "timezone": one.timezone,
        "text_hash": None if one.text_hash is None else one.text_hash.hex(),
        "token_count": one.token_count,
        "event_start": one.event_times[0].start if one.event_times else None,
        "event_end": one.event_times[0].end if one.event_times else None,
        "event_times": rows.ranges(one.event_times),
    }
