"""Writing the graph anew: user by user, some facts at a time, while messages go on changing what is known."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from uuid import UUID

from ricordo.messages.subjects import checked_tenant
from ricordo.ports.clock import Clock
from ricordo.ports.graph import KeptGraph, Survey
from ricordo.ports.known import KnownFacts
from ricordo.ports.life import Life
from ricordo_services.reindexed import Reindexed, ReindexOrder, Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Regraph:
    """Makes the graph what the facts in the truth are, whatever it holds.

    Each batch of facts is read and written under the lock of its user, as live facts are: neither overwrites
    what is newer, and nobody waits longer than a batch takes. Whoever is stopped in the middle is simply run
    again: what has been written is written once more, and changes nothing.

    Attributes:
        facts: what is known.
        graph: what is made like it.
        life: knows the tenants.
        clock: measures.
        batch: facts that are written at once.
    """

    facts: KnownFacts
    graph: KeptGraph
    life: Life
    clock: Clock
    batch: int = 500

    async def run(self, order: ReindexOrder, report: Report = lambda _: None) -> Reindexed:
        """Write what is known, and remove what is not, one user after the other.

        Args:
            order: whose graph.
            report: told how far it is, at the start and after each batch.

        Raises:
            GraphUnavailable, StoreUnavailable: a server does not answer; what was written stays.
        """
        began, done = self.clock.monotonic(), Reindexed("graph")
        await self.graph.prepare()  # it may be another, empty one
        owners = await self._owners(order, done)
        report(done)
        for tenant, user_id in owners:
            await self._user(tenant, user_id, done, report)
            done.users += 1
        done.seconds = self.clock.monotonic() - began
        return done

    async def _owners(self, order: ReindexOrder, done: Reindexed) -> list[tuple[str, str]]:
        """Return of whom something is known, or of whom the graph holds something."""
        tenants = await self.life.tenants() if order.tenant is None else [order.tenant]
        owners = {
            (tenant, user_id)
            for tenant, user_id in await self.graph.owners(order.tenant)
            if order.user_id in (None, user_id) and _is_ours(tenant)
        }
        for tenant in tenants:
            facts = await self.facts.owners(tenant, order.user_id)
            owners |= {(tenant, user_id) for user_id in facts}
            done.found += sum(facts.values())
        return sorted(owners)

    async def _user(self, tenant: str, user_id: str, done: Reindexed, report: Report) -> None:
        async with self.facts.held(tenant, user_id):  # nobody writes while the graph is swept
            held = await self.graph.survey(tenant, user_id)
        for batch in self._batches(held.ids.union(await self.facts.ids(tenant, user_id))):
            await self._write(tenant, user_id, batch, held, done)
            report(done)
        async with self.facts.held(tenant, user_id) as known:
            state = await known.state()
            if state != held.state:
                await self.graph.stand(tenant, user_id, before=held.state, after=state)

    async def _write(
        self, tenant: str, user_id: str, batch: Collection[UUID], held: Survey, done: Reindexed
    ) -> None:
        async with self.facts.held(tenant, user_id) as known:
            facts = await known.among(batch)
            unknown = set(batch).difference(fact.id for fact in facts)
            gone = unknown.union(held.broken.intersection(batch))
            await self.graph.project(tenant, user_id, facts, gone=gone)
        done.written += len(facts)
        done.removed += len(unknown & held.ids)

    def _batches(self, ids: Collection[UUID]) -> Iterator[Collection[UUID]]:
        ordered = sorted(ids)
        return (ordered[start : start + self.batch] for start in range(0, len(ordered), self.batch))


def _is_ours(tenant: str) -> bool:
    """Whether a tenant may go by that name: the server may hold entities of others' too."""
    try:
        checked_tenant(tenant)
    except ValueError:
        return False
    return True
