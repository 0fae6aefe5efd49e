"""Backfill: enriches memories of former versions again, in slices, while the workers run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from ricordo.clock import Clock
from ricordo.memory.enrichment import VERSION
from ricordo.memory.llm_validation import described_by
from ricordo.messages.events import MemoryEnriched
from ricordo.runtime.event_publishing import Emitter
from ricordo.store.enrichment_store import EnrichedMemory
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.reprocessing import BackfillQuery, BackfillStore, OutdatedMemory
from ricordo_services.backpressure import Backlog, wait_for_room
from ricordo_services.enrichment.enrichment_handler import Asked, EnrichmentHandler
from ricordo_services.job_progress import BackfillOrder, BackfillProgress, BackfillReport, Part
from ricordo_services.stage_events import created_again

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
    life: LifecycleStore
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

    async def run(self, order: BackfillOrder, report: BackfillReport = lambda _: None) -> BackfillProgress:
        """Enrich outdated memories, tenant by tenant, and report after each slice.

        Raises:
            IndexStuck: the index made no progress for a minute; written memories are kept.
        """
        began, done = self.clock.monotonic(), BackfillProgress(self.version)
        tenants = await self.life.tenants() if order.tenant is None else [order.tenant]
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
        self, tenant: str, order: BackfillOrder, done: BackfillProgress, report: BackfillReport
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
        raising = _Raising({one.memory_id: one for one in found}, part, self.version)
        rating = part == "importance"
        derived = await self._derived(
            tenant, found, "nothing" if not asking else "importance" if rating else "all"
        )
        await self._raise(tenant, raising, derived, done)
        return any(map(raising.by_model, derived))

    async def _derived(
        self, tenant: str, found: Sequence[OutdatedMemory], asked: Asked
    ) -> list[EnrichedMemory]:
        derived: list[EnrichedMemory] = []
        for model in dict.fromkeys(one.model for one in found):
            ids = [one.memory_id for one in found if one.model == model]
            derived += await self.enrichment.derived(tenant, model, ids, asked=asked)
        return derived

    async def _raise(
        self, tenant: str, raising: "_Raising", derived: Sequence[EnrichedMemory], done: BackfillProgress
    ) -> None:
        """Write improved memories, and publish their events."""
        better = {one.memory_id: one for one in derived if raising.is_better(one)}
        if not better:
            return
        rating_only = raising.part == "importance"
        if not rating_only:  # before the write: after that, nothing would repeat it
            unread = await self.enrichment.enrichments.link_corrections(tenant, list(better.values()))
            await self.emitter.emit(tenant, created_again(unread))
        written = await self.outdated.replace(tenant, list(better.values()), rating_only=rating_only)
        await self.emitter.emit(
            tenant,
            [MemoryEnriched(**one.ids, version=raising.after(better[one.memory_id])[0]) for one in written],
        )
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
class _Raising:
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
