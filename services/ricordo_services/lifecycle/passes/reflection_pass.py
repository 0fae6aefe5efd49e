"""Reflection: draws insights from regularities in the memories of a user, once enough are new."""

import math
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

from ricordo.clock import Clock
from ricordo.memory.reflection import Insight, find_insights, insight_key, insight_memory
from ricordo.memory.reflection.observations import ReflectionEvidence
from ricordo.memory.salience import strip_instructions
from ricordo.models.llm_insights import LlmInsights
from ricordo.runtime.event_publishing import Emitter
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.consolidation import Reflection, ReflectionBacklog, ReflectionStore
from ricordo_services.lifecycle.derived_events import derived_memory_events, removal_events
from ricordo_services.lifecycle.passes.pass_runner import IsolatedItems, Slice

OBSERVED: Final = 100
"""The number of memories that a reflection reads."""

_AT_ONCE: Final = 50  # users in a batch


@dataclass(frozen=True, slots=True)
class ReflectionPass:
    """The work of the pass `reflect`: insights from the latest memories of each user with enough new ones.

    The transaction that writes insights also resets the sum of new importances. If its events are lost,
    reconciliation finds that the insights lack a stage.

    Attributes:
        threshold: for the sum of new importances, from 1 to 10 each; infinite disables the pass.
    """

    store: ReflectionStore
    emitter: Emitter
    clock: Clock
    executor: CpuExecutor
    threshold: float = 100.0
    model: LlmInsights | None = None
    name: str = "reflect"
    items: IsolatedItems = field(default_factory=lambda: IsolatedItems("reflect"))

    async def expected(self, tenant: str, now: datetime, user_id: str | None) -> int:  # noqa: ARG002
        """Return the number of due users, at most one batch."""
        return len(await self._due(tenant, user_id))

    async def slices(
        self, tenant: str, now: datetime, user_id: str | None, _after: UUID | None
    ) -> AsyncGenerator[Slice, None]:
        """Reflect on all due users; they are not found again."""
        async for done in self.items.all_due(
            partial(self._due, tenant, user_id),
            partial(self._reflect, tenant),
            lambda due: due.user_id,
            lambda due: {"user_id": due.user_id},
            now=now,
            tenant=tenant,
        ):
            yield done

    async def _due(self, tenant: str, user_id: str | None, more: int = 0) -> Sequence[ReflectionBacklog]:
        """Return one batch of due users, and `more`."""
        if math.isinf(self.threshold):
            return ()
        return await self.store.due(tenant, self.threshold, user_id=user_id, limit=_AT_ONCE + more)

    async def _reflect(self, tenant: str, one: ReflectionBacklog) -> Slice:
        observed = await self.store.observed(tenant, one.user_id, OBSERVED)
        observed = replace(observed, memories=strip_instructions(observed.memories))
        claimed = () if self.model is None else await self.model.insights(observed)
        [found] = await self.executor.map(_find_insights, [(observed, tuple(claimed))])
        reflections = [
            Reflection(insight_key(one.user_id, each), insight_memory(each, observed.memories))
            for each in found
        ]
        reflected = await self.store.reflect(tenant, one, reflections, self.clock.now())
        if reflected is None:  # another process has reflected meanwhile
            return Slice(examined=len(observed.memories))
        events = derived_memory_events([each.memory for each in reflections], reflected.written)
        gone = reflected.withdrawn
        await self.emitter.emit(tenant, [*events, *removal_events(one.user_id, gone)])
        return Slice(examined=len(observed.memories), changed=len(gone), created=reflected.created)


def _find_insights(given: tuple[ReflectionEvidence, tuple[Insight, ...]]) -> tuple[Insight, ...]:
    observed, claimed = given
    return find_insights(observed.memories, observed.own_names, claimed)
