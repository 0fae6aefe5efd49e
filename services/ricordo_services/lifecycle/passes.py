"""Lifecycle's passes over what is stored: fading, and picking up what was left behind."""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from ricordo.messages.events import (
    DerivedEvent,
    MemoryArchived,
    MemoryChanged,
    MemoryCreated,
    MemoryEncoded,
    MemoryEnriched,
)
from ricordo.messages.vocabulary import ArchiveReason
from ricordo.ports.clock import Clock
from ricordo.ports.life import Life
from ricordo.ports.memories import Lagging
from ricordo.ports.stages import Stage
from ricordo_services.following import Backlog, Emitter

_SLICE = 5_000  # memories per transaction of the decay
_PER_EVENT = 500  # memory ids in one event
_BUSY = 5  # times the patience while workers have a backlog
_REMITTED = 1_000  # messages that one pass of the reconciliation sends on their way again
_HANDLED_KEPT = timedelta(days=8)  # a day longer than the stream that could deliver an event again
_REASONS_KEPT = timedelta(days=30)


@dataclass(slots=True)
class Summary:
    """What a pass did."""

    name: str
    examined: int = 0
    changed: int = 0
    archived: int = 0
    created: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Decay:
    """Lets memories fade that were not used for more than a week; archives what is too weak.

    Slices are committed one by one in id order and computed from the rows alone, so that a pass which is cut
    off is simply run again.
    """

    life: Life
    emitter: Emitter
    clock: Clock
    floors: bool = True

    async def run(self, now: datetime, user_id: str | None = None) -> Summary:
        """Run over all tenants, or one user's memories in each.

        Args:
            now: the moment to decay to, aware; at most one pass a day changes anything.
            user_id: only this user's memories.
        """
        summary, began = Summary("decay"), self.clock.monotonic()
        for tenant in await self.life.tenants():
            async for archived in self._slices(tenant, now, user_id, summary):
                await self.emitter.emit(tenant, _archived(archived))
        summary.seconds = self.clock.monotonic() - began
        return summary

    async def _slices(
        self, tenant: str, now: datetime, user_id: str | None, summary: Summary
    ) -> AsyncIterator[Sequence[tuple[UUID, str]]]:
        last: UUID | None = None
        while True:
            done = await self.life.decay(
                tenant, now, user_id=user_id, after=last, limit=_SLICE, floors=self.floors
            )
            summary.examined += done.examined
            summary.changed += done.changed
            summary.archived += len(done.archived)
            yield done.archived
            if (last := done.last) is None:
                return


def _archived(memories: Sequence[tuple[UUID, str]]) -> list[DerivedEvent]:
    return [
        MemoryArchived(user_id=user_id, memory_ids=ids, reason=ArchiveReason.DECAY)
        for user_id, ids in _by_user(memories)
    ]


def _given_back(memories: Sequence[tuple[UUID, str]]) -> list[DerivedEvent]:
    return [
        MemoryChanged(user_id=user_id, memory_ids=ids, fields=("archived_at",))
        for user_id, ids in _by_user(memories)
    ]


def _by_user(memories: Sequence[tuple[UUID, str]]) -> Iterator[tuple[str, tuple[UUID, ...]]]:
    """Yield each user's memories, as many at once as one event names."""
    by_user: dict[str, list[UUID]] = {}
    for memory_id, user_id in memories:
        by_user.setdefault(user_id, []).append(memory_id)
    for user_id, ids in by_user.items():
        for start in range(0, len(ids), _PER_EVENT):
            yield user_id, tuple(ids[start : start + _PER_EVENT])


async def tidy(life: Life, now: datetime) -> None:
    """Drop, for all tenants, the record of events that come no more, and old reasons of dead letters.

    A message that still lacks a stage when its reason goes is sent on its way once more; if it fails again,
    it is a dead letter again. That makes up for a replay which was lost with the power.
    """
    for tenant in await life.tenants():
        await life.tidy(tenant, handled_before=now - _HANDLED_KEPT, died_before=now - _REASONS_KEPT)


@dataclass(frozen=True, slots=True)
class Reconcile:
    """Sends on their way again the messages that have lacked a stage for too long, and says moves once more.

    Derived events live in a stream that may lose its last moments with the power, and a process may end
    between its write and its event; the stages know what is missing, and the rows what the archive took or
    gave back. While events still wait for a worker, what lacks a stage is most likely late and not lost: then
    the pass leaves it alone for longer. Whoever is given the same event twice writes the same.
    """

    life: Life
    emitter: Emitter
    backlog: Backlog
    clock: Clock
    model: str
    patience: timedelta = field(default=timedelta(minutes=2))

    async def run(self) -> Summary:
        """Emit again, for all tenants, the event before the first stage that is missing, and of each move."""
        summary, began = Summary("reconcile"), self.clock.monotonic()
        patience = self.patience * (_BUSY if await self.backlog.waiting() else 1)
        now = self.clock.now()
        for tenant in await self.life.tenants():
            lagging = await self.life.lagging(tenant, now, patience, _REMITTED)
            summary.examined += len(lagging)
            await self.emitter.emit(tenant, [event for one in lagging for event in self._again(one)])
            summary.changed += len(lagging)
            await self._tell_moved(tenant, now - patience, summary)
        summary.seconds = self.clock.monotonic() - began
        return summary

    async def _tell_moved(self, tenant: str, before: datetime, summary: Summary) -> None:
        """Say once more what moved before `before`; then it is taken as said.

        Whoever moved it said so at once, if nothing came in between. So it is said twice, patience apart, and
        one crash or power failure leaves one of the two; only a second one, in the moment after the second
        saying, could leave none.
        """
        moved = await self.life.moved(tenant, before, _SLICE)
        if not moved:
            return
        archived = [(one.memory_id, one.user_id) for one in moved if one.archived]
        given_back = [(one.memory_id, one.user_id) for one in moved if not one.archived]
        await self.emitter.emit(tenant, [*_archived(archived), *_given_back(given_back)])
        await self.life.told(tenant, moved)
        summary.examined += len(moved)
        summary.changed += len(moved)

    def _again(self, lagging: Lagging) -> list[DerivedEvent]:
        ids, lacks = lagging.progress.ids, lagging.lacks
        if Stage.ENCODED in lacks or Stage.EXTRACTED in lacks:
            return [MemoryCreated(**ids)]  # heard by encode and by knowledge
        if Stage.ENRICHED in lacks:
            return [MemoryEncoded(**ids, model=self.model)]
        return [MemoryEnriched(**ids, version="reconcile")]
