"""The queries for looking around: one memory with all that belongs to it, pages of memories and of users."""

from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import Field, model_validator

from ricordo.language.annotations import MemoryKind, MemoryType, Role
from ricordo.messages.enumerations import ArchiveReason, ChangeKind, Degradation, ListingOrder, PeriodLength
from ricordo.messages.filters import Filters
from ricordo.messages.inputs import Request, UserRequest
from ricordo.messages.message_types import (
    Count,
    Flag,
    Id,
    Instant,
    JsonObject,
    Message,
    Number,
    OptionalLabel,
    TimeZone,
    Unit,
    refused,
)
from ricordo.messages.views import FactView, MemoryView

Cursor = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,512}$")]
"""The `next` of an earlier reply: opaque, and valid for the same user and arguments only."""
PageSize = Annotated[int, Field(strict=True, ge=1, le=200)]


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
    valence: float = Field(0.0, strict=True, ge=-1, le=1)
    """Of its emotion; 0 until it is enriched."""
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
    metadata: JsonObject = Field(default_factory=dict)
    """What the bot sent with the message."""


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


class MemoryRequest(UserRequest, name="query.memory"):
    """Get one memory, and what it is connected with."""

    memory_id: UUID


class MemoryReply(Message):
    """A memory, its neighbours, its facts and its history."""

    memory: MemoryDetailView
    related: tuple[BriefMemoryView, ...] = ()
    """The memories near in meaning, nearest first: among the ten nearest of this one, or the reverse."""
    preceding: BriefMemoryView | None = None
    """The message before it in its conversation; null if it is of another user."""
    following: BriefMemoryView | None = None
    """The message after it in its conversation; null if it is of another user."""
    facts: tuple[FactView, ...] = ()
    """The facts that its message supports, most confident first, at most 100; superseded ones too."""
    history: tuple[MemoryChange, ...] = ()
    """What changed it, oldest first, then changes without a time; of uses and corrections the latest 100."""
    degraded: tuple[Degradation, ...] = ()
    """The parts that were unavailable."""


class MemoriesRequest(UserRequest, name="query.memories"):
    """List the memories of a user, page by page."""

    filters: Filters | None = None
    text: OptionalLabel = None
    """Words that the content contains, at most 16, in any case and with or without accents; parts of words in
    scripts without capitals."""
    pinned: Flag | None = None
    """Only those that are pinned, or only those that are not."""
    order: ListingOrder = ListingOrder.RECENT
    cursor: Cursor | None = None
    """The `next` of the preceding page; all other fields but `limit` must be the same."""
    limit: PageSize = 50


class MemoriesReply(Message):
    """A page of memories."""

    memories: tuple[MemoryView, ...] = ()
    next: Cursor | None = None
    """The `cursor` of the next page; null if there is none. It expires after an hour for the orders
    `important`, `used` and `feeling`."""
    total: Count = 0
    """The number of matching memories at the time of the first page."""


class PeriodsRequest(UserRequest, name="query.periods"):
    """Get how many memories there are of each day, week, month or year, and how they feel."""

    by: PeriodLength
    start: Instant | None = None
    """Memories of that instant or later."""
    end: Instant | None = None
    """Memories before that instant."""
    timezone: TimeZone = None
    """In which the periods begin; by default the last one that the user's messages named, else the offset of
    the last message."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.start is not None and self.end is not None and self.end < self.start:
            raise refused("must not be before start", "end")
        return self


class PeriodView(Message, title="Period"):
    """The memories of a period."""

    start: Instant
    end: Instant
    """Exclusive."""
    memories: Annotated[int, Field(strict=True, ge=1)]
    valence: float | None = Field(None, strict=True, ge=-1, le=1)
    """The mean of enriched memories; null if there are none."""
    arousal: Unit | None = None
    """As `valence`."""
    feelings: dict[str, int] = Field(default_factory=dict)
    """The five most frequent primary emotions, with their numbers, most frequent first."""
    strongest: Annotated[tuple[BriefMemoryView, ...], Field(max_length=3)] = ()
    """The most important memories."""


class PeriodsReply(Message):
    """The periods with memories, oldest first; informative memories, archived ones included."""

    periods: tuple[PeriodView, ...] = ()
    timezone: str = "UTC"
    """In which the periods begin: an IANA name, or an offset such as +08:00."""
    truncated: Flag = False
    """Whether the oldest periods lack `strongest`, or are left out, as the reply would be too long."""


class UserView(Message, title="User"):
    """A user of the tenant."""

    user_id: Id
    memories: Count
    """The number of informative memories, archived ones included."""
    archived: Count
    messages: Count
    last_activity: Instant
    """When the last message was stored or a memory was last used, whichever was later."""


class UsersRequest(Request, name="query.users"):
    """List the users of the tenant, page by page."""

    cursor: Cursor | None = None
    """The `next` of the preceding page."""
    limit: PageSize = 50


class UsersReply(Message):
    """Users by id."""

    users: tuple[UserView, ...] = ()
    next: Cursor | None = None
    """The `cursor` of the next page; null if there is none."""
