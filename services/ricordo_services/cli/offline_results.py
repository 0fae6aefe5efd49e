"""The input and output of `analyze`, `enrich` and `extract`, which need no server."""

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import Any, Final
from uuid import UUID

from pydantic import ConfigDict, Field

from ricordo.language.annotations import Role
from ricordo.language.detection import identify
from ricordo.language.document import document_of
from ricordo.language.event_times.extraction import event_times
from ricordo.language.reading import UNREAD, Reading
from ricordo.language.temporal.moments import find_zone, offset_name
from ricordo.language.text import normalise
from ricordo.memory.enrichment import enrich
from ricordo.memory.facts.read_statements import statements_of
from ricordo.memory.facts.utterances import Utterance
from ricordo.messages.events import MessageReceived
from ricordo.messages.message_types import (
    CONTENT_MAX_CHARS,
    Content,
    Id,
    JsonObject,
    Language,
    LocalInstant,
    Message,
    TimeZone,
)
from ricordo.models.query_analyser import Question, analysis_view, by_rules
from ricordo.models.reader.text_reader import TextToRead
from ricordo.settings import EmbeddingSettings

_SPOKEN: Final = re.compile(r"\A[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,3}: +")
"""Who spoke, in front of what was said: one to four words and a colon."""
_UTC: Final = "UTC"


class QueryInput(Message):
    """What `analyze` takes."""

    query: Content
    now: LocalInstant = Field(default_factory=partial(datetime.now, UTC))
    timezone: TimeZone = None
    language: Language = None
    """Detected if omitted."""


class MessageInput(MessageReceived):
    """What `extract` takes: a message as bots publish it, of which only the content is required."""

    id: Id = "-"
    user_id: Id = "-"
    conversation_id: Id = "-"
    role: Role = Role.USER
    timestamp: LocalInstant = Field(default_factory=partial(datetime.now, UTC))
    now: LocalInstant | None = None
    """Another name of `timestamp`."""
    previous: str | None = Field(default=None, max_length=CONTENT_MAX_CHARS)
    """The turn before, as `speaker: text` or as its text alone; empty for none."""

    @property
    def text_before(self) -> str:
        """The text of the turn before, normalised; empty for none."""
        return _SPOKEN.sub("", normalise(self.previous or "").strip())

    @property
    def zone_name(self) -> str:
        """The zone of days and of the returned times."""
        return self.timezone or offset_name(self.now or self.timestamp) or _UTC

    @property
    def zone(self) -> tzinfo:
        """The same, as a zone."""
        return find_zone(self.zone_name)


class CheckedMessageInput(MessageInput):
    """What `enrich` takes. A field that no message has is refused: it would silently be left out."""

    model_config = ConfigDict(extra="forbid")


def analysed(query: QueryInput) -> JsonObject:
    """Analyse a query: the `analysis` of a recall's reply."""
    question = Question(
        text=query.query,
        now=query.now.astimezone(UTC),
        zone=find_zone(query.timezone or offset_name(query.now) or _UTC),
        language=query.language,
    )
    return analysis_view(by_rules(question)).model_dump(mode="json")


def enriched(message: MessageInput, read: Callable[[str, str], Reading]) -> JsonObject:
    """Derive emotion, importance, topics, type and event times of a message."""
    language, zone = message.language or identify(message.content), message.zone
    document = document_of(message.content, language)
    reading = read(message.content, message.text_before)
    times = event_times(document, (message.now or message.timestamp).astimezone(UTC), zone, reading)
    derived = enrich(
        document,
        reading=reading,
        role=message.role,
        speaker=message.speaker or "",
        participants=message.participants,
    )
    emotion, spans = derived.emotion, [(_local(one.start, zone), _local(one.end, zone)) for one in times]
    start, end = spans[0] if spans else (None, None)
    return {
        "valence": emotion.valence,
        "arousal": emotion.arousal,
        "dominance": emotion.dominance,
        "primary_emotion": emotion.primary,
        "emotional_keywords": list(emotion.keywords),
        "trigger": emotion.trigger,
        "importance": derived.importance if message.importance is None else message.importance,
        "topics": list(derived.topics),
        "participants": list(derived.participants),
        "type": derived.type.value,
        "kind": derived.kind.value if message.kind is None else message.kind.value,
        "title": derived.title,
        "event_start": start,
        "event_end": end,
        "event_times": [{"start": start, "end": end} for start, end in spans],
    }


def _local(instant: datetime | None, zone: tzinfo) -> str | None:
    return None if instant is None else instant.astimezone(zone).isoformat()


def extracted(message: MessageInput, read: Callable[[str, str], Reading]) -> JsonObject:
    """Read the facts that a message states, with the times it names.

    `polarity` is `past` for what is over; what is still to come is left out.
    """
    previous = message.text_before
    utterance = Utterance(
        memory_id=UUID(int=0),
        message_id=message.id,
        user_id=message.user_id,
        role=message.role.value,
        speaker=message.speaker or "",
        language=message.language or identify(message.content),
        content=message.content,
        said_at=(message.now or message.timestamp).astimezone(UTC),
        timezone=message.zone_name,
        reading=read(message.content, previous),
        previous=previous,
        previous_reading=read(previous, "") if previous else None,
    )
    return {
        "facts": [
            {
                "subject": statement.subject,
                "predicate": statement.predicate,
                "object": statement.object,
                "polarity": "holds" if statement.polarity == "began" else statement.polarity,
                "valid_from": _local(statement.valid_from, message.zone),
                "valid_to": _local(statement.valid_to, message.zone),
                "quote": statement.quote,
            }
            for statement in statements_of(utterance)
            if statement.polarity != "denied"
        ]
    }


@contextmanager
def reading() -> Iterator[Callable[[str, str], Reading]]:
    """Load the reader for a `with`.

    Yields:
        A function from a text and the one before it, which may be empty, to its reading.

    Raises:
        CheckpointMissing: the embedding model is not installed.
    """
    from ricordo_services.app.embedding_models import open_models, open_reader  # noqa: PLC0415 - loads libraries

    with asyncio.Runner() as runner:
        opening = open_models(EmbeddingSettings())
        models = runner.run(opening.__aenter__())

        async def read(text: str, previous: str) -> Reading:
            (before,) = await models.batch.encode([previous]) if previous.strip() else (None,)
            (found,) = await reader.read([TextToRead(text, before)])
            return found or UNREAD

        try:
            reader = runner.run(open_reader(models))
            yield lambda *texts: runner.run(read(*texts))
        finally:
            runner.run(opening.__aexit__(None, None, None))


@contextmanager
def derivation(command: str) -> Iterator[tuple[type[Message], str, Callable[[Any], JsonObject]]]:
    """Yield the input of `analyze`, `enrich` or `extract`, the name of its text, and what derives from it."""
    if command == "analyze":
        yield QueryInput, "query", analysed
        return
    model, derive = (CheckedMessageInput, enriched) if command == "enrich" else (MessageInput, extracted)
    with reading() as read:
        yield model, "content", partial(derive, read=read)
