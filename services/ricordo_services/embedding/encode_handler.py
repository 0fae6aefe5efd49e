"""Encodes and reads each text once per model, and stores vector and reading in PostgreSQL.

A text that the model refuses, while it encodes others, is stored without a vector: it is found by its words.
A later backfill asks the model again. A text is read after the turn before it, of which the stored vector
tells; whoever is read without a turn that comes to stand before it is read again.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

import structlog

from ricordo.clock import Clock
from ricordo.language.annotations import E5
from ricordo.language.text import text_hash
from ricordo.memory.model import MessageIds, Progress
from ricordo.messages.events import IndexRequested, MemoryCreated, MemoryEncoded, ReadingRequested
from ricordo.models.batcher import EmbeddingBatcher
from ricordo.models.encoder import NoVector
from ricordo.models.reader.text_reader import TextReader, TextToRead
from ricordo.runtime.handling import Done, Envelope, Outcome, Retry
from ricordo.store.rows import Vector
from ricordo.store.stages import EncodingStore, SavedReading, SavedVectors, TextToEncode
from ricordo_services.stage_events import receipt, requests, stage_events

_SLOW_ATTEMPTS: Final = 3
"""Deliveries after which a text that the model does not answer in time is stored without a vector."""

_log = structlog.stdlib.get_logger(__name__)


@dataclass(slots=True)
class _OfModel:
    """The memories that one model has encoded or refused, and the new vectors."""

    memory_ids: list[UUID] = field(default_factory=list)
    vectors: list[tuple[UUID, Vector | None]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class EncodeHandler:
    """Handles `memory.created` and `reading.requested`."""

    encodings: EncodingStore
    batcher: EmbeddingBatcher
    model: str
    clock: Clock
    reader: TextReader

    async def __call__(
        self, tenant: str, events: Sequence[Envelope[MemoryCreated | ReadingRequested]]
    ) -> Sequence[Outcome]:
        """Encode and read what is not yet; one outcome each. A text that takes too long is retried alone."""
        attempts = {event.body.memory_id: event.attempt for event in events}
        texts = await self.encodings.load(
            tenant, self.model, list(attempts), reader=self.reader.version, read_model=E5
        )
        known, slow = await self._encoded(texts, attempts)
        readings = await self._read([text for text in texts if text.memory_id not in slow], known)
        models = {one: model for model, some in known.items() for one in some.memory_ids}
        new = {one for some in known.values() for one, _ in some.vectors} | readings.keys()
        saved = await self._saved(tenant, known, texts, readings)
        done = {one.memory_id: one for some in saved for one in some.progress}
        followers = {before: after for some in saved for before, after in some.followers.items()}
        unread = requests(
            ReadingRequested, (one for some in saved for one in some.unread), "another turn stands before it"
        )

        def encoded(ids: MessageIds) -> MemoryEncoded:
            model = models[ids["memory_id"]]
            return MemoryEncoded(**ids, model=model, fallback=model != self.model)

        def outcome(memory_id: UUID) -> Outcome:
            if (error := slow.get(memory_id)) is not None:
                return Retry.because(error)
            progress = done.get(memory_id)
            if progress is not None and memory_id not in new and _is_derived(progress):
                events = receipt(tenant, progress)
            else:
                events = stage_events(tenant, progress, encoded)
            if (follower := followers.get(memory_id)) is not None:
                events = (*events, *requests(IndexRequested, [follower], "the turn before it has a vector"))
            return Done(events)

        outcomes = [outcome(event.body.memory_id) for event in events]
        # With the first that is done: any of them that comes again finds and tells it again.
        at = next((at for at, one in enumerate(outcomes) if isinstance(one, Done)), None)
        if at is not None and isinstance(one := outcomes[at], Done):
            outcomes[at] = Done((*one.events, *unread))
        return outcomes

    async def _encoded(
        self, texts: Sequence[TextToEncode], attempts: Mapping[UUID, int]
    ) -> tuple[dict[str, _OfModel], dict[UUID, NoVector]]:
        """Return the memories by model, and the errors of those to retry."""
        known: dict[str, _OfModel] = defaultdict(_OfModel)
        slow: dict[UUID, NoVector] = {}
        missing = [text for text in texts if not text.is_encoded]
        if len(missing) < len(texts):
            known[self.model].memory_ids += [text.memory_id for text in texts if text.is_encoded]
        answers = await self.batcher.encode([text.text for text in missing]) if missing else []
        for text, answer in zip(missing, answers, strict=True):
            if not isinstance(answer, NoVector):
                vector = answer.vector
            elif answer.slow and attempts[text.memory_id] < _SLOW_ATTEMPTS:
                slow[text.memory_id] = answer
                continue
            else:
                vector = None
                _log.warning("found by its words alone", memory_id=str(text.memory_id), reason=str(answer))
            known[answer.model].memory_ids.append(text.memory_id)
            known[answer.model].vectors.append((text.memory_id, vector))
        return known, slow

    async def _read(
        self, texts: Sequence[TextToEncode], known: Mapping[str, _OfModel]
    ) -> dict[UUID, SavedReading]:
        """Read the texts that are not read after the turn that stands before them now."""
        hashes = {text.memory_id: text_hash(text.text) for text in texts}
        fresh = {
            one: (vector if model == E5 else None, hashes[one])
            for model, some in known.items()
            for one, vector in some.vectors
            if vector is not None
        }
        unread = [text for text in texts if not text.is_read]
        # The turn before may have got its vector with this batch.
        previous = [
            fresh.get(text.preceding_id, (text.previous, text.previous_hash))
            if text.preceding_id
            else (None, None)
            for text in unread
        ]
        asked = [TextToRead(text.text, vector) for text, (vector, _) in zip(unread, previous, strict=True)]
        readings = await self.reader.read(asked)
        return {
            text.memory_id: SavedReading(reading.to_json(), before)
            for text, reading, (_, before) in zip(unread, readings, previous, strict=True)
            if reading is not None
        }

    async def _saved(
        self,
        tenant: str,
        known: Mapping[str, _OfModel],
        texts: Sequence[TextToEncode],
        readings: Mapping[UUID, SavedReading],
    ) -> Sequence[SavedVectors]:
        """Store the vectors and readings of each model, if the text is unchanged."""
        hashes = {text.memory_id: text_hash(text.text) for text in texts}
        now, saved = self.clock.now(), list[SavedVectors]()
        for model, some in known.items():
            saved.append(
                await self.encodings.save(
                    tenant,
                    model,
                    some.vectors,
                    some.memory_ids,
                    now,
                    texts={one: hashes[one] for one in some.memory_ids},
                    reader=self.reader.version,
                    readings={one: readings[one] for one in some.memory_ids if one in readings},
                )
            )
        return saved


def _is_derived(progress: Progress) -> bool:
    """Return whether a message was enriched: what follows from its vector and reading has been told.

    Derived memories are enriched before they have a vector.
    """
    return progress.message_id is not None and progress.enriched is not None
