"""Reconciliation: republishes events of messages that lack a stage and of moves, and deletes old records."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from ricordo.clock import Clock
from ricordo.memory.model import Stage
from ricordo.memory.working_memory import LIFETIME
from ricordo.messages.event_items import DerivedEvent
from ricordo.messages.events import FactsRequested, IndexRequested, ReadingRequested
from ricordo.runtime.backoff import ItemBackoff
from ricordo.runtime.event_publishing import Emitter
from ricordo.store.lifecycle_store import LifecycleStore, LostStages
from ricordo.store.listing_store import LIFETIME as LISTING_LIFETIME
from ricordo.store.stages import CONSUMERS_OF_STAGES
from ricordo.store.working_memory_store import NoteStore
from ricordo_services.job_progress import PassSummary
from ricordo_services.lifecycle.derived_events import creation_events, republish
from ricordo_services.lifecycle.pass_runner import PassScope, Slice, add_slices

_MOVED: Final = 5_000  # moves that one pass republishes
_REPUBLISHED: Final = 1_000  # messages that one pass republishes
_HANDLED_KEPT: Final = timedelta(days=8)  # a day longer than the stream that could deliver an event again
_REASONS_KEPT: Final = timedelta(days=30)
_USES_KEPT: Final = timedelta(days=30)


async def tidy(
    lifecycle_store: LifecycleStore,
    notes: NoteStore,
    now: datetime,
    *,
    uses_kept: timedelta = _USES_KEPT,
    notes_kept: timedelta = LIFETIME,
) -> None:
    """Delete old records of all tenants: handled events, uses, reasons of dead letters, listings, notes.

    A message that still lacks a stage when its reason is deleted is republished once more; if it fails again,
    it becomes a dead letter again. That compensates for a replay that a power failure has lost. Notes from
    the future, set by a fast clock, are deleted too.

    Raises:
        StoreUnavailable: PostgreSQL does not answer; other errors of a tenant are logged.
    """
    items = ItemBackoff("tidy")
    for tenant in await lifecycle_store.tenants():
        with items.guard(now, tenant):
            await lifecycle_store.tidy(
                tenant,
                handled_before=now - _HANDLED_KEPT,
                used_before=now - uses_kept,
                died_before=now - _REASONS_KEPT,
                listed_before=now - LISTING_LIFETIME,
            )
        with items.guard(now, tenant, of="notes"):
            await notes.tidy(tenant, before=now - notes_kept, after=now + notes_kept)


OldestUnsettled = Callable[[str], Awaitable[datetime | None]]
"""Returns when the oldest unsettled event of a durable consumer was published; None without one."""


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Republishes events of messages whose stages do not come, and of archive moves.

    The stream of derived events may lose its last moments in a power failure, and a process may end between
    its write and its event; stages and rows show what is missing. Handling the same event twice changes
    nothing.

    Attributes:
        after: how long a stage may be missing; see `LifecycleStore.lost`.
    """

    lifecycle_store: LifecycleStore
    emitter: Emitter
    oldest_unsettled: OldestUnsettled
    clock: Clock
    after: timedelta = field(default=timedelta(minutes=1))
    items: ItemBackoff = field(default_factory=lambda: ItemBackoff("reconcile"))

    async def run(self) -> PassSummary:
        """Republish, for all tenants, the events that were lost, and those of moves.

        Raises:
            StoreUnavailable, BusUnavailable: a server does not answer.
        """
        summary, began = PassSummary("reconcile"), self.clock.monotonic()
        oldest = {stage: await self._oldest(names) for stage, names in CONSUMERS_OF_STAGES.items()}
        now = self.clock.now()
        for tenant in await self.lifecycle_store.tenants():
            scope = PassScope(tenant, now, items=self.items)
            await add_slices(summary, scope.each(self._reconcile(scope, oldest)))
        summary.seconds = self.clock.monotonic() - began
        return summary

    async def _oldest(self, consumers: Sequence[str]) -> datetime | None:
        times = [await self.oldest_unsettled(consumer) for consumer in consumers]
        return min((one for one in times if one is not None), default=None)

    async def _reconcile(
        self, scope: PassScope, oldest: Mapping[Stage, datetime | None]
    ) -> AsyncGenerator[Slice, None]:
        """Republish the events that were lost, then moves, and mark these as reported.

        Each move is published twice, `after` apart: at once by the process that made it, and here. So a
        single crash or power failure loses at most one of the two.
        """
        tenant, now = scope.tenant, scope.now
        lost = await self.lifecycle_store.lost(tenant, now, self.after, oldest, _REPUBLISHED)
        yield Slice(examined=len(lost))
        for is_bulk in (False, True):
            again = [event for one in lost if one.bulk is is_bulk for event in self._again(one)]
            await self.emitter.emit(tenant, again, bulk=is_bulk)
        yield Slice(changed=len(lost))
        if moved := await self.lifecycle_store.unreported_moves(tenant, now - self.after, _MOVED):
            await republish(self.lifecycle_store, self.emitter, tenant, moved)
            yield Slice(examined=len(moved), changed=len(moved))

    def _again(self, lost: LostStages) -> list[DerivedEvent]:
        ids, stages = lost.progress.ids, lost.stages
        if Stage.ENCODED in stages and lost.derived is not None:
            return list(creation_events(lost.derived, ids))
        again: list[DerivedEvent] = []
        if Stage.ENCODED in stages or Stage.ENRICHED in stages:
            # What is encoded and read already is told again, to enrichment and to knowledge.
            again.append(ReadingRequested(**ids, reason="reconcile"))
        elif Stage.EXTRACTED in stages:
            again.append(FactsRequested(**ids, reason="reconcile"))
        if Stage.INDEXED in stages:
            again.append(IndexRequested(**ids, reason="reconcile"))
        return again
