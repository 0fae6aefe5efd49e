"""Condenses old, weak memories into syntheses; the sources stay."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final, TypeAlias
from uuid import UUID

from ricordo.clock import Clock
from ricordo.language.instructions import is_instructing
from ricordo.memory.compression import (
    ALIKE,
    FEWEST,
    CompressionCandidate,
    compression_cutoff,
    group_memories,
    is_worth_condensing,
)
from ricordo.memory.summaries import SessionTurn
from ricordo.memory.syntheses import synthesise
from ricordo.messages.events import DerivedEvent
from ricordo.models.llm_condenser import LlmCondenser
from ricordo.runtime.event_publishing import Emitter
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.consolidation import CompressionStore, MemoryPosition
from ricordo_services.lifecycle.derived_events import creation_events
from ricordo_services.lifecycle.passes.pass_runner import IsolatedItems, PassWork, Slice

_WINDOW: Final = 10_000  # memories of a user that are grouped at once: some 20 MB
_USERS: Final = 1_000
_SLICE: Final = 20  # groups whose events are published together

_Group: TypeAlias = tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class CompressionPass(PassWork):
    """The work of the pass `compress`, user by user, in windows of time.

    A user is repeated until nothing more is condensed, so that a second run changes nothing. Each synthesis
    is written with the mark on its sources in one transaction, so an interrupted pass can continue. If events
    are lost, reconciliation publishes them.

    Attributes:
        alike: the minimum cosine of each member of a group with the central one.
        condenser: a language model; None for extractive summaries.
    """

    store: CompressionStore
    emitter: Emitter
    clock: Clock
    executor: CpuExecutor
    model: str
    alike: float = ALIKE
    condenser: LlmCondenser | None = None
    name: str = "compress"
    items: IsolatedItems = field(default_factory=lambda: IsolatedItems("compress"))

    async def slices(
        self, tenant: str, now: datetime, user_id: str | None, _after: UUID | None
    ) -> AsyncGenerator[Slice, None]:
        """Condense old, weak memories; condensed ones are not found again."""
        async for user in self._users(tenant, now, user_id):
            async for one in self.items.each(self._whole(tenant, user, now), now, tenant, user_id=user):
                yield one

    async def _users(self, tenant: str, now: datetime, user_id: str | None) -> AsyncGenerator[str]:
        if user_id is not None:
            yield user_id
            return
        after = ""
        while users := await self.store.users(tenant, compression_cutoff(now), after, _USERS):
            for user in users:
                yield user
            after = users[-1]

    async def _whole(self, tenant: str, user_id: str, now: datetime) -> AsyncGenerator[Slice, None]:
        """Condense the weak memories of a user until nothing changes; count each failure once."""
        first, created, failed = True, True, set[_Group]()
        while created:
            created = False
            async for one in self._of_user(tenant, user_id, now, failed):
                created = created or one.created > 0
                yield one if first else replace(one, examined=0)
            first = False
        if failed:
            yield Slice(failed=len(failed))

    async def _of_user(
        self, tenant: str, user_id: str, now: datetime, failed: set[_Group]
    ) -> AsyncGenerator[Slice, None]:
        """Condense the weak memories of a user once."""
        after: MemoryPosition | None = None
        while True:
            window = await self.store.weak(tenant, user_id, self.model, now, after=after, limit=_WINDOW)
            yield Slice(examined=len(window))
            (found,) = await self.executor.map(partial(group_memories, alike=self.alike), [window])
            for start in range(0, len(found), _SLICE):
                yield await self._condensed(tenant, user_id, found[start : start + _SLICE], now, failed)
            if len(window) < _WINDOW:
                return
            after = MemoryPosition(window[-1].created_at, window[-1].id)

    async def _condensed(
        self,
        tenant: str,
        user_id: str,
        some: Sequence[tuple[CompressionCandidate, ...]],
        now: datetime,
        failed: set[_Group],
    ) -> Slice:
        """Write the syntheses of some groups, and publish their events."""
        ids = [one.id for group in some for one in group]
        known = {one.memory.id: one for one in await self.store.sources(tenant, user_id, self.model, ids)}
        events: list[DerivedEvent] = []
        changed = created = 0
        try:
            for group in some:
                if any(one.id not in known for one in group):  # forgotten since
                    continue
                # Instructions to a model are not condensed.
                sources = [known[one.id] for one in group if not is_instructing(known[one.id].memory.content)]
                if len(sources) < FEWEST:
                    continue
                if not is_worth_condensing([(one.memory.content, one.memory.language) for one in sources]):
                    continue
                of = tuple(one.memory.id for one in sources)
                work = partial(self._write, tenant, sources, now, events)
                done = await self.items.of(work, now, tenant, user_id=user_id, memory_ids=of)
                changed, created = changed + done.changed, created + done.created
                if done.failed:
                    failed.add(of)
        finally:  # events of written syntheses are published in any case
            if events:
                await self.emitter.emit(tenant, events)
        return Slice(changed=changed, created=created)

    async def _write(
        self, tenant: str, sources: Sequence[SessionTurn], now: datetime, events: list[DerivedEvent]
    ) -> Slice:
        """Write a synthesis, and add its events; nothing if a source has changed."""
        text = None if self.condenser is None else await self.condenser.synthesis(sources)
        (synthesis,) = await self.executor.map(partial(synthesise, text=text), [sources])
        memories = [one.memory for one in sources]
        progress = await self.store.compress(tenant, synthesis, memories, now, self.clock.now())
        if progress is None:
            return Slice()
        events += creation_events(synthesis, progress.ids)
        return Slice(changed=len(sources), created=1)
