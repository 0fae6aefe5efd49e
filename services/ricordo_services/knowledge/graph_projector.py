"""Projects facts to the graph, and repairs a graph whose version differs."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Final, TypeVar

from ricordo.graph.port import FactGraph, GraphUnavailable
from ricordo.memory.facts.fact_model import FactDelta, Project, VersionConflict
from ricordo_services.knowledge.graph_repair import GraphRepairs

_REPAIRS: Final = 2
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class GraphProjector:
    """Projects what is written to PostgreSQL to the graph, and repairs a graph that is out of step.

    Attributes:
        patience: timeout of a repair in seconds, >= 0; None for no timeout.
    """

    graph: FactGraph
    repairs: GraphRepairs
    patience: float | None = None

    async def __call__(
        self, tenant: str, users: Collection[str], write: Callable[[Project], Awaitable[_Result]]
    ) -> _Result:
        """Call `write` with the projection; on a version conflict, repair the graphs of `users` and retry.

        Args:
            write: commits, or raises `VersionConflict` and writes nothing.

        Raises:
            GraphInRepair: the repair takes longer than `patience`, and goes on.
            GraphUnavailable: the graph does not answer, or other workers change it all the time.
            Exception: of `write`.
        """
        project = projection_to(self.graph, tenant)
        until = None if self.patience is None else asyncio.get_running_loop().time() + self.patience
        for _ in range(_REPAIRS):
            try:
                return await write(project)
            except VersionConflict:
                for user_id in sorted(users):
                    await self.repairs.repair(tenant, user_id, until=until)
        try:
            return await write(project)
        except VersionConflict as error:
            message = "the graph was out of step again each time it had been mended"
            raise GraphUnavailable(message) from error


def projection_to(graph: FactGraph, tenant: str) -> Project:
    """Return the function that writes changed facts of a user to `graph`."""

    async def project(learned: FactDelta) -> None:
        await graph.project(tenant, learned.user_id, learned.facts, gone=learned.gone, step=learned.step)

    return project
