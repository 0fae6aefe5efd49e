"""Derives emotion, importance, topics and event times of memories, by rules and by a language model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from ricordo.clock import Clock
from ricordo.language.document import Document
from ricordo.language.emotion.heads import MODEL as HEADS_MODEL
from ricordo.language.event_times.extraction import event_times
from ricordo.language.text import text_hash
from ricordo.memory.enrichment import enrich
from ricordo.memory.llm_validation import LlmMessage, LlmReading, merge_llm_reading
from ricordo.memory.model import DERIVED_KINDS, local_moment
from ricordo.messages.events import DerivedEvent, MemoryEncoded, MemoryEnriched
from ricordo.models.encoder import Encoder, TokenCounter
from ricordo.models.llm_describer import LlmDescriber
from ricordo.runtime.handling import Done, Envelope, Outcome
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.stages import EnrichedMemory, EnrichmentStore, SavedEnrichment, Unenriched
from ricordo_services.stage_events import Linker, stage_events, with_events

Asked = Literal["all", "importance", "nothing"]


@dataclass(frozen=True, slots=True)
class EnrichmentHandler:
    """Handles `memory.encoded`."""

    enrichments: EnrichmentStore
    tokens: TokenCounter
    clock: Clock
    executor: CpuExecutor
    linking: Linker
    describer: LlmDescriber | None = None
    feeling: Encoder | None = None

    async def __call__(self, tenant: str, events: Sequence[Envelope[MemoryEncoded]]) -> Sequence[Outcome]:
        """Derive and write; one outcome each."""
        saved: dict[UUID, SavedEnrichment] = {}
        again: dict[UUID | None, DerivedEvent] = {}
        for model in sorted({event.body.model for event in events}):
            ids = list(dict.fromkeys(event.body.memory_id for event in events if event.body.model == model))
            enriched = await self.derived(tenant, model, ids)
            # Before the stage is set: after that, nothing would repeat links that a crash has cut off.
            users = {event.body.memory_id: event.body.user_id for event in events}
            unread = await self.linking.link(tenant, model, {one: users[one] for one in ids})
            again |= {event.memory_id: event for event in unread}
            for one in await self.enrichments.save(tenant, enriched, self.clock.now()):
                saved[one.progress.memory_id] = one
        outcomes = [Done(_events(tenant, saved.get(event.body.memory_id))) for event in events]
        return with_events(again.values(), outcomes)

    async def derived(
        self, tenant: str, model: str, memory_ids: Sequence[UUID], *, asked: Asked = "all"
    ) -> list[EnrichedMemory]:
        """Derive by rules and by the language model if there is one, without writing."""
        unenriched = await self._with_emotion_vectors(
            await self.enrichments.load(tenant, model, memory_ids), model
        )
        enriched = await self.executor.map(partial(derive, tokens=self.tokens), unenriched)
        return await _add_llm_readings(self.describer, unenriched, enriched, self.executor, asked)

    async def _with_emotion_vectors(self, loaded: Sequence[Unenriched], model: str) -> Sequence[Unenriched]:
        """Return the memories with vectors for the emotion heads; None if there is no encoder."""
        if model == HEADS_MODEL:
            return loaded
        if self.feeling is None or not loaded:
            return [replace(one, vector=None) for one in loaded]
        vectors = await self.feeling.encode([one.memory.content for one in loaded])
        return [replace(one, vector=vector) for one, vector in zip(loaded, vectors, strict=True)]


def _events(tenant: str, saved: SavedEnrichment | None) -> tuple[DerivedEvent, ...]:
    """Return the events of a write; none if nothing was written."""
    if saved is None:
        return ()
    return stage_events(tenant, saved.progress, lambda ids: MemoryEnriched(**ids, version=saved.version))


def derive(one: Unenriched, tokens: TokenCounter) -> EnrichedMemory:
    """Derive all that enrichment owns of one memory."""
    memory = one.memory
    document = Document(memory.content, memory.language)
    return EnrichedMemory(
        memory_id=memory.id,
        enrichment=enrich(
            document,
            role=memory.role,
            speaker=memory.speaker,
            participants=one.stated_participants,
            vector=one.vector,
        ),
        local=local_moment(memory.created_at, memory.timezone),
        event_times=event_times(document, memory.created_at, ZoneInfo(memory.timezone)),
        token_count=tokens.count(memory.content),
        timezone=memory.timezone,
        text_hash=text_hash(memory.content),
    )


async def _add_llm_readings(
    describer: LlmDescriber | None,
    unenriched: Sequence[Unenriched],
    derived: Sequence[EnrichedMemory],
    executor: CpuExecutor,
    asked: Asked = "all",
) -> list[EnrichedMemory]:
    """Merge the readings of the language model into the derived metadata.

    The model does not read memories that lifecycle derived from others, as it has read their sources.
    """
    readable = [n for n, one in enumerate(unenriched) if one.memory.kind not in DERIVED_KINDS]
    if describer is None or asked == "nothing" or not readable:
        return list(derived)
    memories = [unenriched[n].memory for n in readable]
    messages = [LlmMessage(one.content, one.language, one.role, one.speaker) for one in memories]
    readings = await describer.read(messages, describe=asked == "all")
    pairs = zip([derived[n] for n in readable], messages, readings, strict=True)
    merged = await executor.map(partial(_merged, model=describer.model), pairs)
    enriched = list(derived)
    for n, one in zip(readable, merged, strict=True):
        enriched[n] = one
    return enriched


def _merged(one: tuple[EnrichedMemory, LlmMessage, LlmReading], model: str) -> EnrichedMemory:
    derived, message, reading = one
    return replace(derived, enrichment=merge_llm_reading(derived.enrichment, message, reading, model))
