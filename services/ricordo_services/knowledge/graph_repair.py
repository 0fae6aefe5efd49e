"""Making the graph of a user what is known, whatever it holds, while messages go on changing that."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar
from uuid import UUID

from ricordo.graph.port import FactGraph, GraphInRepair, GraphUnavailable, Survey
from ricordo.runtime.tasks import SingleFlight, TaskStopped, WaitTimeout
from ricordo.store.fact_queries import FactSource

_Item = TypeVar("_Item", UUID, str)


class RepairedFacts(NamedTuple):
    """What a batch came to: facts that were written, and such as the truth does not hold."""

    written: int
    removed: int


Tell = Callable[[RepairedFacts], None]
"""Is told of each batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRepair:
    """Writes all that is known of a user, and removes what is not.

    Each batch of facts is read and written under the lock of its user, as live facts are: neither overwrites
    what is newer, nobody waits longer than a batch takes, and no transaction grows with what is known.
    Whoever is stopped in the middle is simply run again: what has been written is written once more, and
    changes nothing.

    While the graph is at a state that is none of the truth, nobody else projects: the facts stand still, and
    at the end it is at the truth's. Where it is at another state by then, somebody has projected or mended it
    meanwhile, and it is left there.
    """

    facts: FactSource
    graph: FactGraph
    batch: int = 500

    async def mend(self, tenant: str, user_id: str, tell: Tell = lambda _: None) -> None:
        """Make the graph of a user what is known.

        Raises:
            GraphUnavailable, StoreUnavailable: a server does not answer; what was written stays.
        """
        before = await self.graph.state(tenant, user_id)  # at first: what changes from now on changes it
        held = await self.graph.survey(tenant, user_id)
        for ids in self._batches(held.ids.union(await self.facts.ids(tenant, user_id))):
            tell(await self._write(tenant, user_id, ids, held))
        for keys in self._batches(held.isolated):
            async with self.facts.lock(tenant, user_id):
                await self.graph.sweep(tenant, user_id, keys)
        async with self.facts.lock(tenant, user_id) as known:
            state = await known.version()
            if state is None or state != before:
                await self.graph.stand(tenant, user_id, before=before, after=state)

    async def is_in_step(self, tenant: str, user_id: str) -> bool:
        """Whether the graph of a user is at the state of the truth."""
        async with self.facts.lock(tenant, user_id) as known:
            return await known.version() == await self.graph.state(tenant, user_id)

    async def _write(self, tenant: str, user_id: str, ids: Collection[UUID], held: Survey) -> RepairedFacts:
        async with self.facts.lock(tenant, user_id) as known:
            facts = await known.find(ids)
            unknown = set(ids).difference(fact.id for fact in facts)
            gone = unknown.union(held.broken.intersection(ids))
            await self.graph.project(tenant, user_id, facts, gone=gone)
        return RepairedFacts(len(facts), len(unknown & held.ids))

    def _batches(self, items: Collection[_Item]) -> Iterator[Collection[_Item]]:
        ordered = sorted(items)
        return (ordered[start : start + self.batch] for start in range(0, len(ordered), self.batch))


class GraphRepairs(SingleFlight[tuple[str, str], None]):
    """Mends graphs that are out of step; an async context manager that stops what is left at its end."""

    def __init__(self, mending: GraphRepair) -> None:
        """Mend by `mending`."""
        self._mending = mending
        super().__init__("a graph could not be mended")

    async def mend(self, tenant: str, user_id: str, *, until: float | None = None) -> None:
        """Wait until the graph of a user was mended, if it is out of step: for this call, or an earlier one.

        Whoever is cancelled leaves the mending to go on.

        Args:
            until: for how long to wait, by the time of the event loop; None for as long as it takes.

        Raises:
            GraphInRepair: it takes longer, and goes on.
            GraphUnavailable, StoreUnavailable: a server does not answer, or the process ends; what was
                written stays.
        """
        try:
            await self.wait((tenant, user_id), lambda: self._mend(tenant, user_id), until=until)
        except WaitTimeout:
            sentence = "the graph is out of step, and being mended for longer than may be waited"
            raise GraphInRepair(sentence) from None
        except TaskStopped:
            raise GraphUnavailable("the process ends while the graph is mended") from None

    async def _mend(self, tenant: str, user_id: str) -> None:
        if not await self._mending.is_in_step(tenant, user_id):
            await self._mending.mend(tenant, user_id)
