"""How the graph follows what is known."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Final, TypeVar

from ricordo.graph.port import FactGraph, GraphUnavailable
from ricordo.memory.facts.folding import FactDelta, Project, VersionConflict
from ricordo_services.knowledge.graph_repair import GraphRepairs

_MENDINGS: Final = 2
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class GraphProjector:
    """Has the graph follow what is written to the truth, and mends it where it is out of step.

    Attributes:
        patience: seconds for which a mending is waited for, >= 0; None for as long as it takes.
    """

    graph: FactGraph
    mendings: GraphRepairs
    patience: float | None = None

    async def __call__(
        self, tenant: str, users: Collection[str], write: Callable[[Project], Awaitable[_Result]]
    ) -> _Result:
        """Write to the truth, with what projects it; again, after the graphs of `users` were mended.

        Args:
            write: writes once and for all, or raises `VersionConflict` and has written nothing.

        Raises:
            GraphInRepair: it takes longer than `patience`, and goes on.
            GraphUnavailable: the graph does not answer, or other workers change it all the time.
            Exception: whatever `write` raised.
        """
        project = projecting(self.graph, tenant)
        until = None if self.patience is None else asyncio.get_running_loop().time() + self.patience
        for _ in range(_MENDINGS):
            try:
                return await write(project)
            except VersionConflict:
                for user_id in sorted(users):
                    await self.mendings.mend(tenant, user_id, until=until)
        try:
            return await write(project)
        except VersionConflict as error:
            away = "the graph was out of step again each time it had been mended"
            raise GraphUnavailable(away) from error


def projecting(graph: FactGraph, tenant: str) -> Project:
    """Return what writes to `graph` what has changed of a user's facts."""

    async def project(learned: FactDelta) -> None:
        await graph.project(tenant, learned.user_id, learned.facts, gone=learned.gone, step=learned.step)

    return project
