"""Repairs the graph of a user from PostgreSQL, while messages go on changing facts."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar
from uuid import UUID

from ricordo.graph.port import FactGraph, GraphInRepair, GraphUnavailable, Survey
from ricordo.runtime.tasks import SingleFlight, TaskStopped, WaitTimeout
from ricordo.store.fact_queries import FactSource

_Item = TypeVar("_Item", UUID, str)


class RepairedFacts(NamedTuple):
    """The result of a batch: the number of written facts, and of removed ones unknown to PostgreSQL."""

    written: int
    removed: int


Report = Callable[[RepairedFacts], None]
"""Called after each batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRepair:
    """Writes the known facts of a user to the graph, and removes all others.

    Each batch of facts is read and written under the lock of its user, as live facts are: neither overwrites
    newer data, others wait no longer than for a batch, and transactions have a bounded size.
    An interrupted run is simply repeated: what has been written is written once more, and
    changes nothing.

    While the version of the graph differs from that of PostgreSQL, nothing else is projected. At the end the
    graph gets the version of PostgreSQL, unless its version has changed meanwhile by another projection.
    """

    facts: FactSource
    graph: FactGraph
    batch: int = 500

    async def repair(self, tenant: str, user_id: str, report: Report = lambda _: None) -> None:
        """Make the graph of a user equal to its facts.

        Raises:
            GraphUnavailable, StoreUnavailable: a server does not answer; what was written stays.
        """
        before = await self.graph.state(tenant, user_id)  # read first: later changes change it
        found = await self.graph.survey(tenant, user_id)
        for ids in self._batches(found.ids.union(await self.facts.ids(tenant, user_id))):
            report(await self._write(tenant, user_id, ids, found))
        for keys in self._batches(found.isolated):
            async with self.facts.lock(tenant, user_id):
                await self.graph.sweep(tenant, user_id, keys)
        async with self.facts.lock(tenant, user_id) as known:
            state = await known.version()
            if state is None or state != before:
                await self.graph.stand(tenant, user_id, before=before, after=state)

    async def is_in_step(self, tenant: str, user_id: str) -> bool:
        """Whether the graph of a user has the version of its facts."""
        async with self.facts.lock(tenant, user_id) as known:
            return await known.version() == await self.graph.state(tenant, user_id)

    async def _write(self, tenant: str, user_id: str, ids: Collection[UUID], found: Survey) -> RepairedFacts:
        async with self.facts.lock(tenant, user_id) as known:
            facts = await known.find(ids)
            unknown = set(ids).difference(fact.id for fact in facts)
            gone = unknown.union(found.broken.intersection(ids))
            await self.graph.project(tenant, user_id, facts, gone=gone)
        return RepairedFacts(len(facts), len(unknown & found.ids))

    def _batches(self, items: Collection[_Item]) -> Iterator[Collection[_Item]]:
        ordered = sorted(items)
        return (ordered[start : start + self.batch] for start in range(0, len(ordered), self.batch))


class GraphRepairs(SingleFlight[tuple[str, str], None]):
    """Runs at most one repair per user; an async context manager that cancels the rest at its end."""

    def __init__(self, graph_repair: GraphRepair) -> None:
        """Create with the repair to run."""
        self._graph_repair = graph_repair
        super().__init__("a graph could not be mended")

    async def repair(self, tenant: str, user_id: str, *, until: float | None = None) -> None:
        """Repair the graph of a user if it is out of step, or wait for a repair that is running.

        The repair goes on if the caller is cancelled.

        Args:
            until: deadline by the time of the event loop; None for none.

        Raises:
            GraphInRepair: the deadline has passed; the repair goes on.
            GraphUnavailable, StoreUnavailable: a server does not answer, or the process ends; what was
                written stays.
        """
        try:
            await self.wait((tenant, user_id), lambda: self._repair(tenant, user_id), until=until)
        except WaitTimeout:
            message = "the graph is out of step, and being mended for longer than may be waited"
            raise GraphInRepair(message) from None
        except TaskStopped:
            raise GraphUnavailable("the process ends while the graph is mended") from None

    async def _repair(self, tenant: str, user_id: str) -> None:
        if not await self._graph_repair.is_in_step(tenant, user_id):
            await self._graph_repair.repair(tenant, user_id)
