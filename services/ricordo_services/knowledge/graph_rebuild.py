"""Rebuilds the graph user by user, in batches, while messages go on changing facts."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial

from ricordo.clock import Clock
from ricordo.messages.subjects import checked_tenant
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo_services.job_progress import ReindexOrder, ReindexProgress, ReindexReport
from ricordo_services.knowledge.graph_repair import GraphRepair, RepairedFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRebuild:
    """Makes the graph equal to the facts in PostgreSQL, whatever it contains."""

    graph_repair: GraphRepair
    life: LifecycleStore
    clock: Clock

    async def run(self, order: ReindexOrder, report: ReindexReport = lambda _: None) -> ReindexProgress:
        """Write known facts and remove unknown ones, user by user.

        Raises:
            GraphUnavailable, StoreUnavailable: a server does not answer; what was written stays.
        """
        began, done = self.clock.monotonic(), ReindexProgress("graph")
        await self.graph_repair.graph.prepare()  # it may be a new, empty one
        owners = await self._owners(order, done)
        report(done)
        if order.user_id is None:
            await self._sweep(order, owners)
        for tenant, user_id in owners:
            await self.graph_repair.repair(tenant, user_id, partial(_count, done, report))
            done.users += 1
        done.seconds = self.clock.monotonic() - began
        return done

    async def _owners(self, order: ReindexOrder, done: ReindexProgress) -> list[tuple[str, str]]:
        """Return the users with facts in PostgreSQL or in the graph."""
        tenants = await self.life.tenants() if order.tenant is None else [order.tenant]
        owners = {
            (tenant, user_id)
            for tenant, user_id in await self.graph_repair.graph.owners(order.tenant)
            if order.user_id in (None, user_id) and _is_ours(tenant)
        }
        for tenant in tenants:
            facts = await self.graph_repair.facts.owners(tenant, order.user_id)
            owners |= {(tenant, user_id) for user_id in facts}
            done.found += sum(facts.values())
        return sorted(owners)

    async def _sweep(self, order: ReindexOrder, owners: Collection[tuple[str, str]]) -> None:
        """Remove facts without an owner, in one tenant, or in all and outside of them."""
        tenants = {tenant for tenant, _ in owners}
        if order.tenant is not None:
            tenants.add(order.tenant)
        await self.graph_repair.graph.sweep_ownerless(tenants, unnamed=order.tenant is None)


def _count(done: ReindexProgress, report: ReindexReport, batch: RepairedFacts) -> None:
    done.written += batch.written
    done.removed += batch.removed
    report(done)


def _is_ours(tenant: str) -> bool:
    """Whether it is a valid name of a tenant: the server may contain entities of other applications."""
    try:
        checked_tenant(tenant)
    except ValueError:
        return False
    return True
