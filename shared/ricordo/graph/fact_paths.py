"""Reads neighbourhoods and paths of the graph of facts over Bolt, within limits; facts as rows and back."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from hashlib import sha256
from itertools import pairwise
from typing import Any, Final
from uuid import UUID

from ricordo.graph.graph_model import MAX_STEPS, GraphEdge, GraphPath, Subgraph
from ricordo.graph.transactions import Transactions, blocks
from ricordo.language.facts.entity_names import LONGEST_KEY, normalise
from ricordo.language.facts.vocabulary import USER
from ricordo.memory.facts.fact_model import Fact

# Instants are text of one width in UTC, which sorts correctly, to the microsecond, on every server.
_FORMAT: Final = "%Y-%m-%dT%H:%M:%S.%fZ"
_INSTANTS: Final = ("first_seen", "last_reinforced", "valid_from", "valid_to")
_OPTIONAL: Final = ("valid_from", "valid_to", "message_ids")
_BEGINNING: Final = 100  # characters


def entity_key(name: str) -> str:
    """Return the key of the entity of this name: its normalised name, or a digest of a long one."""
    normal = normalise(name)
    written = normal.encode()
    if len(written) <= LONGEST_KEY:  # Neo4j indexes no more than some 8,000 bytes, tenant and user included
        return normal
    return f"{normal[:_BEGINNING]}… {sha256(written).hexdigest()}"


def fact_parameters(fact: Fact) -> dict[str, Any]:
    """Return the parameters that write `fact`: the keys of its entities, and the properties of the edge."""
    properties = {item.name: getattr(fact, item.name) for item in fields(fact)}
    properties |= {name: item and _text(item) for name in _INSTANTS for item in (properties[name],)}
    properties |= {"id": str(fact.id), "message_ids": list(fact.message_ids)}
    return {
        "subject_key": entity_key(fact.subject),
        "object_key": entity_key(fact.object),
        "properties": properties,
    }


def read_fact(row: Mapping[str, Any]) -> Fact:
    """Return the fact whose edge has the properties `row`."""
    values: dict[str, Any] = {
        item.name: row.get(item.name) if item.name in _OPTIONAL else row[item.name] for item in fields(Fact)
    }
    values |= {name: item and _instant(item) for name in _INSTANTS for item in (values[name],)}
    values |= {"id": UUID(row["id"]), "message_ids": tuple(row.get("message_ids") or ())}
    return Fact(**values)


def _text(instant: datetime) -> str:
    return instant.astimezone(UTC).strftime(_FORMAT).rjust(27, "0")


def _instant(text: str) -> datetime:
    return datetime.strptime(text, _FORMAT).replace(tzinfo=UTC)


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
    frontier, expanded = [entity_key(entity)], list[str]()
    distances, names, edges = {frontier[0]: 0}, dict[str, str](), list[GraphEdge]()
    truncated = False
    for distance in range(1, depth + 1):
        if not frontier:
            break
        found = await transactions.read(
            _FACTS["edges_of"], {**scope, "keys": frontier, "closed": expanded, "limit": max_edges + 1}
        )
        reached, spelled = list[str](), _names(found)
        for edge in map(_edge, found):
            new = [key for key in (edge.subject, edge.object) if key not in distances]
            if len(distances) + len(new) > max_nodes or len(edges) >= max_edges:
                truncated = True
                continue
            edges.append(edge)
            distances |= dict.fromkeys(new, distance)
            reached += new
            names |= {key: spelled[key] for key in (edge.subject, edge.object)}
        expanded += frontier
        frontier = [key for key in reached if key != entity_key(USER)]  # past whom no ring is read
    distances = {key: distance for key, distance in distances.items() if key in names}
    return Subgraph({key: names[key] for key in distances}, distances, edges, truncated)


async def read_paths(
    transactions: Transactions, scope: Mapping[str, Any], start: str, end: str, *, depth: int, limit: int
) -> Sequence[GraphPath]:
    """Return the strongest paths between two entities."""
    first, last, user = (entity_key(name) for name in (start, end, USER))
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
    names, edges = _names(found), dict[frozenset[str], GraphEdge]()
    for edge in sorted(map(_edge, found), key=lambda edge: (-edge.strength, str(edge.fact.id))):
        edges.setdefault(frozenset((edge.subject, edge.object)), edge)
    return [
        GraphPath(
            names={key: names[key] for key in keys}, edges=[edges[frozenset(pair)] for pair in pairwise(keys)]
        )
        for keys in kept
        # A fact may have gone between the two queries.
        if all(frozenset(pair) in edges for pair in pairwise(keys))
    ]


def _edge(row: Mapping[str, Any]) -> GraphEdge:
    return GraphEdge(read_fact(row["fact"]), row["subject_key"], row["object_key"])


def _names(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    return {row[f"{end}_key"]: row[f"{end}_name"] for row in rows for end in ("subject", "object")}
