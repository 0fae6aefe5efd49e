"""Brings the graph of users to the facts in PostgreSQL, whatever the graph contains."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from ricordo.clock import Clock
from ricordo.graph.bolt import FactGraph
from ricordo.graph.graph_model import GraphDelta
from ricordo.messages.events import FactsExtracted
from ricordo.runtime.backoff import ItemBackoff
from ricordo.runtime.handling import Done, Envelope, Outcome
from ricordo.store.fact_source import FactSource
from ricordo.store.lifecycle_store import LifecycleStore

_USERS: Final = 1_000  # of a tenant that one catch-up projects


class GraphProjector:
    """Writes what is missing in the graph of a user, from the version that the graph has."""

    def __init__(self, facts: FactSource, graph: FactGraph) -> None:
        self.facts = facts
        self.graph = graph
        self._is_prepared = False

    async def project(self, tenant: str, user_id: str, *, whole: bool = False) -> int:
        """Make the graph of a user equal to the facts; return how many were written.

        Args:
            whole: whether to write all facts and remove everything else, whatever version the graph has.

        Raises:
            GraphUnavailable, StoreUnavailable: a server does not answer; the next call continues.
        """
        if not self._is_prepared:
            await self.graph.prepare()
            self._is_prepared = True
        version = 0

        async def read(known: int | None) -> GraphDelta:
            nonlocal version
            version, delta = await self.facts.changes(tenant, user_id, None if whole else known)
            return delta

        written = await self.graph.project(tenant, user_id, read)
        await self.facts.confirm(tenant, user_id, version)
        return written

    async def __call__(self, tenant: str, events: Sequence[Envelope[FactsExtracted]]) -> Sequence[Outcome]:
        """Handle `facts.extracted`: project the users whose facts have changed."""
        users = sorted({event.body.user_id for event in events})
        for user_id in await self.facts.behind(tenant, users, len(users)):
            await self.project(tenant, user_id)
        await self.facts.drop_failures(tenant, [event.body.message_id for event in events])
        return [Done()] * len(events)


@dataclass(frozen=True, slots=True)
class GraphCatchUp:
    """Projects the users whose facts have changed without an event: by a command, or before one was lost."""

    projector: GraphProjector
    life: LifecycleStore
    clock: Clock
    _backoff: ItemBackoff = field(default_factory=partial(ItemBackoff, "graph"), init=False)

    async def run(self) -> None:
        """Project all users whose graph is behind; one that fails does not block others.

        Raises:
            GraphUnavailable, StoreUnavailable: a server does not answer.
        """
        now = self.clock.now()
        for tenant in await self.life.tenants():
            for user_id in await self.projector.facts.behind(tenant, None, _USERS):
                if not self._backoff.in_cooldown(now, tenant, user_id=user_id):
                    with self._backoff.guard(now, tenant, user_id=user_id):
                        await self.projector.project(tenant, user_id)
