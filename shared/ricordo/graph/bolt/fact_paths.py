"""Reads neighbourhoods and paths of the graph of facts over Bolt."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from ricordo.graph.bolt import fact_rows
from ricordo.graph.bolt.transactions import Transactions, blocks
from ricordo.graph.graph_model import MAX_STEPS, GraphEdge, GraphPath, Subgraph
from ricordo.graph.subgraph_builder import SubgraphBuilder, strongest_edges
from ricordo.memory.facts import USER

_FACTS: Final = blocks("facts")


async def read_neighbourhood(
    transactions: Transactions,
    scope: Mapping[str, Any],
    entity: str,
    *,
    depth: int,
    max_nodes: int,
    max_edges: int,
) -> Subgraph:
    """Return what is around an entity: the facts of the nearest entities, then those of the next ring.

    Args:
        scope: tenant, user and least confidence.
    """
    builder = SubgraphBuilder(fact_rows.key(entity), fact_rows.key(USER), max_nodes, max_edges)
    for _ in range(depth):
        if not builder.frontier:
            break
        found = await transactions.read(
            _FACTS["edges_of"],
            {
                **scope,
                "keys": builder.frontier,
                "closed": builder.expanded,
                "limit": max_edges + 1,
            },
        )
        builder.add_ring([_edge(row) for row in found], _names(found))
    return builder.subgraph()


async def read_paths(
    transactions: Transactions, scope: Mapping[str, Any], start: str, end: str, *, depth: int, limit: int
) -> Sequence[GraphPath]:
    """Return the strongest paths between two entities."""
    first, last, user = (fact_rows.key(name) for name in (start, end, USER))
    if first == last:
        return []
    if turned := first == user:  # most entities are next to the user: the other end has fewer ways to try
        first, last = last, first
    ways: list[tuple[float, int, list[str]]] = []
    for steps in range(1, min(depth, MAX_STEPS) + 1):
        found = await transactions.read(
            _FACTS[f"paths_{steps}"], {**scope, "start": first, "end": last, "limit": limit}
        )
        ways += [
            (-row["strength"] / 10**steps, steps, row["keys"][::-1] if turned else row["keys"])
            for row in found
        ]
    kept = [keys for _, _, keys in sorted(ways)[:limit]]
    if not kept:
        return []
    passed = sorted({key for keys in kept for key in keys})
    found = await transactions.read(_FACTS["edges_among"], {**scope, "keys": passed})
    names, edges = _names(found), strongest_edges(map(_edge, found))
    return [
        GraphPath(
            names={key: names[key] for key in keys},
            edges=[edges[frozenset(pair)] for pair in pairwise(keys)],
        )
        for keys in kept
        # A fact may have gone between the two queries.
        if all(frozenset(pair) in edges for pair in pairwise(keys))
    ]


def _edge(row: Mapping[str, Any]) -> GraphEdge:
    return GraphEdge(fact_rows.fact(row["fact"]), row["subject_key"], row["object_key"])


def _names(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    return {row[f"{end}_key"]: row[f"{end}_name"] for row in rows for end in ("subject", "object")}
