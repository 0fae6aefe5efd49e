"""Stages of a message on its way to being remembered."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypedDict
from uuid import UUID


class Stage(StrEnum):
    """A step that every message takes."""

    INGESTED = "ingested"
    ENCODED = "encoded"
    ENRICHED = "enriched"
    INDEXED = "indexed"
    EXTRACTED = "extracted"


class MessageIds(TypedDict):
    """By what names a message is known: what every event about it carries.

    Of a memory that no message is behind, the message's id is None; of one that belongs to no conversation,
    the conversation's too.
    """

    memory_id: UUID
    message_id: str | None
    user_id: str
    conversation_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The stage row of one message, or of a memory without one, as it stands after a write."""

    memory_id: UUID
    message_id: str | None
    user_id: str
    conversation_id: str | None
    ingested: datetime
    encoded: datetime | None = None
    enriched: datetime | None = None
    indexed: datetime | None = None
    extracted: datetime | None = None

    @property
    def ids(self) -> MessageIds:
        """Which message it is."""
        return {
            "memory_id": self.memory_id,
            "message_id": self.message_id,
            "user_id": self.user_id,
            "conversation_id": self.conversation_id,
        }

    @property
    def remembered(self) -> bool:
        """Whether all stages are done."""
        return None not in (self.encoded, self.enriched, self.indexed, self.extracted)
