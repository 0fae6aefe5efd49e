"""The events: what bots publish, and what the workers derive from it."""

import hashlib
from datetime import UTC, datetime
from typing import Annotated, ClassVar, Final, Self
from uuid import UUID

from pydantic import ConfigDict, Field

from ricordo.language.annotations import MemoryKind, Role
from ricordo.messages.enumerations import ArchiveReason, ForgetScope
from ricordo.messages.ids import UNSTAMPED
from ricordo.messages.inputs import Input
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

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MemoryIds = Annotated[tuple[UUID, ...], Field(min_length=1, max_length=1000)]


class AttachedDocument(Message):
    """A document attached to a message, such as a mail, a PDF or a transcript."""

    model_config = ConfigDict(title="Document")

    name: Label
    media_type: Annotated[str, Field(pattern=r"^[\x21-\x7e]+/[\x21-\x7e]+( *;.*)?$", max_length=256)]
    data: Base64


class MessageReceived(Input):
    """A message was sent. The only event that a bot must publish."""

    name: ClassVar[str] = "message.received"

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


class MessageImported(MessageReceived):
    """A past message, with the same body as `message.received`; it is processed on the bulk lane."""

    name: ClassVar[str] = "message.imported"


class SessionEnded(Message):
    """A session of a conversation ended."""

    name: ClassVar[str] = "session.ended"

    user_id: Id
    conversation_id: Id
    timestamp: Instant


class DerivedEvent(Message):
    """An event of a worker. It carries ids and counts, never the content of a message.

    A handler leaves `id` and `at` alone; the runtime stamps them before it publishes.
    """

    name: ClassVar[str]
    lane_of: ClassVar[str] = ""
    """The event that this is the bulk lane of: both have the same id for the same cause."""

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
    """A memory was stored for a message, or derived without one.

    Published again, under another `id`, when a correction changes the text of a message, or when it was read
    after another one than now stands before it.
    """

    name: ClassVar[str] = "memory.created"

    memory_id: UUID
    preceding_id: UUID | None = None
    """The preceding memory of its conversation."""
    following_id: UUID | None = None
    """The following memory, if the message arrived late: its context changed too."""


class MemoryCreatedBulk(MemoryCreated):
    """The same as `memory.created`, on the bulk lane: of imports, and of messages beyond a user's burst."""

    name: ClassVar[str] = "memory.created.bulk"
    lane_of: ClassVar[str] = MemoryCreated.name


class MemoryEncoded(DerivedEvent):
    """The vector of a memory was computed."""

    name: ClassVar[str] = "memory.encoded"

    memory_id: UUID
    model: Label
    """The embedding model of the vector."""
    fallback: Flag = False
    """Whether the fallback model was used."""


class MemoryEnriched(DerivedEvent):
    """Emotion, importance, topics, participants and time fields of a memory were derived."""

    name: ClassVar[str] = "memory.enriched"

    memory_id: UUID
    version: Label
    """The version of the rules and model that derived them."""


class MemoryIndexed(DerivedEvent):
    """A memory was indexed and can be found by meaning."""

    name: ClassVar[str] = "memory.indexed"

    memory_id: UUID
    model: Label
    """The embedding model whose collection holds the point."""


class FactsRequested(DerivedEvent):
    """The facts of a message are to be extracted again, from what was read."""

    name: ClassVar[str] = "facts.requested"

    memory_id: UUID


class FactsExtracted(DerivedEvent):
    """The facts of a message were extracted; there may be none."""

    name: ClassVar[str] = "facts.extracted"

    conversation_id: Id
    message_id: Id
    memory_id: UUID
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


class MemoryRemembered(DerivedEvent):
    """All stages of a message are complete: the receipt for the bot.

    Its id is UUIDv5 of the OID namespace and `<tenant>/<message id>/remembered`, also if it is repeated.
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
    """A pass of decay archived memories of a user; published once a pass and user."""

    name: ClassVar[str] = "memory.decayed"

    memory_ids: MemoryIds
    """At most the first thousand; `memory.archived` names all."""
    archived: Count = 0
    """How many were archived."""


class MemoryArchived(DerivedEvent):
    """Memories were archived; their rows are kept."""

    name: ClassVar[str] = "memory.archived"

    memory_ids: MemoryIds
    reason: ArchiveReason


class MemoryCompressed(DerivedEvent):
    """Memories were condensed into a synthesis, whose id is `memory_id`."""

    name: ClassVar[str] = "memory.compressed"

    memory_id: UUID
    memory_ids: MemoryIds
    """The condensed memories."""


class MemoryReflected(DerivedEvent):
    """An insight was derived, whose id is `memory_id`."""

    name: ClassVar[str] = "memory.reflected"

    memory_id: UUID
    source_ids: MemoryIds


class MemoryForgotten(DerivedEvent):
    """Memories were erased for good at the user's request."""

    name: ClassVar[str] = "memory.forgotten"

    scope: ForgetScope
    memory_ids: Annotated[tuple[UUID, ...], Field(max_length=1000)] = ()
    """The erased memories; empty if a whole conversation or user was erased."""


class SessionSummarized(DerivedEvent):
    """A session was summarized in a memory, whose id is `memory_id`."""

    name: ClassVar[str] = "session.summarized"

    conversation_id: Id
    memory_id: UUID
    messages: Count
    """The number of messages that it covers."""
    source_ids: tuple[UUID, ...] = ()
    start: Instant
    end: Instant
