"""The queries: a request and a reply each."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar, Final, Self
from uuid import UUID

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema, model_validator

from ricordo.messages.enumerations import (
    Degradation,
    EmotionFilter,
    MemoryKind,
    MemoryType,
    MessageState,
    Predicate,
    Profile,
)
from ricordo.messages.message_types import (
    ID_PATTERN,
    Content,
    Count,
    Flag,
    Id,
    Instant,
    JsonObject,
    Labels,
    Language,
    Message,
    Number,
    OptionalLabel,
    TimeZone,
    Unit,
    format_instant,
    parse_instant,
    refused,
)
from ricordo.messages.views import (
    Analysis,
    DocumentStatus,
    EntityView,
    FactView,
    HistoryMessage,
    MemoryView,
    PatternView,
)

_ID: Final = re.compile(ID_PATTERN.removeprefix("^").removesuffix("$"), re.ASCII)
Limit = Annotated[int, Field(strict=True, ge=1, le=1000)]


class Filters(Message):
    """What memories must fulfil: any value within a list, case-folded, and all keys together."""

    start: Instant | None = None
    end: Instant | None = None
    """Exclusive."""
    participants: Labels = ()
    topics: Labels = ()
    types: tuple[MemoryType, ...] = ()
    kinds: tuple[MemoryKind, ...] = ()
    emotion: EmotionFilter | None = None
    min_importance: Unit | None = None
    include_archived: Flag = False
    include_uninformative: Flag = False
    """With what tells nothing: pure questions, thanks, a bot's shrugs."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.start is not None and self.end is not None and self.end < self.start:
            raise refused("must not be before start", "end")
        return self


class RecallRequest(Message):
    """What does this user remember about that?"""

    name: ClassVar[str] = "query.recall"

    user_id: Id
    query: Content
    limit: Annotated[int, Field(strict=True, ge=1, le=200)] = 10
    conversation_id: Id | None = None
    """In which one it is asked. Memories come from all of them; what `query.context` adds of turns and of
    what is at hand is this one's."""
    now: Instant | None = None
    """The moment that "yesterday" counts from; without it, the present."""
    timezone: TimeZone = None
    language: Language = None
    profile: Profile | None = None
    explain: Flag = False
    """Whether memories show the signals behind their score."""
    filters: Filters | None = None
    """With it the analyser fills only what is missing."""
    reinforce: Flag = True
    """Whether being recalled makes these memories stronger."""


class RecallReply(Message):
    """Ranked memories and the facts around them."""

    recall_id: UUID
    analysis: Analysis
    memories: tuple[MemoryView, ...] = ()
    facts: tuple[FactView, ...] = ()
    confidence: Unit = 0.0
    """How sure it is that the memories hold the answer; they are shown in any case."""
    archived_matches: Count = 0
    """Matches in the archive that the reply leaves out."""
    degraded: tuple[Degradation, ...] = ()
    """What could not be asked just now."""
    timings_ms: dict[str, Number] = Field(default_factory=dict)


class WorkingRequest(Message):
    """What is at hand in this conversation?"""

    name: ClassVar[str] = "query.working"

    user_id: Id
    conversation_id: Id


class WorkingReply(Message):
    """The working memory of a conversation."""

    lines: Annotated[tuple[str, ...], Field(max_length=30)] = ()
    entities: tuple[str, ...] = ()
    notes: JsonObject = Field(default_factory=dict)


class ContextRequest(RecallRequest):
    """Give me text ready for a prompt."""

    name: ClassVar[str] = "query.context"

    token_budget: Annotated[int, Field(strict=True, ge=1, le=100_000)] = 2000
    recent_limit: Annotated[int, Field(strict=True, ge=0, le=200)] = 10


