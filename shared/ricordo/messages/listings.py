"""The queries for looking around: one memory with all that belongs to it."""

from typing import ClassVar, Literal
from uuid import UUID

from ricordo.language.annotations import MemoryKind, MemoryType, Role
from ricordo.messages.enumerations import ArchiveReason, ChangeKind
from ricordo.messages.message_types import (
    Count,
    Flag,
    Id,
    Instant,
    Message,
    Number,
    Request,
    Unit,
)
from ricordo.messages.views import FactView, MemoryView


class BriefMemoryView(Message):
    """A memory in short."""

    id: UUID
    type: MemoryType
    kind: MemoryKind
    role: Role | None = None
    """Null for a memory that was derived from several messages."""
    speaker: str | None = None
    conversation_id: Id | None = None
    content: str
    """At most 300 characters; see `truncated`."""
    truncated: Flag = False
    title: str | None = None
    created_at: Instant
    importance: Unit
    archived: Flag = False


class MemoryDetailView(MemoryView):
    """A memory in full."""

    language: str | None = None
    timezone: str
    """The zone of `time_of_day` and `day_of_week`."""
    stored_at: Instant | None = None
    expires_at: Instant | None = None
    archived_at: Instant | None = None
    access_count: Count = 0
    last_accessed: Instant | None = None
    reinforcement: Number = 0.0
    """What use has added."""
    decay_factor: Unit = 1.0
    """1 is fresh."""
    trust: Number = 0.0
    compressed: Flag = False
    """Whether a synthesis stands for it."""
    sources: tuple[UUID, ...] = ()
    """The memories that it was derived from."""


class MemoryChange(Message):
    """What changed a memory."""

    change: ChangeKind
    at: Instant | None = None
    """Null where the time is not recorded: decay, and corrections by command."""
    recall_id: UUID | None = None
    """Of a use: the recall."""
    verdict: Literal["used", "irrelevant"] | None = None
    """Of a use: the feedback, `irrelevant` took the use back."""
    memory_id: UUID | None = None
    """The message that corrects it, or the synthesis that stands for it."""
    content: str | None = None
    """Of a correction by command: the message as it was sent."""
    decay_factor: Unit | None = None
    """Of decay: what is left of its strength."""
    reason: ArchiveReason | None = None
    """Of an archived memory."""


class MemoryRequest(Request):
    """Get one memory, and what it is connected with."""

    name: ClassVar[str] = "query.memory"

    user_id: Id
    memory_id: UUID


class MemoryReply(Message):
    """A memory, its neighbours, its facts and its history."""

    memory: MemoryDetailView
    related: tuple[BriefMemoryView, ...] = ()
    """The memories with the most similar meaning, at most ten, nearest first."""
    preceding: BriefMemoryView | None = None
    """The message before it in its conversation; null if it is of another user."""
    following: BriefMemoryView | None = None
    """The message after it in its conversation; null if it is of another user."""
    facts: tuple[FactView, ...] = ()
    """The facts that its message supports, most confident first, at most 100; superseded ones too."""
    history: tuple[MemoryChange, ...] = ()
    """What changed it, oldest first, then changes without a time; of uses and corrections the latest 100."""
