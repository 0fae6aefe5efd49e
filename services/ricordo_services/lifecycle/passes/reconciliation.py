"""Reconciliation: republishes events of messages that lack a stage and of moves, and deletes old records."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from uuid import UUID

from ricordo.clock import Clock
from ricordo.memory.model import Stage
from ricordo.messages.events import DerivedEvent, MemoryCreated, MemoryEncoded, MemoryEnriched
from ricordo.runtime.event_publishing import Emitter
from ricordo.store.lifecycle_store import Lagging, LifecycleStore
from ricordo_services.backpressure import Backlog
from ricordo_services.job_progress import PassSummary
from ricordo_services.lifecycle.derived_events import creation_events, republish
from ricordo_services.lifecycle.passes.pass_work import IsolatedItems, Slice

_MOVED: Final = 5_000  # moves that one pass republishes
_BUSY: Final = 5  # times the patience while workers have a backlog
_MOST_DOUBLED: Final = 5
_REMITTED: Final = 1_000  # messages that one pass republishes
_HANDLED_KEPT: Final = timedelta(days=8)  # a day longer than the stream that could deliver an event again
_REASONS_KEPT: Final = timedelta(days=30)
_USES_KEPT: Final = timedelta(days=30)


async def tidy(life: LifecycleStore, now: datetime, uses_kept: timedelta = _USES_KEPT) -> PassSummary:
    """Delete old records of all tenants: of handled events, uses of memories, and reasons of dead letters.

    A message that still lacks a stage when its reason is deleted is republished once more; if it fails again,
    it becomes a dead letter again. That compensates for a replay that a power failure has lost.

    Returns:
        The number of tenants for which it failed; the errors are logged.

    Raises:
        StoreUnavailable: PostgreSQL does not answer.
    """
    items, summary = IsolatedItems("tidy"), PassSummary("tidy")

    async def dropped(tenant: str) -> Slice:
        await life.tidy(
            tenant,
            handled_before=now - _HANDLED_KEPT,
            used_before=now - uses_kept,
            died_before=now - _REASONS_KEPT,
        )
        return Slice()

    for tenant in await life.tenants():
        summary.failed += (await items.of(partial(dropped, tenant), now, tenant)).failed
    return summary


@dataclass(frozen=True, slots=True)
class _Sent:
    """The number of republications of a memory, and the earliest time of the next (monotonic)."""

    times: int = 0
    next_at: float = -math.inf

    def again(self, now: float, patience: timedelta) -> "_Sent":
        """Return the state after a republication at `now`."""
        wait = patience.total_seconds() * 2 ** min(self.times, _MOST_DOUBLED)
        return _Sent(self.times + 1, now + wait)


_NEVER: Final = _Sent()


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Republishes events of messages that have lacked a stage for too long, and of archive moves.

    The stream of derived events may lose its last moments in a power failure, and a process may end between
    its write and its event; stages and rows show what is missing. While a backlog waits for the workers, a
    missing stage is most likely late and not lost, so the pass waits longer. Each republication doubles the
    wait before the next one, so as not to add to a backlog. Handling the same event twice changes nothing.
    """

    life: LifecycleStore
    emitter: Emitter
    backlog: Backlog
    clock: Clock
    model: str
    patience: timedelta = field(default=timedelta(minutes=2))
    items: IsolatedItems = field(default_factory=lambda: IsolatedItems("reconcile"))
    _sent: dict[str, Mapping[UUID, "_Sent"]] = field(default_factory=dict)

    async def run(self) -> PassSummary:
        """Republish, for all tenants, the event before the first missing stage, and those of moves.

        Raises:
            StoreUnavailable, BusUnavailable: a server does not answer.
        """
        summary, began = PassSummary("reconcile"), self.clock.monotonic()
        patience = self.patience * (_BUSY if await self.backlog.waiting() else 1)
        now = self.clock.now()
        for tenant in await self.life.tenants():
            work = partial(self._reconcile, tenant, now, patience, summary)
            summary.failed += (await self.items.of(work, now, tenant)).failed
        summary.seconds = self.clock.monotonic() - began
        return summary

    async def _reconcile(
        self, tenant: str, now: datetime, patience: timedelta, summary: PassSummary
    ) -> Slice:
        lagging = await self.life.lagging(tenant, now, patience, _REMITTED)
        summary.examined += len(lagging)
        moment, former = self.clock.monotonic(), self._sent.get(tenant, {})
        sent = {one.progress.memory_id: former.get(one.progress.memory_id, _NEVER) for one in lagging}
        due = [one for one in lagging if sent[one.progress.memory_id].next_at <= moment]
        await self.emitter.emit(tenant, [event for one in due for event in self._again(one)])
        again = {one.progress.memory_id: sent[one.progress.memory_id].again(moment, patience) for one in due}
        self._sent[tenant] = sent | again  # drops memories that lag no more
        summary.changed += len(due)
        await self._republish_moves(tenant, now - patience, summary)
        return Slice()

    async def _republish_moves(self, tenant: str, before: datetime, summary: PassSummary) -> None:
        """Republish moves before `before`, then mark them as reported.

        Each move is published twice, `patience` apart: at once by the process that made it, and here. So a
        single crash or power failure loses at most one of the two.
        """
        moved = await self.life.unreported_moves(tenant, before, _MOVED)
        if not moved:
            return
        await republish(self.life, self.emitter, tenant, moved)
        summary.examined += len(moved)
        summary.changed += len(moved)

    def _again(self, lagging: Lagging) -> list[DerivedEvent]:
        ids, lacks = lagging.progress.ids, lagging.lacks
        if lagging.derived is not None and Stage.ENCODED in lacks:
            return list(creation_events(lagging.derived, ids))
        if Stage.ENCODED in lacks:
            return [MemoryCreated(**ids)]  # consumed by encode and by knowledge
        events: list[DerivedEvent] = [MemoryCreated(**ids)] if Stage.EXTRACTED in lacks else []
        if Stage.ENRICHED in lacks:
            return events or [MemoryEncoded(**ids, model=self.model)]  # which encode republishes, else
        if Stage.INDEXED in lacks:
            events.append(
                MemoryEnriched(**ids, version="reconcile")
            )  # which encode does not republish for it
        return events
