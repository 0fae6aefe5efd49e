"""What is known of an entity by its name: how it is called, how often it is named, and what is near it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ricordo.graph.port import MAX_DEPTH, EntityNeighbour, FactGraph, GraphUnavailable
from ricordo.messages.enumerations import Degradation
from ricordo.messages.views import EntityView
from ricordo.store.fact_queries import FactQueries
from ricordo_services.retrieval.reply_views import entity_view

NEIGHBOURS: Final = 20
"""The most that are shown: the near ones come first."""

Degraded = tuple[Degradation, ...]


@dataclass(frozen=True, slots=True)
class EntityLookup:
    """Looks up the entity that is asked about; what the graph cannot say is missing, and named.

    Attributes:
        graph_answers: whether the graph can be asked just now.
    """

    ledger: FactQueries
    graph: FactGraph
    graph_answers: Callable[[], Awaitable[bool]]
    graph_within_s: float = 1.5

    async def __call__(
        self, tenant: str, user_id: str, name: str | None
    ) -> tuple[EntityView | None, Degraded]:
        """Return the entity, None where nothing is known by that name; and what could not be asked."""
        entity = None if name is None else await self.ledger.entity(tenant, user_id, name)
        if entity is None:
            return None, ()
        try:
            neighbours = await self._neighbours(tenant, user_id, entity.name)
        except (GraphUnavailable, TimeoutError):
            return entity_view(entity, ()), (Degradation.GRAPH,)
        return entity_view(entity, neighbours), ()

    async def _neighbours(self, tenant: str, user_id: str, name: str) -> Sequence[EntityNeighbour]:
        if not await self.graph_answers():
            raise GraphUnavailable("the graph does not answer")
        async with asyncio.timeout(self.graph_within_s):
            return await self.graph.neighbours(
                tenant, user_id, name, depth=MAX_DEPTH, limit=NEIGHBOURS, past_user=False
            )
