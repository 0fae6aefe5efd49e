"""Builds parts of a graph from its edges, within limits."""

from collections.abc import Iterable, Mapping, Sequence

from ricordo.graph.graph_model import GraphEdge, Subgraph


class SubgraphBuilder:
    """Builds a neighbourhood ring by ring.

    Args:
        start: key of the entity in the middle.
        user: key of the user, past whom no ring is read unless the user is in the middle.
    """

    def __init__(self, start: str, user: str, max_nodes: int, max_edges: int) -> None:
        self._user = user
        self._max_nodes, self._max_edges = max_nodes, max_edges
        self._distances = {start: 0}
        self._names: dict[str, str] = {}
        self._edges: dict[object, GraphEdge] = {}
        self._truncated = False
        self.frontier = [start]
        """Keys of the entities whose facts are to be read next."""
        self.expanded: list[str] = []
        """Keys of those whose facts were read."""

    def add_ring(self, edges: Sequence[GraphEdge], names: Mapping[str, str]) -> None:
        """Add the facts of the frontier, strongest first; what they reach is the next frontier."""
        inner, reached = set(self.frontier), list[str]()
        for edge in edges:
            new = [key for key in (edge.subject, edge.object) if key not in self._distances]
            full = len(self._distances) + len(new) > self._max_nodes or len(self._edges) >= self._max_edges
            if full:
                self._truncated = True
                continue
            self._edges[edge.fact.id] = edge
            near = edge.subject if edge.subject in inner else edge.object
            for key in new:
                self._distances[key] = self._distances[near] + 1
                reached.append(key)
            self._names |= {key: names[key] for key in (edge.subject, edge.object)}
        self.expanded += self.frontier
        self.frontier = [key for key in reached if key != self._user]

    def subgraph(self) -> Subgraph:
        """Return what was added; nothing if the entity in the middle has no fact."""
        names = {key: self._names[key] for key in self._distances if key in self._names}
        distances = {key: self._distances[key] for key in names}
        return Subgraph(names, distances, list(self._edges.values()), self._truncated)


def strongest_edges(edges: Iterable[GraphEdge]) -> dict[frozenset[str], GraphEdge]:
    """Return the strongest edge between each pair of entities; of equals the one with the least id."""
    ordered = sorted(edges, key=lambda edge: (-edge.strength, str(edge.fact.id)))
    found: dict[frozenset[str], GraphEdge] = {}
    for edge in ordered:
        found.setdefault(frozenset((edge.subject, edge.object)), edge)
    return found