class ContextReply(RecallReply):
    """A recall, what is at hand, and all of it as text."""

    recent: tuple[HistoryMessage, ...] = ()
    working: WorkingReply = WorkingReply()
    patterns: tuple[PatternView, ...] = ()
    context: str
    tokens: Count
    """Of `context`, by the model's tokenizer."""
    marks: dict[str, UUID] = Field(default_factory=dict)
    """Of `context`: the id of the memory or fact that each mark stands for, as `m1` and `f2`."""


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a history: right before the message `id` of instant `at`, or before that instant."""

    at: datetime
    id: str | None = None

    def __str__(self) -> str:
        """Return the form on the wire: an instant, or `<instant>,<message id>`."""
        return format_instant(self.at) + (f",{self.id}" if self.id is not None else "")


def _position(value: object) -> Position:
    if isinstance(value, Position):
        return value
    if isinstance(value, datetime):
        return Position(parse_instant(value))
    if not isinstance(value, str):
        raise refused("must be an RFC 3339 instant with an offset, or the `next` of an earlier reply")
    instant, comma, message_id = value.partition(",")
    if comma and _ID.fullmatch(message_id) is None:
        raise refused("must end with the id of a message after the comma")
    return Position(parse_instant(instant), message_id if comma else None)


HistoryPosition = Annotated[
    Position,
    PlainValidator(_position, json_schema_input_type=str),
    PlainSerializer(str, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string"}),
]


class HistoryRequest(Message):
    """What was said, word for word?"""

    name: ClassVar[str] = "query.history"

    user_id: Id
    conversation_id: Id | None = None
    """Of this one only; without it, of all."""
    before: HistoryPosition | None = None
    """An instant, or the `next` of an earlier reply; exclusive."""
    limit: Limit = 20


class HistoryReply(Message):
    """The last messages before the asked place, oldest first."""

    messages: tuple[HistoryMessage, ...] = ()
    next: HistoryPosition | None = None
    """Pass it as `before` for the messages before these; null when there are none."""


class FactsRequest(Message):
    """What is known for a fact?"""

    name: ClassVar[str] = "query.facts"

    user_id: Id
    entity: OptionalLabel = None
    """About whom or what, as subject or as object, in any spelling."""
    predicate: Predicate | None = None
    min_confidence: Annotated[float, Field(strict=True, ge=0, le=10)] = 1
    as_of: Instant | None = None
    """What held at that moment, as far as is known today."""
    history: Flag = False
    """Whether superseded facts are shown too."""
    limit: Limit = 50


class FactsReply(Message):
    """Facts, most confident first, then most recent."""

    facts: tuple[FactView, ...] = ()
    entity: EntityView | None = None
    """The one that was asked for, where something is known by that name."""
    degraded: tuple[Degradation, ...] = ()
    """What could not be asked just now: `graph`, which knows the neighbours."""
    truncated: Flag = False
    """The reply would have become too large: low ranks name their latest messages alone, or are missing."""


class TimelineRequest(Message):
    """What happened between start and end?"""

    name: ClassVar[str] = "query.timeline"

    user_id: Id
    start: Instant
    end: Instant
    """Exclusive."""
    limit: Limit = 100

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end < self.start:
            raise refused("must not be before start", "end")
        return self


class TimelineReply(Message):
    """Memories, oldest first."""

    memories: tuple[MemoryView, ...] = ()


class StatusRequest(Message):
    """How far did this message get?"""

    name: ClassVar[str] = "query.status"

    message_id: Id


class Stages(Message):
    """When each stage was completed; null: not yet."""

    ingested: Instant | None = None
    encoded: Instant | None = None
    enriched: Instant | None = None
    indexed: Instant | None = None
    extracted: Instant | None = None


class StatusReply(Message):
    """The way of one message."""

    state: MessageState
    stages: Stages = Stages()
    error: str | None = None
    """Why it failed: a code, a colon and a sentence. Of an unknown message `forgotten`, if it was to be."""
    document: DocumentStatus | None = None
    """The document that it brought, which is read after the message itself."""


class StatsRequest(Message):
    """How much does this user remember?"""

    name: ClassVar[str] = "query.stats"

    user_id: Id


class StatsReply(Message):
    """Counts of one user."""

    memories: Count = 0
    """Archived ones too; none that tell nothing."""
    archived: Count = 0
    history: Count = 0
    facts: Count = 0
    reflections: Count = 0
    summaries: Count = 0
    pending: Count = 0
    """Messages that lack a stage."""


class ExpandRequest(Message):
    """What does this summary, reflection or synthesis rest on?"""

    name: ClassVar[str] = "query.expand"

    user_id: Id
    memory_id: UUID


class ExpandReply(Message):
    """The sources."""

    memories: tuple[MemoryView, ...] = ()
