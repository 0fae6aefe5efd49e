"""What replies show: memories, facts, messages, the analysis of a query."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, JsonValue

from ricordo.messages.enumerations import (
    Analyser,
    EmotionFilter,
    Intent,
    MemoryKind,
    MemorySource,
    MemoryType,
    MessageState,
    Role,
    TimeType,
)
from ricordo.messages.message_types import Count, Flag, Id, Instant, Message, Number, Unit


class Emotion(Message):
    """How it felt: pleasure, arousal, dominance, and a name for it."""

    valence: float = Field(strict=True, ge=-1, le=1)
    arousal: Unit
    dominance: Unit
    primary: str | None = None
    """One of the 28 labels of GoEmotions."""
    keywords: tuple[str, ...] = ()


class EventTimeView(Message):
    """When something that a memory tells happened or is to happen."""

    start: Instant
    end: Instant
    """Excluded."""


class MemoryView(Message):
    """A memory as a bot sees it."""

    id: UUID
    message_ids: tuple[Id, ...] = ()
    """The bot's ids that it rests on."""
    type: MemoryType
    kind: MemoryKind
    role: Role | None = None
    """Null for a memory that no single message is behind."""
    speaker: str | None = None
    conversation_id: Id | None = None
    content: str | None
    """Null when the reply would have become too large: see `truncated`."""
    truncated: Flag = False
    title: str | None = None
    summary: str | None = None
    created_at: Instant
    score: Number | None = None
    """Compares within one reply only; null where nothing was ranked."""
    signals: dict[str, float] | None = None
    """What the score is made of, when `explain` asked for it."""
    importance: Unit
    emotion: Emotion | None = None
    """Null until the memory is enriched."""
    participants: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    event_times: tuple[EventTimeView, ...] = ()
    """When what it tells happened or is to happen, where the text says, in its order: at most 16."""
    event_start: Instant | None = None
    """When the first of these begins."""
    event_end: Instant | None = None
    """When the first of these ends, excluded."""
    confidence: Unit = 1.0
    source: MemorySource = MemorySource.CONVERSATION
    related: tuple[UUID, ...] = ()
    corrects: tuple[UUID, ...] = ()
    """What it puts right: earlier messages of the user."""
    corrected_by: tuple[UUID, ...] = ()
    """What puts it right, the latest first: it is stale where there is any."""
    informative: Unit = 1.0
    """Whether it tells anything; below 0.5 it comes back only when that is asked for."""
    archived: Flag = False


class FactView(Message):
    """A fact as a bot sees it."""

    id: UUID
    subject: str
    """`user` for the user, else the entity's canonical name."""
    predicate: str
    object: str
    """Without a leading article or preposition."""
    confidence: int = Field(strict=True, ge=0, le=10)
    """Distinct supporting messages, at most 10."""
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
    """An entity near another one."""

    name: str
    """`user` for the user."""
    distance: int = Field(strict=True, ge=1, le=2)
    """Facts between the two."""
    predicates: tuple[str, ...] = ()
    """Of the facts that touch it on the way."""


class EntityView(Message):
    """A person, an animal, a place, an organisation that facts speak of."""

    name: str
    """The spelling that is met most often."""
    aliases: Annotated[tuple[str, ...], Field(max_length=100)] = ()
    """Other names and spellings."""
    mentions: Count
    """Messages that state something of it."""
    neighbours: Annotated[tuple[NeighbourView, ...], Field(max_length=20)] = ()
    """By what holds now, nearest first; those at distance 2 not by way of the user."""


class HistoryMessage(Message):
    """A message as it was said."""

    id: Id
    user_id: Id
    conversation_id: Id
    role: Role
    content: str | None
    """Null when the reply would have become too large: see `truncated`."""
    truncated: Flag = False
    timestamp: Instant
    speaker: str | None = None
    participants: tuple[str, ...] = ()
    memory_id: UUID | None = None


class DocumentStatus(Message):
    """What has become of the document that a message brought."""

    name: str
    media_type: str
    state: MessageState
    """`remembered` as soon as all of its extracts can be found."""
    extracts: Count = 0
    """How many it was cut into."""
    whole: Flag = True
    """False where it was too long, and the rest is not remembered."""
    error: str | None = None
    """Why it cannot be read: a code, a colon and a sentence."""


class QueryTime(Message):
    """What a query says of time, resolved to `[start, end)`."""

    type: TimeType = TimeType.NONE
    reference: str | None = None
    """The words of the query."""
    start: Instant | None = None
    end: Instant | None = None


class Analysis(Message):
    """How a query was understood."""

    intent: Intent
    time: QueryTime = QueryTime()
    entities: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    emotion_filter: EmotionFilter | None = None
    memory_types: tuple[MemoryType, ...] = ()
    semantic_query: str
    """What is left to compare by meaning."""
    archive: Flag = False
    """Whether the archive is needed."""
    fallback: Literal["entity", "topic", "procedural"] | None = None
    """The filter that matched nothing and was therefore relaxed."""
    analyser: Analyser = Analyser.RULES
    language: str | None = None


class PatternView(Message):
    """A habit of the user, learnt from many messages."""

    name: str
    """`length`, `topics_liked`, `topics_avoided`, `time_of_day`, `formality`, `engagement`."""
    value: JsonValue
    confidence: Unit
    count: Count
    """Messages it rests on."""
