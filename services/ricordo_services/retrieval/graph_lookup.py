"""Answers `query.graph`: what is around an entity, and what connects two of them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from ricordo.graph.bolt.fact_graph import FactGraph
from ricordo.graph.graph_model import GraphEdge, GraphUnavailable
from ricordo.messages.entities import GraphEdgeView, GraphNode, GraphPathView, GraphReply, GraphRequest
from ricordo.messages.enumerations import Degradation
from ricordo.store.fact_queries import FactQueries

_NODES: Final = 200
_EDGES: Final = 500
_PATHS: Final = 10
_OF_A_FACT: Final = ("id", "predicate", "confidence", "verified", "valid_from", "valid_to")


@dataclass(frozen=True, slots=True)
class GraphLookup:
    """Answers `query.graph` by the graph.

    Attributes:
        facts: finds the canonical names of entities.
        graph_answers: whether the graph is available.
    """

    facts: FactQueries
    graph: FactGraph
    graph_answers: Callable[[], Awaitable[bool]]
    graph_within_s: float = 4.0

    async def __call__(self, tenant: str, request: GraphRequest, /) -> GraphReply:
        """Return a part of the graph, or that it is unavailable."""
        named = (request.entity,) if request.from_ is None else (request.from_, request.to)
        names = [await self._canonical(tenant, request.user_id, name) for name in named if name is not None]
        with suppress(GraphUnavailable, TimeoutError):
            if await self.graph_answers():
                async with asyncio.timeout(self.graph_within_s):
                    if request.from_ is None:
                        return await self._around(tenant, request, *names)
                    return await self._between(tenant, request, *names)
        return GraphReply(degraded=(Degradation.GRAPH,))

    async def _canonical(self, tenant: str, user_id: str, name: str) -> str:
        """Return the name of the entity that goes by `name`; a value of a fact, or the user, has no other."""
        entity = await self.facts.entity(tenant, user_id, name)
        return name if entity is None else entity.name

    async def _around(self, tenant: str, request: GraphRequest, entity: str) -> GraphReply:
        found = await self.graph.neighbourhood(
            tenant,
            request.user_id,
            entity,
            depth=request.depth,
            min_confidence=request.min_confidence,
            max_nodes=_NODES,
            max_edges=_EDGES,
        )
        return GraphReply(
            nodes=_nodes(found.names, found.distances),
            edges=_edges(found.names, found.edges),
            truncated=found.truncated,
        )

    async def _between(self, tenant: str, request: GraphRequest, start: str, end: str) -> GraphReply:
        found = await self.graph.paths(
            tenant,
            request.user_id,
            start,
            end,
            depth=request.depth,
            min_confidence=request.min_confidence,
            limit=_PATHS + 1,  # the surplus one shows that there are more
        )
        shown = found[:_PATHS]
        names: dict[str, str] = {}
        distances: dict[str, int] = {}
        for path in shown:
            names |= path.names
            for distance, key in enumerate(path.names):
                distances[key] = min(distance, distances.get(key, distance))
        edges = {edge.fact.id: edge for path in shown for edge in path.edges}
        return GraphReply(
            nodes=_nodes(names, distances),
            edges=_edges(names, edges.values()),
            paths=tuple(
                GraphPathView(
                    nodes=tuple(path.names.values()),
                    facts=tuple(edge.fact.id for edge in path.edges),
                    strength=path.strength,
                )
                for path in shown
            ),
            truncated=len(found) > len(shown),
        )


def _nodes(names: Mapping[str, str], distances: Mapping[str, int]) -> tuple[GraphNode, ...]:
    nearest = sorted(names, key=lambda key: (distances[key], names[key], key))
    return tuple(GraphNode(name=names[key], distance=distances[key]) for key in nearest)


def _edges(names: Mapping[str, str], edges: Iterable[GraphEdge]) -> tuple[GraphEdgeView, ...]:
    """Return views of edges, whose ends are named as the nodes are."""
    return tuple(
        GraphEdgeView(
            subject=names[edge.subject],
            object=names[edge.object],
            **{name: getattr(edge.fact, name) for name in _OF_A_FACT},
        )
        for edge in edges
    )
