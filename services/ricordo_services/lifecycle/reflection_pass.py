"""Reflecting: once enough has come in about a user, what is regular in it becomes insights."""

import math
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final, Protocol
from uuid import UUID

from ricordo.clock import Clock
from ricordo.memory.reflection import Insight, find_insights, insight_key, insight_memory
from ricordo.memory.reflection.observations import ReflectionEvidence
from ricordo.memory.salience import strip_instructions
from ricordo.runtime.event_publishing import Emitter
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.consolidation import Reflection, ReflectionBacklog, ReflectionStore
from ricordo_services.lifecycle.derived_events import derived_memory_events, removal_events
from ricordo_services.lifecycle.passes.slices import IsolatedItems, Slice

OBSERVED: Final = 100
"""Memories that a reflection is drawn from."""

_AT_ONCE: Final = 50  # users that are looked for at a time


class InsightModel(Protocol):
    """A language model that draws insights."""

    async def insights(self, tenant: str, observed: ReflectionEvidence) -> Sequence[Insight]:
        """Return what it understood and the memories bear out; fewer than three where not all of it held."""
        ...


@dataclass(frozen=True, slots=True)
class ReflectionPass:
    """The work of `reflect`: what follows from the last memories of each user of whom enough has accumulated.

    What has accumulated is settled in the transaction that writes the insights, so that whoever is stopped
    has either reflected or not. What is told of it may be lost then: of an insight that lacks a stage the
    reconciliation tells.

    Attributes:
        threshold: of the sum of importances, from 1 to 10 each, that must have come in; infinite for nobody.
    """

    store: ReflectionStore
    emitter: Emitter
    clock: Clock
    executor: CpuExecutor
    threshold: float = 100.0
    model: InsightModel | None = None
    name: str = "reflect"
    trials: IsolatedItems = field(default_factory=lambda: IsolatedItems("reflect"))

    async def expected(self, tenant: str, now: datetime, user_id: str | None) -> int:  # noqa: ARG002
        """Return how many users are due, as far as these are looked for at a time."""
        return len(await self._due(tenant, user_id))

    async def slices(
        self,
        tenant: str,
        now: datetime,
        user_id: str | None,
        _after: UUID | None,
    ) -> AsyncGenerator[Slice, None]:
        """Reflect upon all users that are due; they are not found again."""
        async for done in self.trials.all_due(
            partial(self._due, tenant, user_id),
            partial(self._upon, tenant),
            lambda due: {"user_id": due.user_id},
            now,
            tenant,
        ):
            yield done

    async def _due(self, tenant: str, user_id: str | None, more: int = 0) -> Sequence[ReflectionBacklog]:
        """Return some users who are due, and `more`."""
        if math.isinf(self.threshold):
            return ()
        return await self.store.due(tenant, self.threshold, user_id=user_id, limit=_AT_ONCE + more)

    async def _upon(self, tenant: str, one: ReflectionBacklog) -> Slice:
        observed = await self.store.observed(tenant, one.user_id, OBSERVED)
        observed = replace(observed, memories=strip_instructions(observed.memories))
        understood = () if self.model is None else await self.model.insights(tenant, observed)
        [found] = await self.executor.map(_drawn, [(observed, tuple(understood))])
        reflections = [
            Reflection(insight_key(one.user_id, each), insight_memory(each, observed.memories))
            for each in found
        ]
        reflected = await self.store.reflect(tenant, one, reflections, self.clock.now())
        if reflected is None:  # somebody else has reflected meanwhile
            return Slice(examined=len(observed.memories))
        told = derived_memory_events([each.memory for each in reflections], reflected.written)
        gone = reflected.withdrawn
        await self.emitter.emit(tenant, [*told, *removal_events(one.user_id, gone)])
        return Slice(examined=len(observed.memories), changed=len(gone), created=reflected.created)


def _drawn(given: tuple[ReflectionEvidence, tuple[Insight, ...]]) -> tuple[Insight, ...]:
    observed, understood = given
    return find_insights(observed.memories, observed.own_names, understood)
