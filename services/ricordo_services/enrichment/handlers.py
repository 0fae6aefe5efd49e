"""How it felt, what mattered, what it was about, when it happened: derived from text and vector."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from ricordo.domain.enrichment import enrich
from ricordo.domain.memory import local_moment
from ricordo.domain.temporal import EARLIEST, LATEST, Language, resolve
from ricordo.messages.events import MemoryEncoded, MemoryEnriched
from ricordo.ports.clock import Clock
from ricordo.ports.describing import Describer
from ricordo.ports.memories import EnrichedMemory, Enrichments, Unenriched
from ricordo.ports.models import TokenCounter
from ricordo.ports.stages import MessageIds, Progress
from ricordo.runtime.beside import Beside
from ricordo.runtime.handling import Done, Envelope, Outcome
from ricordo_services.enrichment.linking import Linking
from ricordo_services.enrichment.reading import Asked, read_by
from ricordo_services.receipts import stage_events

_READ: Final[dict[str, Language]] = {"it": "it", "en": "en"}


@dataclass(frozen=True, slots=True)
class Enrich:
    """Handles `memory.encoded`."""

    enrichments: Enrichments
    tokens: TokenCounter
    clock: Clock
    beside: Beside
    linking: Linking
    describer: Describer | None = None

    async def __call__(self, tenant: str, events: Sequence[Envelope[MemoryEncoded]]) -> Sequence[Outcome]:
        """Derive and write; one outcome each."""
        progress: dict[UUID, Progress] = {}
        versions: dict[UUID, str] = {}
        for model in sorted({event.body.model for event in events}):
            ids = list(dict.fromkeys(event.body.memory_id for event in events if event.body.model == model))
            enriched = await self.derived(tenant, model, ids)
            versions |= {one.memory_id: one.enrichment.version for one in enriched}
            saved = await self.enrichments.save(tenant, enriched, self.clock.now())
            await self.linking.link(tenant, model, {one.memory_id: one.user_id for one in saved})
            progress |= {one.memory_id: one for one in saved}

        def told(ids: MessageIds) -> MemoryEnriched:
            return MemoryEnriched(**ids, version=versions[ids["memory_id"]])

        return [Done(stage_events(tenant, progress.get(event.body.memory_id), told)) for event in events]

    async def derived(
        self, tenant: str, model: str, memory_ids: Sequence[UUID], *, asked: Asked = "all"
    ) -> list[EnrichedMemory]:
        """Derive, by the rules and by the language model where there is one, without writing.

        Args:
            tenant: whose memories.
            model: of the vectors.
            memory_ids: those without a row are left out.
            asked: what the language model is asked for, if there is one.
        """
        unenriched = await self.enrichments.load(tenant, model, memory_ids)
        enriched = await self.beside.each(partial(derive, tokens=self.tokens), unenriched)
        return await read_by(self.describer, unenriched, enriched, self.beside, asked)


def derive(one: Unenriched, tokens: TokenCounter) -> EnrichedMemory:
    """Derive all that enrichment owns of one memory."""
    memory = one.memory
    start, end = event_time(memory.content, memory.created_at, memory.timezone, memory.language)
    return EnrichedMemory(
        memory_id=memory.id,
        enrichment=enrich(
            memory.content,
            language=memory.language,
            role=memory.role,
            speaker=memory.speaker,
            participants=one.stated_participants,
            vector=one.vector,
        ),
        local=local_moment(memory.created_at, memory.timezone),
        event_start=start,
        event_end=end,
        token_count=tokens.count(memory.content),
        timezone=memory.timezone,
    )


def event_time(
    content: str, said_at: datetime, timezone: str, language: str
) -> tuple[datetime | None, datetime | None]:
    """Say when what `content` tells happened, as [start, end); both None where the text does not tell.

    Args:
        content: the message.
        said_at: the moment that "yesterday" counts from, aware.
        timezone: IANA name of the speaker's zone.
        language: a primary subtag; other languages than those understood tell nothing.
    """
    spoken = _READ.get(language)
    if spoken is None:
        return None, None
    span = resolve(content, said_at, ZoneInfo(timezone), spoken)
    if span is None or span.start <= EARLIEST or span.end >= LATEST:
        return None, None
    return span.start, span.end
