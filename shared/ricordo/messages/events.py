"""The events: what bots publish, and what the workers derive from it."""

import hashlib
from typing import Annotated
from uuid import UUID

from pydantic import Field

from ricordo.language.annotations import MemoryKind, Role
from ricordo.messages.enumerations import ArchiveReason, ForgetScope
from ricordo.messages.event_items import BulkEvent, DerivedEvent, MemoryEvent, Rework, SingleEvent
from ricordo.messages.inputs import Input, NamedMessage
from ricordo.messages.message_types import (
    Base64,
    Content,
    Count,
    Flag,
    Id,
    Instant,
    Label,
    Labels,
    Language,
    LocalInstant,
    Message,
    Metadata,
    OptionalLabel,
    References,
    TimeZone,
    Unit,
)

MemoryIds = Annotated[tuple[UUID, ...], Field(min_length=1, max_length=1000)]


class AttachedDocument(Message, title="Document"):
    """A document attached to a message, such as a mail, a PDF or a transcript."""

    name: Label
    media_type: Annotated[str, Field(pattern=r"^[\x21-\x7e]+/[\x21-\x7e]+( *;.*)?$", max_length=256)]
    data: Base64


class MessageReceived(Input, NamedMessage, name="message.received"):
    """A message was sent. The only event that a bot must publish."""

    id: Id
    """The bot's idempotency key, unique in the tenant."""
    user_id: Id
    """The user who owns the memory."""
    conversation_id: Id
    role: Role
    content: Content
    timestamp: LocalInstant
    """When the message was sent; its offset counts where no time zone is known."""
    speaker: OptionalLabel = None
    """The name of the speaker."""
    participants: Labels = ()
    timezone: TimeZone = None
    """The user's time zone; by default the last one that their messages named, else the offset of
    `timestamp`."""
    language: Language = None
    location: OptionalLabel = None
    metadata: Metadata = Field(default_factory=dict)
    kind: MemoryKind | None = None
    """If null, one of the first five is inferred."""
    importance: Unit | None = None
    tags: Labels = ()
    expires_at: Instant | None = None
    """The memory is archived at this instant."""
    trust: Annotated[float, Field(strict=True, ge=0, le=5)] = 0.0
    """How close the user and the bot are, 0 to 5."""
    document: AttachedDocument | None = None
    memorize: Flag = True
    """If false, the message is stored in the history only: no memory and no fact comes of it."""
    refs: References = ()
    """The bot's own entities that it is about."""

    @property
    def digest(self) -> str:
        """The SHA-256, in hex, of what a repetition shares: user, conversation, role, content, document."""
        parts = [self.user_id, self.conversation_id, self.role.value, self.content]
        if (document := self.document) is not None:
            parts += [document.name, document.media_type, hashlib.sha256(document.data).hexdigest()]
        return hashlib.sha256("".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()


class MessageImported(MessageReceived, name="message.imported"):
    """A past message, with the same body as `message.received`; it is processed on the bulk lane."""


class SessionEnded(NamedMessage, name="session.ended"):
    """A session of a conversation ended."""

    user_id: Id
    conversation_id: Id
    timestamp: Instant


class MemoryCreated(BulkEvent, name="memory.created"):
    """A memory was stored for a message, or derived without one."""


class MemoryEncoded(BulkEvent, name="memory.encoded"):
    """The vector and the reading of a memory were computed."""

    model: Label
    """The embedding model of the vector."""
    fallback: Flag = False
    """Whether the fallback model was used."""


class MemoryEnriched(BulkEvent, name="memory.enriched"):
    """Emotion, importance, topics, participants and time fields of a memory were derived."""

    version: Label
    """The version of the rules and model that derived them."""


class MemoryIndexed(MemoryEvent, name="memory.indexed"):
    """A memory was indexed and can be found by meaning."""

    model: Label
    """The embedding model whose collection holds the point."""


class ReadingRequested(Rework, name="reading.requested"):
    """The text of a memory is to be encoded and read again, where it is not or no longer read."""


class IndexRequested(Rework, name="index.requested"):
    """The point of a memory is to be written again."""


class FactsRequested(Rework, name="facts.requested"):
    """The facts of a message are to be extracted again, from what was read."""


class FactsExtracted(MemoryEvent, name="facts.extracted"):
    """The facts of a message were extracted; there may be none."""

    conversation_id: Id
    message_id: Id
    facts: Count
    """The number of facts that the message supports."""
    fact_ids: tuple[UUID, ...] = ()
    """The ids of these facts: those in `new` and `reinforced`."""
    new: tuple[UUID, ...] = ()
    """Facts that were not known before."""
    reinforced: tuple[UUID, ...] = ()
    """Facts that were known before."""
    superseded: tuple[UUID, ...] = ()
    """Facts that this message ended."""
    disputed: tuple[UUID, ...] = ()
    """Disputed facts that the message supports or contradicts."""
    contradictions: Count = 0


class MemoryRemembered(SingleEvent, name="memory.remembered"):
    """All stages of a message are complete: the receipt for the bot.

    Its id is UUIDv5 of the OID namespace and `<tenant>/<message id>/remembered`, also if it is repeated.
    """

    conversation_id: Id
    message_id: Id
    memory_id: UUID


class MemoryAccessed(MemoryEvent, name="memory.accessed"):
    """A recall returned a memory; the items are in the order of the reply."""

    recall_id: UUID


class MemoryChanged(MemoryEvent, name="memory.changed"):
    """Columns of a memory changed."""

    fields: tuple[Label, ...] = ()
    """The names of the columns."""


class MemoryDecayed(DerivedEvent, name="memory.decayed"):
    """A pass of decay archived memories of a user; published once a pass and user."""

    archived: Count = 0
    """How many were archived; `memory.archived` names them."""


class MemoryArchived(MemoryEvent, name="memory.archived"):
    """A memory was archived; its row is kept."""

    reason: ArchiveReason


class MemoryCompressed(MemoryEvent, name="memory.compressed"):
    """Memories were condensed into a synthesis, whose id is `memory_id`."""

    memory_ids: MemoryIds
    """The condensed memories."""


class MemoryReflected(MemoryEvent, name="memory.reflected"):
    """An insight was derived, whose id is `memory_id`."""

    source_ids: MemoryIds


class MemoryForgotten(SingleEvent, name="memory.forgotten"):
    """Memories were erased for good at the user's request."""

    scope: ForgetScope
    memory_ids: Annotated[tuple[UUID, ...], Field(max_length=1000)] = ()
    """The erased memories; empty if a whole conversation or user was erased."""


class SessionSummarized(MemoryEvent, name="session.summarized"):
    """A session was summarized in a memory, whose id is `memory_id`."""

    conversation_id: Id
    messages: Count
    """The number of messages that it covers."""
    source_ids: tuple[UUID, ...] = ()
    start: Instant
    end: Instant
