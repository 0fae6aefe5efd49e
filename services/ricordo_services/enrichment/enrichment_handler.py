"""Derives emotion, importance, topics and event times of memories, by rules and a model, and anew."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal
from uuid import UUID

from ricordo.clock import Clock
from ricordo.language.document import Document
from ricordo.language.event_times.extraction import event_times
from ricordo.language.reading import UNREAD
from ricordo.language.temporal.moments import find_zone
from ricordo.language.text import text_hash
from ricordo.memory.enrichment import VERSION, enrich
from ricordo.memory.llm_validation import LlmMessage, LlmReading, described_by, merge_llm_reading
from ricordo.memory.model import DERIVED_KINDS, local_moment
from ricordo.messages.event_items import DerivedEvent
from ricordo.messages.events import (
    FactsRequested,
    IndexRequested,
    MemoryEncoded,
    MemoryEnriched,
    ReadingRequested,
)
from ricordo.models.encoder import TokenCounter
from ricordo.models.llm_describer import LlmDescriber
from ricordo.models.reader.text_reader import TextReader, TextToRead
from ricordo.runtime.event_publishing import Emitter
from ricordo.runtime.handling import Done, Envelope, Outcome
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.enrichment_store import EnrichedMemory, EnrichmentStore, SavedEnrichment, Unenriched
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.reprocessing import BackfillQuery, BackfillStore, OutdatedMemory
from ricordo_services.backpressure import Backlog, wait_for_room
from ricordo_services.job_progress import BackfillOrder, BackfillProgress, Part, Report
from ricordo_services.stage_events import requests, stage_events

Asked = Literal["all", "importance", "nothing"]


@dataclass(frozen=True, slots=True)
class EnrichmentHandler:
    """Handles `memory.encoded`."""

    enrichments: EnrichmentStore
    tokens: TokenCounter
    clock: Clock
    executor: CpuExecutor
    describer: LlmDescriber | None = None
    reader: Callable[[], Awaitable[TextReader]] | None = None

    async def __call__(self, tenant: str, events: Sequence[Envelope[MemoryEncoded]]) -> Sequence[Outcome]:
        """Derive and write; one outcome each."""
        enriched = await self.derived(tenant, list(dict.fromkeys(event.body.memory_id for event in events)))
        written = await self.enrichments.save(tenant, enriched, self.clock.now())
        saved = {one.progress.memory_id: one for one in written}
        return [Done(_events(tenant, saved.get(event.body.memory_id))) for event in events]

    async def derived(
        self, tenant: str, memory_ids: Sequence[UUID], *, asked: Asked = "all"
    ) -> list[EnrichedMemory]:
        """Derive by rules and by the language model if there is one, without writing."""
        unenriched = await self._read(await self.enrichments.load(tenant, memory_ids))
        enriched = await self.executor.map(partial(derive, tokens=self.tokens), unenriched)
        return await _add_llm_readings(self.describer, unenriched, enriched, self.executor, asked)

    async def _read(self, memories: Sequence[Unenriched]) -> Sequence[Unenriched]:
        """Return memories with a reading, also those that a former version has encoded."""
        unread = [one for one in memories if one.reading is None]
        if self.reader is None or not unread:
            return memories
        reader = await self.reader()
        found = await reader.read([TextToRead(one.content) for one in unread])
        readings = {one.memory_id: each for one, each in zip(unread, found, strict=True)}
        return [replace(one, reading=one.reading or readings.get(one.memory_id)) for one in memories]


def _events(tenant: str, saved: SavedEnrichment | None) -> tuple[DerivedEvent, ...]:
    """Return the events of a write; none if nothing was written."""
    if saved is None:
        return ()
    enriched = stage_events(tenant, saved.progress, lambda ids: MemoryEnriched(**ids, version=saved.version))
    return (*enriched, *requests(FactsRequested, saved.unread, "it is corrected"))


def derive(one: Unenriched, tokens: TokenCounter) -> EnrichedMemory:
    """Derive all that enrichment owns of one memory."""
    document = Document(one.content, one.language)
    return EnrichedMemory(
        memory_id=one.memory_id,
        enrichment=enrich(
            document,
            reading=one.reading or UNREAD,
            role=one.role,
            speaker=one.speaker,
            participants=one.stated_participants,
        ),
        local=local_moment(one.created_at, one.timezone),
        event_times=event_times(document, one.created_at, find_zone(one.timezone), one.reading or UNREAD),
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


_SLICE: Final = 256  # memories in a transaction with rules only
_UNANSWERED: Final = 2  # slices without any answer, after which the model is not asked any more


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfill:
    """Enriches outdated memories again, and has their points updated.

    Slices are committed one by one in id order, so an interrupted run is simply repeated. Reconciliation
    updates the points of its last slice, as these memories lack a stage.

    Attributes:
        model: the name of the language model; None for rules only.
    """

    enrichment: EnrichmentHandler
    outdated: BackfillStore
    lifecycle_store: LifecycleStore
    emitter: Emitter
    index: Backlog
    clock: Clock
    models: tuple[str, ...]
    model: str | None = None
    batch: int = 8

    @property
    def version(self) -> str:
        """The current version: of the rules, and of the language model if there is one."""
        return VERSION if self.model is None else described_by(VERSION, self.model)

    async def run(
        self, order: BackfillOrder, report: Report[BackfillProgress] = lambda _: None
    ) -> BackfillProgress:
        """Enrich outdated memories, tenant by tenant, and report after each slice.

        Raises:
            IndexStuck: the index made no progress for a minute; written memories are kept.
        """
        began, done = self.clock.monotonic(), BackfillProgress(self.version)
        tenants = await self.lifecycle_store.tenants() if order.tenant is None else [order.tenant]
        for tenant in tenants:
            query = self._query(order, asking=self._has_model)
            for version, number in (await self.outdated.count(tenant, query)).items():
                done.by_version[version] = done.by_version.get(version, 0) + number
        total = sum(done.by_version.values())
        done.outdated = total if order.limit is None else min(order.limit, total)
        if order.dry:
            return done
        report(done)
        for tenant in tenants:
            await self._tenant(tenant, order, done, report)
        done.left = done.outdated - done.raised
        done.seconds = self.clock.monotonic() - began
        return done

    async def _tenant(
        self, tenant: str, order: BackfillOrder, done: BackfillProgress, report: Report[BackfillProgress]
    ) -> None:
        after: UUID | None = None
        unanswered = 0
        while done.examined < done.outdated:
            asking = self._has_model and unanswered < _UNANSWERED
            wanted = min(self.batch if asking else _SLICE, done.outdated - done.examined)
            query = self._query(order, asking=asking)
            found, after = await self.outdated.find(tenant, query, after, wanted)
            if found:
                answered = await self._slice(tenant, found, order.part, done, asking=asking)
                unanswered = 0 if answered else unanswered + 1
                done.examined += len(found)
                report(done)
            if after is None:
                return

    async def _slice(
        self,
        tenant: str,
        found: Sequence[OutdatedMemory],
        part: Part,
        done: BackfillProgress,
        *,
        asking: bool,
    ) -> bool:
        """Derive a slice again; return whether the model contributed to it."""
        await wait_for_room(self.index, self.clock)
        raising = _VersionComparison({one.memory_id: one for one in found}, part, self.version)
        rating = part == "importance"
        derived = await self.enrichment.derived(
            tenant,
            [one.memory_id for one in found],
            asked="nothing" if not asking else "importance" if rating else "all",
        )
        await self._raise(tenant, raising, derived, done)
        return any(map(raising.by_model, derived))

    async def _raise(
        self,
        tenant: str,
        raising: "_VersionComparison",
        derived: Sequence[EnrichedMemory],
        done: BackfillProgress,
    ) -> None:
        """Write improved memories, and publish their events."""
        better = {one.memory_id: one for one in derived if raising.is_better(one)}
        if not better:
            return
        rating_only = raising.part == "importance"
        if not rating_only:  # before the write: after that, nothing would repeat it
            unread = await self.enrichment.enrichments.link_corrections(tenant, list(better.values()))
            # What a former version has encoded is read, and its facts follow.
            events = [
                *requests(FactsRequested, unread, "it is corrected"),
                *(
                    ReadingRequested(user_id=one.user_id, memory_id=one.memory_id, reason="backfill")
                    for one in better.values()
                ),
            ]
            await self.emitter.emit(tenant, events, bulk=True)
        written = await self.outdated.replace(tenant, list(better.values()), rating_only=rating_only)
        await self.emitter.emit(tenant, requests(IndexRequested, written, "backfill"), bulk=True)
        done.changed += len(written)
        done.raised += sum(raising.is_current(better[one.memory_id]) for one in written)

    @property
    def _has_model(self) -> bool:
        return self.model is not None

    def _query(self, order: BackfillOrder, *, asking: bool) -> BackfillQuery:
        return BackfillQuery(
            models=self.models,
            version=self.version if asking else VERSION,
            with_model=asking,
            rating_only=order.part == "importance",
            user_id=order.user_id,
        )


@dataclass(frozen=True, slots=True)
class _VersionComparison:
    """Compares the versions of memories before and after, of the part that is derived again."""

    before: Mapping[UUID, OutdatedMemory]
    part: Part
    version: str

    def after(self, one: EnrichedMemory) -> tuple[str, ...]:
        """Return the versions after the write: results of a model are never replaced by those of rules."""
        former = self.before[one.memory_id]
        before = self._parts(former.version, former.rated_by)
        derived = self._parts(one.enrichment.version, one.enrichment.rated_by)
        return tuple(then if _is_lost(then, now) else now for then, now in zip(before, derived, strict=True))

    def by_model(self, one: EnrichedMemory) -> bool:
        return self.version in self.after(one)

    def is_current(self, one: EnrichedMemory) -> bool:
        return all(part == self.version or _is_lost(part, self.version) for part in self.after(one))

    def is_better(self, one: EnrichedMemory) -> bool:
        """Return whether any part has another version."""
        former = self.before[one.memory_id]
        return self.after(one) != self._parts(former.version, former.rated_by)

    def _parts(self, version: str, rated_by: str) -> tuple[str, ...]:
        return (rated_by,) if self.part == "importance" else (version, rated_by)


def _is_lost(then: str, now: str) -> bool:
    """Whether a result of a model would be replaced by one of rules."""
    return "+" in then and "+" not in now
