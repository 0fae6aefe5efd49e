"""Neighbourhoods and paths of the graph of facts."""

from dataclasses import replace
from itertools import pairwise

import pytest
from tests.fixtures.fact_graphs import known, write

from ricordo.graph.fact_graph import FactGraph
from ricordo.graph.graph_model import Subgraph


async def test_a_neighbourhood_leads_to_depth_three_and_not_past_the_user(
    graph: FactGraph, tenant: str
) -> None:
    facts = known(
        ("user", "has_sibling", "Nora"),
        ("Nora", "partner", "Tom"),
        ("Nora", "likes", "Tom"),
        ("Tom", "works_at", "Acme"),
        ("Ada", "member_of", "Acme"),
        ("user", "lives_in", "Rome"),
        ("user", "lives_in", "Milan"),
        tenant=tenant,
        times=3,
    )
    await write(graph, tenant, "u-1", [*facts, *known(("Tom", "likes", "tea"), tenant=tenant)])

    async def around(entity: str, depth: int, min_confidence: int = 3, **limits: int) -> Subgraph:
        limits = {"max_nodes": 200, "max_edges": 500, **limits}
        found = await graph.neighbourhood(
            tenant, "u-1", entity, depth=depth, min_confidence=min_confidence, **limits
        )
        assert {end for edge in found.edges for end in (edge.subject, edge.object)} == set(found.names)
        return found

    async def names(entity: str, depth: int, min_confidence: int = 3) -> dict[str, int]:
        found = await around(entity, depth, min_confidence)
        assert not found.truncated
        return {found.names[key]: distance for key, distance in found.distances.items()}

    near = await around("nora", 1)
    assert {(edge.subject, edge.fact.predicate, edge.object) for edge in near.edges} == {
        ("user", "has_sibling", "nora"),
        ("nora", "partner", "tom"),
        ("nora", "likes", "tom"),
    }
    assert {edge.fact for edge in near.edges} <= set(facts)
    assert await names("Nora", 1) == {"Nora": 0, "user": 1, "Tom": 1}
    assert await names("Nora", 2) == {"Nora": 0, "user": 1, "Tom": 1, "Acme": 2}
    assert await names("Nora", 3, 1) == await names("Nora", 2) | {"tea": 2, "Ada": 3}
    assert await names("user", 2) == {"user": 0, "Nora": 1, "Milan": 1, "Tom": 2}
    assert await names("nobody", 3) == {}
    for limit in ({"max_edges": 2}, {"max_nodes": 2}):
        short = await around("Nora", 3, **limit)
        assert short.truncated
        assert len(short.edges) == 2 if "max_edges" in limit else len(short.names) == 2


async def test_paths_are_the_strongest_of_at_most_three_facts(graph: FactGraph, tenant: str) -> None:
    often = known(
        ("user", "has_sibling", "Nora"),
        ("Nora", "partner", "Tom"),
        ("Tom", "works_at", "Acme"),
        tenant=tenant,
        times=9,
    )
    seldom = known(
        ("user", "knows", "Tom"),
        ("user", "friend", "Tom"),
        ("Ada", "member_of", "Acme"),
        ("user", "friend", "Ada"),
        tenant=tenant,
        times=3,
    )
    await write(graph, tenant, "u-1", [*often, *seldom])

    async def paths(start: str, end: str, depth: int = 3, limit: int = 10) -> list[tuple[str, float]]:
        found = await graph.paths(tenant, "u-1", start, end, depth=depth, min_confidence=2, limit=limit)
        for path in found:
            assert [{edge.subject, edge.object} for edge in path.edges] == [
                set(pair) for pair in pairwise(path.names)
            ]
        return [(" ".join(path.names.values()), path.strength) for path in found]

    assert await paths("USER", "acme") == [
        ("user Nora Tom Acme", 0.729),
        ("user Tom Acme", 0.27),
        ("user Ada Acme", 0.09),
    ]
    assert await paths("user", "Acme", limit=1) == [("user Nora Tom Acme", 0.729)]
    assert await paths("user", "Acme", depth=2) == [("user Tom Acme", 0.27), ("user Ada Acme", 0.09)]
    assert await paths("Nora", "Ada") == [
        ("Nora user Ada", 0.27),
        ("Nora Tom Acme Ada", 0.243),
        ("Nora Tom user Ada", 0.081),
    ]
    assert await paths("user", "Nora", depth=1) == [("user Nora", 0.9)]
    assert await paths("Acme", "Nora", depth=1) == []
    assert await paths("Nora", "nobody") == await paths("Nora", "Nora") == []
    assert await graph.paths(tenant, "u-1", "user", "Ada", depth=3, min_confidence=9, limit=9) == []


async def test_what_the_user_has_verified_is_followed_and_counts_in_full(
    graph: FactGraph, tenant: str
) -> None:
    (fact,) = known(("user", "friend", "Ada"), tenant=tenant)
    await write(graph, tenant, "u-1", [replace(fact, verified=True)])
    (path,) = await graph.paths(tenant, "u-1", "user", "Ada", depth=1, min_confidence=3, limit=1)
    assert path.strength == 1


@pytest.mark.parametrize("depth", [0, 4, -1])
async def test_other_depths_are_refused(graph: FactGraph, tenant: str, depth: int) -> None:
    limits = {"min_confidence": 1, "max_nodes": 9, "max_edges": 9}
    for asked in (
        graph.neighbourhood(tenant, "u-1", "Nora", depth=depth, **limits),
        graph.paths(tenant, "u-1", "Nora", "user", depth=depth, min_confidence=1, limit=9),
    ):
        with pytest.raises(ValueError, match="depth"):
            await asked
