"""Picking up what was left behind: messages that lack a stage, unheard moves, records that are old."""

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
from ricordo_services.lifecycle.derived_events import birth, republish
from ricordo_services.lifecycle.passes.slices import IsolatedItems, Slice

_MOVED: Final = 5_000  # moves that one pass tells of
_BUSY: Final = 5  # times the patience while workers have a backlog
_MOST_DOUBLED: Final = 5
_REMITTED: Final = 1_000  # messages that one pass sends on their way again
_HANDLED_KEPT: Final = timedelta(days=8)  # a day longer than the stream that could deliver an event again
_REASONS_KEPT: Final = timedelta(days=30)
_USES_KEPT: Final = timedelta(days=30)


async def tidy(life: LifecycleStore, now: datetime, uses_kept: timedelta = _USES_KEPT) -> PassSummary:
    """Drop, for all tenants, the record of events that come no more, and old reasons of dead letters.

    So goes what each recall has added to memories, once it is older than `uses_kept`.

    A message that still lacks a stage when its reason goes is sent on its way once more; if it fails again,
    it is a dead letter again. That makes up for a replay which was lost with the power.

    Returns:
        For how many tenants it failed, as the log says.

    Raises:
        StoreUnavailable: PostgreSQL does not answer.
    """
    trials, summary = IsolatedItems("tidy"), PassSummary("tidy")

    async def dropped(tenant: str) -> Slice:
        await life.tidy(
            tenant,
            handled_before=now - _HANDLED_KEPT,
            used_before=now - uses_kept,
            died_before=now - _REASONS_KEPT,
        )
        return Slice()

    for tenant in await life.tenants():
        summary.failed += (await trials.of(partial(dropped, tenant), now, tenant)).failed
    return summary


@dataclass(frozen=True, slots=True)
class _Sent:
    """How often something was sent on its way again, and from when on it may be once more (monotonic)."""

    times: int = 0
    next_at: float = -math.inf

    def again(self, now: float, patience: timedelta) -> "_Sent":
        """Return what is so after it was sent at `now`."""
        wait = patience.total_seconds() * 2 ** min(self.times, _MOST_DOUBLED)
        return _Sent(self.times + 1, now + wait)


_NEVER: Final = _Sent()


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Sends on their way again the messages that have lacked a stage for too long, and says moves once more.

    Derived events live in a stream that may lose its last moments with the power, and a process may end
    between its write and its event; the stages know what is missing, and the rows what the archive took or
    gave back. While events still wait for a worker, what lacks a stage is most likely late and not lost: then
    the pass leaves it alone for longer. What was sent on its way has as long again before it is sent anew,
    and twice as long each time after that: who has much to do is not given ever more of the same. Whoever
    is given the same event twice writes the same.
    """

    life: LifecycleStore
    emitter: Emitter
    backlog: Backlog
    clock: Clock
    model: str
    patience: timedelta = field(default=timedelta(minutes=2))
    trials: IsolatedItems = field(default_factory=lambda: IsolatedItems("reconcile"))
    _sent: dict[str, Mapping[UUID, "_Sent"]] = field(default_factory=dict)

    async def run(self) -> PassSummary:
        """Emit again, for all tenants, the event before the first stage that is missing, and of each move.

        Raises:
            StoreUnavailable, BusUnavailable: a server does not answer.
        """
        summary, began = PassSummary("reconcile"), self.clock.monotonic()
        patience = self.patience * (_BUSY if await self.backlog.waiting() else 1)
        now = self.clock.now()
        for tenant in await self.life.tenants():
            doing = partial(self._reconcile, tenant, now, patience, summary)
            summary.failed += (await self.trials.of(doing, now, tenant)).failed
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
        self._sent[tenant] = sent | again  # what lags no more is forgotten
        summary.changed += len(due)
        await self._tell_moved(tenant, now - patience, summary)
        return Slice()

    async def _tell_moved(self, tenant: str, before: datetime, summary: PassSummary) -> None:
        """Say once more what moved before `before`; then it is taken as said.

        Whoever moved it said so at once, if nothing came in between. So it is said twice, patience apart, and
        one crash or power failure leaves one of the two; only a second one, in the moment after the second
        saying, could leave none.
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
            return list(birth(lagging.derived, ids))
        if Stage.ENCODED in lacks:
            return [MemoryCreated(**ids)]  # heard by encode and by knowledge
        events: list[DerivedEvent] = [MemoryCreated(**ids)] if Stage.EXTRACTED in lacks else []
        if Stage.ENRICHED in lacks:
            return events or [MemoryEncoded(**ids, model=self.model)]  # which encode says again, else
        if Stage.INDEXED in lacks:
            events.append(MemoryEnriched(**ids, version="reconcile"))  # of which encode does not say it
        return events
