"""The input and output of `analyze`, `enrich` and `extract`, which need no server."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from pydantic import Field, JsonValue, model_validator

from ricordo.language import detection as language
from ricordo.language import query_analysis as rules
from ricordo.language.annotations import Role
from ricordo.language.document import document_of
from ricordo.language.event_times.extraction import event_times
from ricordo.language.temporal import EARLIEST, LATEST
from ricordo.memory import enrichment as deriving
from ricordo.memory import facts
from ricordo.messages.base import (
    Content,
    Id,
    Instant,
    Labels,
    Language,
    Message,
    Metadata,
    OptionalLabel,
    TimeZone,
    Unit,
    refused,
)
from ricordo.messages.events import Document as AttachedDocument
from ricordo.messages.views import Analysis, QueryTime
from ricordo.messages.vocabulary import Analyser, EmotionFilter, Intent, MemoryKind, MemoryType, TimeType
from ricordo.messages.vocabulary import Role as SpokenRole
from ricordo.settings import EmbeddingSettings
from ricordo.store.rows import Vector

Document = dict[str, JsonValue]
_UTC: Final = "UTC"


class Question(Message):
    """What `analyze` takes."""

    query: Content
    now: Instant | None = None
    """The moment that "yesterday" counts from; without it, the present."""
    timezone: TimeZone = None
    language: Language = None
    """Detected if omitted."""


class Said(Message):
    """What `enrich` and `extract` take."""

    content: Content
    language: Language = None
    """Detected if omitted."""
    role: SpokenRole = SpokenRole.USER
    speaker: OptionalLabel = None
    participants: Labels = ()

    @property
    def spoken(self) -> str:
        """The language, given or detected."""
        return self.language or language.identify(self.content)


class Stated(Said):
    """What `extract` takes."""

    now: Instant | None = None
    """The moment that "last year" counts from, which messages call `timestamp`; without it, the present."""
    timestamp: Instant | None = None
    timezone: TimeZone = None
    """The zone of years, days and returned times; default UTC."""


class Told(Said):
    """What `enrich` takes: a message as bots publish it, of which only the content is required.

    A field that no message has is refused: misspelt, it would silently be left out.
    """

    id: Id | None = None
    user_id: Id | None = None
    conversation_id: Id | None = None
    timestamp: Instant | None = None
    """The moment that "yesterday" counts from; without it, the present."""
    timezone: TimeZone = None
    """The zone of days and of the event time; default UTC."""
    location: OptionalLabel = None
    metadata: Metadata = Field(default_factory=dict)
    kind: MemoryKind | None = None
    """Overrides the derived kind, as `importance` does."""
    importance: Unit | None = None
    tags: Labels = ()
    expires_at: Instant | None = None
    trust: Annotated[float, Field(strict=True, ge=0, le=5)] = 0.0
    document: AttachedDocument | None = None

    @model_validator(mode="before")
    @classmethod
    def _knows_its_fields(cls, values: object) -> object:
        if isinstance(values, dict):
            unknown = [str(name) for name in values if name not in cls.model_fields]
            if unknown:
                raise refused(
                    f"is no field of a message; leave it out, or name one of {', '.join(cls.model_fields)}",
                    unknown[0],
                )
        return values


def analysed(question: Question) -> Document:
    """Analyse a query: the `analysis` of a recall's reply."""
    found = rules.analyse(
        question.query,
        now=question.now or datetime.now(UTC),
        zone=ZoneInfo(question.timezone or _UTC),
        language=question.language,
    )
    reply = Analysis(
        intent=Intent(found.intent),
        time=_time(found.time),
        entities=found.entities,
        topics=found.topics,
        emotion_filter=EmotionFilter(found.emotion_filter) if found.emotion_filter else None,
        memory_types=tuple(MemoryType(one) for one in found.memory_types),
        semantic_query=found.semantic_query,
        archive=found.archive,
        analyser=Analyser(found.analyser),
        language=found.language,
    )
    return reply.model_dump(mode="json")


def _time(found: rules.TimeFilter | None) -> QueryTime:
    if found is None:
        return QueryTime()
    return QueryTime(
        type=TimeType(found.type),
        reference=found.reference,
        start=None if found.start == EARLIEST else found.start,
        end=None if found.end == LATEST else found.end,
    )


def enriched(said: Told, encode: Callable[[str], Vector]) -> Document:
    """Derive emotion, importance, topics, type and event times of a message.

    Args:
        said: the message.
        encode: gives the vector of a text.
    """
    spoken, zone = said.spoken, ZoneInfo(said.timezone or _UTC)
    document = document_of(said.content, spoken)
    told = event_times(document, said.timestamp or datetime.now(UTC), zone)
    derived = deriving.enrich(
        document,
        role=Role(said.role.value),
        speaker=said.speaker or "",
        participants=said.participants,
        vector=encode(said.content),
    )
    emotion = derived.emotion
    return {
        "valence": emotion.valence,
        "arousal": emotion.arousal,
        "dominance": emotion.dominance,
        "primary_emotion": emotion.primary,
        "emotional_keywords": list(emotion.keywords),
        "importance": derived.importance.value if said.importance is None else said.importance,
        "topics": list(derived.topics),
        "participants": list(derived.participants),
        "type": derived.type.value,
        "kind": derived.kind.value if said.kind is None else said.kind.value,
        "title": derived.title,
        "event_start": _there(told[0].start, zone) if told else None,
        "event_end": _there(told[0].end, zone) if told else None,
        "event_times": [{"start": _there(one.start, zone), "end": _there(one.end, zone)} for one in told],
    }


def _there(instant: datetime | None, zone: ZoneInfo) -> str | None:
    return None if instant is None else instant.astimezone(zone).isoformat()


def extracted(said: Stated) -> Document:
    """Read the facts that a message states, with the times it tells.

    `polarity` is `past` for what it says to be over; what it says to be still to come is left out.
    """
    zone = ZoneInfo(said.timezone or _UTC)
    statements = facts.extract(
        document_of(said.content, said.language or ""),
        speaker=said.speaker or "",
        role=said.role.value,
        at=said.now or said.timestamp or datetime.now(UTC),
        timezone=zone,
    )
    return {
        "facts": [
            {
                "subject": one.subject,
                "predicate": one.predicate,
                "object": one.object,
                "polarity": one.polarity,
                "valid_from": _there(one.valid_from, zone),
                "valid_to": _there(one.valid_to, zone),
                "quote": one.quote,
            }
            for one in statements
        ]
    }


@contextmanager
def encoding() -> Iterator[Callable[[str], Vector]]:
    """Load MiniLM for the length of a `with`; yields a function from a text to its vector, float32 [d].

    Raises:
        CheckpointMissing: the embedding model is not installed.
        OSError: the cache folder, where the built model is kept, cannot be written.
    """
    from ricordo_services.app.embedding_models import open_models  # noqa: PLC0415 - loads the model's libraries

    with asyncio.Runner() as runner:
        opening = open_models(EmbeddingSettings())
        batch = runner.run(opening.__aenter__()).batch

        async def one(text: str) -> Vector:
            vector: Vector = (await batch.encode([text]))[0]
            return vector

        def encode(text: str) -> Vector:
            return runner.run(one(text))

        try:
            yield encode
        finally:
            runner.run(opening.__aexit__(None, None, None))
