"""Brings the graph of users to the facts in PostgreSQL, whatever the graph contains, or writes it anew."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from ricordo.clock import Clock
from ricordo.graph.fact_graph import FactGraph
from ricordo.graph.graph_model import GraphDelta
from ricordo.messages.events import FactsExtracted
from ricordo.messages.subjects import checked_tenant
from ricordo.runtime.backoff import ItemBackoff
from ricordo.runtime.handling import Done, Envelope, Outcome
from ricordo.store.graph_source import FactSource
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo_services.job_progress import ReindexOrder, ReindexProgress, Report

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
    lifecycle_store: LifecycleStore
    clock: Clock
    _backoff: ItemBackoff = field(default_factory=partial(ItemBackoff, "graph"), init=False)

    async def run(self) -> None:
        """Project all users whose graph is behind; one that fails does not block others.

        Raises:
            GraphUnavailable, StoreUnavailable: a server does not answer.
        """
        now = self.clock.now()
        for tenant in await self.lifecycle_store.tenants():
            for user_id in await self.projector.facts.behind(tenant, None, _USERS):
                if not self._backoff.in_cooldown(now, tenant, user_id=user_id):
                    with self._backoff.guard(now, tenant, user_id=user_id):
                        await self.projector.project(tenant, user_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRebuild:
    """Writes the graph from the facts in PostgreSQL, whatever it contains."""

    projector: GraphProjector
    lifecycle_store: LifecycleStore
    clock: Clock

    async def run(
        self, order: ReindexOrder, report: Report[ReindexProgress] = lambda _: None
    ) -> ReindexProgress:
        """Write known facts and remove unknown ones, user by user.

        Raises:
            GraphUnavailable, StoreUnavailable: a server does not answer; what was written stays.
        """
        began, done = self.clock.monotonic(), ReindexProgress("graph")
        await self.projector.graph.prepare()  # it may be a new, empty one
        owners = await self._owners(order, done)
        report(done)
        for tenant, user_id in owners:
            done.written += await self.projector.project(tenant, user_id, whole=True)
            done.users += 1
            report(done)
        done.seconds = self.clock.monotonic() - began
        return done

    async def _owners(self, order: ReindexOrder, done: ReindexProgress) -> list[tuple[str, str]]:
        """Return the users with facts in PostgreSQL or in the graph."""
        tenants = await self.lifecycle_store.tenants() if order.tenant is None else [order.tenant]
        owners = {
            (tenant, user_id)
            for tenant, user_id in await self.projector.graph.owners(order.tenant)
            if order.user_id in (None, user_id) and _is_ours(tenant)
        }
        for tenant in tenants:
            facts = await self.projector.facts.owners(tenant, order.user_id)
            owners |= {(tenant, user_id) for user_id in facts}
            done.found += sum(facts.values())
        return sorted(owners)


def _is_ours(tenant: str) -> bool:
    """Whether it is a valid name of a tenant: the server may contain entities of other applications."""
    try:
        checked_tenant(tenant)
    except ValueError:
        return False
    return True
