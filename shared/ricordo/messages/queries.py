"""The queries: a request and a reply each."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, Self
from uuid import UUID

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema, model_validator

from ricordo.language.annotations import Predicate
from ricordo.messages.enumerations import Degradation, MessageState, Profile
from ricordo.messages.filters import Filters
from ricordo.messages.inputs import Request, UserRequest
from ricordo.messages.message_types import (
    ID_PATTERN,
    Content,
    Count,
    Flag,
    Id,
    Instant,
    JsonObject,
    Language,
    LocalInstant,
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


class RecallRequest(UserRequest, name="query.recall"):
    """Search the memories of a user."""

    query: Content
    limit: Annotated[int, Field(strict=True, ge=1, le=200)] = 10
    conversation_id: Id | None = None
    """The current conversation, whose turns and working memory `query.context` adds; memories of all
    conversations are searched."""
    now: LocalInstant | None = None
    """The instant to which "yesterday" refers; the present by default."""
    timezone: TimeZone = None
    """By default the last one that the user's messages named, else the offset of `now`, else that of the
    user's last message."""
    language: Language = None
    profile: Profile | None = None
    explain: Flag = False
    """Whether memories include the signals of their score."""
    filters: Filters | None = None
    """Given fields are used; the analyser fills the others."""
    reinforce: Flag = True
    """Whether the recall reinforces the returned memories."""


class RecallReply(Message):
    """Ranked memories and related facts."""

    recall_id: UUID
    analysis: Analysis
    memories: tuple[MemoryView, ...] = ()
    facts: tuple[FactView, ...] = ()
    confidence: Unit = 0.0
    """The estimated probability that the memories contain the answer; they are returned in any case."""
    archived_matches: Count = 0
    """The number of archived matches that are not returned."""
    degraded: tuple[Degradation, ...] = ()
    """The components that were unavailable."""
    timings_ms: dict[str, Number] = Field(default_factory=dict)


class WorkingRequest(UserRequest, name="query.working"):
    """Get the working memory of a conversation."""

    conversation_id: Id


class WorkingReply(Message):
    """The working memory of a conversation."""

    lines: Annotated[tuple[str, ...], Field(max_length=30)] = ()
    entities: tuple[str, ...] = ()
    notes: JsonObject = Field(default_factory=dict)


class ContextRequest(RecallRequest, name="query.context"):
    """Get a context for a prompt."""

    token_budget: Annotated[int, Field(strict=True, ge=1, le=100_000)] = 2000
    recent_limit: Annotated[int, Field(strict=True, ge=0, le=200)] = 10


class ContextReply(RecallReply):
    """A recall, the working memory, and both as text."""

    recent: tuple[HistoryMessage, ...] = ()
    working: WorkingReply = WorkingReply()
    patterns: tuple[PatternView, ...] = ()
    context: str
    tokens: Count
    """The tokens of `context`, by the model's tokenizer."""
    marks: dict[str, UUID] = Field(default_factory=dict)
    """The ids of the memories and facts in `context` by mark, such as `m1` and `f2`."""


@dataclass(frozen=True, slots=True)
class Position:
    """A position in a history: right before the message `id` of instant `at`, or before that instant."""

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


class HistoryRequest(UserRequest, name="query.history"):
    """Get messages as they were sent."""

    conversation_id: Id | None = None
    """Only messages of this conversation; null for all."""
    before: HistoryPosition | None = None
    """An instant, or the `next` of an earlier reply; exclusive."""
    limit: Limit = 20


class HistoryReply(Message):
    """The last messages before the requested position, oldest first."""

    messages: tuple[HistoryMessage, ...] = ()
    next: HistoryPosition | None = None
    """The `before` of the preceding page; null if there is none."""


class FactsRequest(UserRequest, name="query.facts"):
    """Get facts of a user."""

    entity: OptionalLabel = None
    """The entity that is subject or object of the facts, in any spelling."""
    predicate: Predicate | None = None
    min_confidence: Annotated[float, Field(strict=True, ge=0, le=10)] = 1
    as_of: Instant | None = None
    """Facts that held at this instant, by present knowledge."""
    history: Flag = False
    """Whether superseded facts are included."""
    limit: Limit = 50


class FactsReply(Message):
    """Facts, most confident first, then most recent."""

    facts: tuple[FactView, ...] = ()
    entity: EntityView | None = None
    """The requested entity, if it is known."""
    degraded: tuple[Degradation, ...] = ()
    """The components that were unavailable: `graph`, which holds the neighbours."""
    truncated: Flag = False
    """Whether the reply was shortened: low ranks list their latest messages only, or are left out."""


class TimelineRequest(UserRequest, name="query.timeline"):
    """Get the memories between two instants."""

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


class StatusRequest(Request, name="query.status"):
    """Get the processing state of a message."""

    message_id: Id
    user_id: Id | None = None
    """If given, a message of another user is unknown, as one that was never recorded."""
    digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    """Which of several messages with this id is meant: `failed`, as `id_conflict`, if another was stored."""


class Stages(Message):
    """When each stage was completed; null if it is not."""

    ingested: Instant | None = None
    encoded: Instant | None = None
    enriched: Instant | None = None
    indexed: Instant | None = None
    extracted: Instant | None = None


class StatusReply(Message):
    """The processing state of a message."""

    state: MessageState
    stages: Stages = Stages()
    error: str | None = None
    """Why it failed: a code, a colon and a sentence. The code is `forgotten` for an erased message."""
    document: DocumentStatus | None = None
    """Its attached document, which is processed after the message."""


class StatsRequest(UserRequest, name="query.stats"):
    """Count the memories of a user."""


class StatsReply(Message):
    """The counts of a user."""

    memories: Count = 0
    """The number of informative memories, archived ones included."""
    archived: Count = 0
    history: Count = 0
    facts: Count = 0
    reflections: Count = 0
    summaries: Count = 0
    pending: Count = 0
    """The number of messages that lack a stage."""


class ExpandRequest(UserRequest, name="query.expand"):
    """Get the sources of a summary, reflection or synthesis."""

    memory_id: UUID


class ExpandReply(Message):
    """The source memories."""

    memories: tuple[MemoryView, ...] = ()
