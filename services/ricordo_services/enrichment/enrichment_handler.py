"""Derives emotion, importance, topics and event times of memories, by rules and by a language model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal
from uuid import UUID

from ricordo.clock import Clock
from ricordo.language.document import Document
from ricordo.language.emotion.heads import MODEL as HEADS_MODEL
from ricordo.language.event_times.extraction import event_times
from ricordo.language.temporal.moments import find_zone
from ricordo.language.text import text_hash
from ricordo.memory.enrichment import enrich
from ricordo.memory.llm_validation import LlmMessage, LlmReading, merge_llm_reading
from ricordo.memory.model import DERIVED_KINDS, local_moment
from ricordo.messages.events import DerivedEvent, MemoryEncoded, MemoryEnriched
from ricordo.models.encoder import Encoder, TokenCounter
from ricordo.models.llm_describer import LlmDescriber
from ricordo.runtime.handling import Done, Envelope, Outcome
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.enrichment_store import EnrichedMemory, EnrichmentStore, SavedEnrichment, Unenriched
from ricordo_services.stage_events import created_again, stage_events

Asked = Literal["all", "importance", "nothing"]


@dataclass(frozen=True, slots=True)
class EnrichmentHandler:
    """Handles `memory.encoded`."""

    enrichments: EnrichmentStore
    tokens: TokenCounter
    clock: Clock
    executor: CpuExecutor
    describer: LlmDescriber | None = None
    feeling: Encoder | None = None

    async def __call__(self, tenant: str, events: Sequence[Envelope[MemoryEncoded]]) -> Sequence[Outcome]:
        """Derive and write; one outcome each."""
        saved: dict[UUID, SavedEnrichment] = {}
        for model in sorted({event.body.model for event in events}):
            ids = list(dict.fromkeys(event.body.memory_id for event in events if event.body.model == model))
            enriched = await self.derived(tenant, model, ids)
            for one in await self.enrichments.save(tenant, enriched, self.clock.now()):
                saved[one.progress.memory_id] = one
        return [Done(_events(tenant, saved.get(event.body.memory_id))) for event in events]

    async def derived(
        self, tenant: str, model: str, memory_ids: Sequence[UUID], *, asked: Asked = "all"
    ) -> list[EnrichedMemory]:
        """Derive by rules and by the language model if there is one, without writing."""
        reads_vector = model == HEADS_MODEL
        unenriched = await self.enrichments.load(tenant, model if reads_vector else None, memory_ids)
        if not reads_vector and self.feeling is not None and unenriched:
            vectors = await self.feeling.encode([one.content for one in unenriched])
            unenriched = [
                replace(one, vector=vector) for one, vector in zip(unenriched, vectors, strict=True)
            ]
        enriched = await self.executor.map(partial(derive, tokens=self.tokens), unenriched)
        return await _add_llm_readings(self.describer, unenriched, enriched, self.executor, asked)


def _events(tenant: str, saved: SavedEnrichment | None) -> tuple[DerivedEvent, ...]:
    """Return the events of a write; none if nothing was written."""
    if saved is None:
        return ()
    enriched = stage_events(tenant, saved.progress, lambda ids: MemoryEnriched(**ids, version=saved.version))
    return (*enriched, *created_again(saved.unread))


def derive(one: Unenriched, tokens: TokenCounter) -> EnrichedMemory:
    """Derive all that enrichment owns of one memory."""
    document = Document(one.content, one.language)
    return EnrichedMemory(
        memory_id=one.memory_id,
        enrichment=enrich(
            document,
            role=one.role,
            speaker=one.speaker,
            participants=one.stated_participants,
            vector=one.vector,
        ),
        local=local_moment(one.created_at, one.timezone),
        event_times=event_times(document, one.created_at, find_zone(one.timezone)),
        token_count=tokens.count(one.content),
        timezone=one.timezone,
        text_hash=text_hash(one.content),
        user_id=one.user_id,
        user_message=one.user_message,
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
    readable = [n for n, one in enumerate(unenriched) if one.kind not in DERIVED_KINDS]
    if describer is None or asked == "nothing" or not readable:
        return list(derived)
    memories = [unenriched[n] for n in readable]
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
