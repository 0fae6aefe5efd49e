"""Rebuilds the graph user by user, while messages go on changing facts."""

from dataclasses import dataclass

from ricordo.clock import Clock
from ricordo.messages.subjects import checked_tenant
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo_services.job_progress import ReindexOrder, ReindexProgress, ReindexReport
from ricordo_services.knowledge.graph_projector import GraphProjector


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRebuild:
    """Writes the graph from the facts in PostgreSQL, whatever it contains."""

    projector: GraphProjector
    life: LifecycleStore
    clock: Clock

    async def run(self, order: ReindexOrder, report: ReindexReport = lambda _: None) -> ReindexProgress:
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
        tenants = await self.life.tenants() if order.tenant is None else [order.tenant]
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
