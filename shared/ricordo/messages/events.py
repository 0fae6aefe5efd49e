"""The events: what bots publish, and what the workers derive from it."""

from datetime import UTC, datetime
from typing import Annotated, ClassVar, Final, Self
from uuid import UUID

from pydantic import ConfigDict, Field

from ricordo.messages.enumerations import ArchiveReason, ForgetScope, MemoryKind, Role
from ricordo.messages.ids import UNSTAMPED
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
    Message,
    Metadata,
    OptionalLabel,
    TimeZone,
    Unit,
)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MemoryIds = Annotated[tuple[UUID, ...], Field(min_length=1, max_length=1000)]


class AttachedDocument(Message):
    """A mail, a PDF, a transcript that a message brings along."""

    model_config = ConfigDict(title="Document")

    name: Label
    media_type: Annotated[str, Field(pattern=r"^[\x21-\x7e]+/[\x21-\x7e]+( *;.*)?$", max_length=256)]
    data: Base64


class MessageReceived(Message):
    """Something was said. The one event that a bot must know."""

    name: ClassVar[str] = "message.received"

    id: Id
    """The bot's idempotency key, unique in the tenant."""
    user_id: Id
    """Whose memory this becomes."""
    conversation_id: Id
    role: Role
    content: Content
    timestamp: Instant
    """When it was said."""
    speaker: OptionalLabel = None
    """The name of who said it."""
    participants: Labels = ()
    timezone: TimeZone = None
    """The user's time zone; without it, the last one known, then UTC."""
    language: Language = None
    location: OptionalLabel = None
    metadata: Metadata = Field(default_factory=dict)
    kind: MemoryKind | None = None
    """Where it is missing, one of the first five is inferred."""
    importance: Unit | None = None
    tags: Labels = ()
    expires_at: Instant | None = None
    """From this instant on the memory is archived."""
    trust: Annotated[float, Field(strict=True, ge=0, le=5)] = 0.0
    """How close the user and the bot are, 0 to 5."""
    document: AttachedDocument | None = None


class MessageImported(MessageReceived):
    """Something that was said long ago: the same body, on the lane that delays nobody."""

    name: ClassVar[str] = "message.imported"


class SessionEnded(Message):
    """A conversation came to its end."""

    name: ClassVar[str] = "session.ended"

    user_id: Id
    conversation_id: Id
    timestamp: Instant


class DerivedEvent(Message):
    """What a worker tells the others: ids and counts, never the content of a message.

    A handler leaves `id` and `at` alone; the runtime stamps them before it publishes.
    """

    name: ClassVar[str]

    id: UUID = UNSTAMPED
    at: Instant = _EPOCH
    """When it happened."""
    user_id: Id
    conversation_id: Id | None = None
    message_id: Id | None = None
    memory_id: UUID | None = None

    @property
    def is_stamped(self) -> bool:
        """Whether the event has its id and its instant."""
        return self.id != UNSTAMPED and self.at != _EPOCH

    def stamp(self, id: UUID, at: datetime) -> Self:  # noqa: A002 - named as the field it sets
        """Return the event with its id and instant; what the handler had set itself stays.

        Args:
            id: see `ricordo.messages.ids.derived_id`.
            at: aware.
        """
        return self.model_copy(
            update={
                "id": id if self.id == UNSTAMPED else self.id,
                "at": at.astimezone(UTC) if self.at == _EPOCH else self.at,
            }
        )


class MemoryCreated(DerivedEvent):
    """A message became a memory row, or a memory was made that no message is behind.

    It comes again, under another `id`, when a correction changes the words of a message, or its facts.
    """

    name: ClassVar[str] = "memory.created"

    memory_id: UUID
    preceding_id: UUID | None = None
    """The memory before it in its conversation."""
    following_id: UUID | None = None
    """The memory after it, when the message came late: its surroundings changed too."""


class MemoryEncoded(DerivedEvent):
    """A memory has its vector."""

    name: ClassVar[str] = "memory.encoded"

    memory_id: UUID
    model: Label
    """The embedding model that made it."""
    fallback: Flag = False
    """Whether that was the fallback model."""


class MemoryEnriched(DerivedEvent):
    """A memory has its emotion, importance, topics, participants and time fields."""

    name: ClassVar[str] = "memory.enriched"

    memory_id: UUID
    version: Label
    """Version of what derived them."""


class MemoryIndexed(DerivedEvent):
    """A memory can be found by meaning."""

    name: ClassVar[str] = "memory.indexed"

    memory_id: UUID
    model: Label
    """The embedding model whose collection holds the point."""


class FactsExtracted(DerivedEvent):
    """A message was read for facts; it may hold none."""

    name: ClassVar[str] = "facts.extracted"

    conversation_id: Id
    message_id: Id
    memory_id: UUID
    facts: Count
    """How many facts the message supports."""
    fact_ids: tuple[UUID, ...] = ()
    """Which: those of `new` and of `reinforced`."""
    new: tuple[UUID, ...] = ()
    """Those that were not known before it."""
    reinforced: tuple[UUID, ...] = ()
    """Those that were known."""
    superseded: tuple[UUID, ...] = ()
    """Facts that held until this message said otherwise."""
    disputed: tuple[UUID, ...] = ()
    """Facts that it supports, or speaks against, and that stand disputed."""
    contradictions: Count = 0


class MemoryRemembered(DerivedEvent):
    """All stages of a message are complete: the bot's receipt.

    Its id is UUIDv5 of the OID namespace and `<tenant>/<message id>/remembered`, however often it comes.
    """

    name: ClassVar[str] = "memory.remembered"

    conversation_id: Id
    message_id: Id
    memory_id: UUID


class MemoryAccessed(DerivedEvent):
    """A recall returned memories."""

    name: ClassVar[str] = "memory.accessed"

    recall_id: UUID
    memory_ids: MemoryIds
    """In the order of the reply."""


class MemoryChanged(DerivedEvent):
    """Columns of memories changed."""

    name: ClassVar[str] = "memory.changed"

    memory_ids: MemoryIds
    fields: tuple[Label, ...] = ()
    """The names of the columns."""


class MemoryDecayed(DerivedEvent):
    """Time passed over memories of one user."""

    name: ClassVar[str] = "memory.decayed"

    memory_ids: MemoryIds


class MemoryArchived(DerivedEvent):
    """Memories left the hot index; their rows stay."""

    name: ClassVar[str] = "memory.archived"

    memory_ids: MemoryIds
    reason: ArchiveReason


class MemoryCompressed(DerivedEvent):
    """Memories were condensed into a synthesis, whose id is `memory_id`."""

    name: ClassVar[str] = "memory.compressed"

    memory_id: UUID
    memory_ids: MemoryIds
    """The sources."""


class MemoryReflected(DerivedEvent):
    """An insight was drawn, whose id is `memory_id`."""

    name: ClassVar[str] = "memory.reflected"

    memory_id: UUID
    source_ids: MemoryIds


class MemoryForgotten(DerivedEvent):
    """Memories were erased at the user's request, and never come back."""

    name: ClassVar[str] = "memory.forgotten"

    scope: ForgetScope
    memory_ids: Annotated[tuple[UUID, ...], Field(max_length=1000)] = ()
    """The erased memories; empty when all of a conversation or user went at once."""


class SessionSummarized(DerivedEvent):
    """A conversation has its summary, whose id is `memory_id`."""

    name: ClassVar[str] = "session.summarized"

    conversation_id: Id
    memory_id: UUID
    messages: Count
    """How many messages it covers."""
    source_ids: tuple[UUID, ...] = ()
    start: Instant
    end: Instant
