"""What replies show: memories, facts, messages, the analysis of a query."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, JsonValue

from ricordo.language.annotations import MemoryKind, MemorySource, MemoryType, Role
from ricordo.messages.enumerations import (
    Analyser,
    EmotionFilter,
    Intent,
    MessageState,
    TimeType,
)
from ricordo.messages.message_types import Count, Flag, Id, Instant, Message, Number, Reference, Unit


class EmotionView(Message, title="Emotion"):
    """An emotion: pleasure, arousal, dominance, and a label."""

    valence: float = Field(strict=True, ge=-1, le=1)
    arousal: Unit
    dominance: Unit
    primary: str | None = None
    """One of the 28 labels of GoEmotions."""
    keywords: tuple[str, ...] = ()
    trigger: str = ""
    """The words that say what set it off; empty where the text does not say."""


class EventTimeView(Message):
    """When an event of a memory happened or will happen."""

    start: Instant
    end: Instant
    """Exclusive."""


class KeyTopicView(Message, title="KeyTopic"):
    """A topic of a session summary."""

    topic: str
    importance: Literal["high", "medium", "low"]
    user_emotion: str


class MemoryView(Message):
    """A memory."""

    id: UUID
    message_ids: tuple[Id, ...] = ()
    """The ids of its source messages, and of those that say the same."""
    type: MemoryType
    kind: MemoryKind
    role: Role | None = None
    """Null for a memory that was derived from several messages."""
    speaker: str | None = None
    conversation_id: Id | None = None
    content: str | None
    """Null if the reply was shortened; see `truncated`."""
    truncated: Flag = False
    title: str | None = None
    summary: str | None = None
    created_at: Instant
    score: Number | None = None
    """Comparable within one reply only; null if nothing was ranked."""
    signals: dict[str, float] | None = None
    """The signals of the score, if `explain` is set."""
    importance: Unit
    emotion: EmotionView | None = None
    """Null until the memory is enriched."""
    participants: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    refs: tuple[Reference, ...] = ()
    location: str | None = None
    time_of_day: str | None = None
    """`morning`, `afternoon`, `evening` or `night`, in the user's time zone."""
    day_of_week: str | None = None
    """In English, in lower case, in the user's time zone."""
    event_times: tuple[EventTimeView, ...] = ()
    """The times of events that the text states, in its order; at most 16."""
    event_start: Instant | None = None
    """The start of the first event time."""
    event_end: Instant | None = None
    """The end of the first event time, exclusive."""
    confidence: Unit = 1.0
    source: MemorySource = MemorySource.CONVERSATION
    related: tuple[UUID, ...] = ()
    """The nearest memories in meaning, nearest first; of a recall or context, of its first three memories."""
    corrects: tuple[UUID, ...] = ()
    """The earlier memories of the user that it corrects."""
    corrected_by: tuple[UUID, ...] = ()
    """Its corrections, the latest first; a memory with corrections is outdated."""
    informative: Unit = 1.0
    """How informative it is; below 0.5 it is returned only on request."""
    pinned: Flag = False
    verified: Flag = False
    archived: Flag = False
    key_topics: tuple[KeyTopicView, ...] = ()
    """Of a session summary."""
    meaningfulness: float | None = Field(None, strict=True, ge=1, le=5)
    """Of a session summary."""
    questions_addressed: tuple[str, ...] = ()
    """Of a reflection."""
    times_said: Annotated[int, Field(strict=True, ge=1)] = 1
    """How many messages that were found say the same; their ids are in `message_ids`, its own first."""
    said_at: tuple[Instant, ...] = ()
    """When these were sent, the latest first; at most 10."""


class FactView(Message):
    """A fact."""

    id: UUID
    subject: str
    """`user` for the user, else the entity's canonical name."""
    predicate: str
    fact_type: Literal["preference", "relationship", "knowledge"] = "knowledge"
    """What the predicate tells of the subject."""
    object: str
    """Without a leading article or preposition."""
    confidence: int = Field(strict=True, ge=0, le=10)
    """The number of supporting messages, at most 10."""
    first_seen: Instant
    last_reinforced: Instant
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    """Null while it holds."""
    contradictions: Count = 0
    disputed: Flag = False
    verified: Flag = False
    message_ids: tuple[Id, ...] = ()
    """The supporting messages, oldest first; of more than 100 the latest 100."""


class NeighbourView(Message):
    """A neighbour of an entity in the graph."""

    name: str
    """`user` for the user."""
    distance: int = Field(strict=True, ge=1, le=2)
    """The number of facts between the two."""
    predicates: tuple[str, ...] = ()
    """The predicates of the facts on the path to it."""


class EntityView(Message):
    """An entity of facts: a person, an animal, a place or an organisation."""

    name: str
    """The most frequent spelling."""
    aliases: Annotated[tuple[str, ...], Field(max_length=100)] = ()
    """Other names and spellings."""
    mentions: Count
    """The number of messages with statements about it."""
    neighbours: Annotated[tuple[NeighbourView, ...], Field(max_length=20)] = ()
    """Neighbours by current facts, nearest first; paths of length 2 do not pass the user."""


class HistoryMessage(Message):
    """A message of the history."""

    id: Id
    user_id: Id
    conversation_id: Id
    role: Role
    content: str | None
    """Null if the reply was shortened; see `truncated`."""
    truncated: Flag = False
    timestamp: Instant
    speaker: str | None = None
    participants: tuple[str, ...] = ()
    memory_id: UUID | None = None


class DocumentStatus(Message):
    """The processing state of a document."""

    name: str
    media_type: str
    state: MessageState
    """`remembered` once all of its extracts are indexed."""
    extracts: Count = 0
    """The number of extracts."""
    whole: Flag = True
    """False if it was too long and only its beginning was processed."""
    error: str | None = None
    """Why it failed: a code, a colon and a sentence."""


class QueryTime(Message):
    """A time expression of a query, resolved to `[start, end)`."""

    type: TimeType = TimeType.NONE
    reference: str | None = None
    """The words of the query."""
    start: Instant | None = None
    end: Instant | None = None


class Analysis(Message):
    """The analysis of a query."""

    intent: Intent
    time: QueryTime = QueryTime()
    entities: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    emotion_filter: EmotionFilter | None = None
    memory_types: tuple[MemoryType, ...] = ()
    semantic_query: str
    """The text that is compared by meaning."""
    archive: Flag = False
    """Whether the archive is searched."""
    fallback: Literal["entity", "topic", "procedural"] | None = None
    """The filter that matched nothing and was therefore relaxed."""
    analyser: Analyser = Analyser.RULES
    language: str | None = None


class PatternView(Message):
    """A habit of the user, derived from many messages."""

    name: str
    """`length`, `topics_liked`, `topics_avoided`, `time_of_day`, `formality`, `engagement`."""
    value: JsonValue
    confidence: Unit
    count: Count
    """The number of messages that it is derived from."""
