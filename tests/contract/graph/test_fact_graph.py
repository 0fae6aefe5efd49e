"""What the graph of facts does with what is written to it, and what it says when it is away."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest
from tests.fixtures.fact_graphs import ODD_NAMES, by_id, erase, in_pages, known, write

from ricordo.graph.fact_graph import FactGraph, open_graph
from ricordo.graph.graph_model import GraphDelta, GraphUnavailable
from ricordo.language.facts.entity_names import normalise
from ricordo.memory.facts.fact_model import Fact
from ricordo_services.stack.endpoints import Endpoints


async def test_who_loses_a_fact_and_has_another_stays(graph: FactGraph, tenant: str) -> None:
    facts = known(
        ("user", "has_sibling", "Nora"),
        ("Nora", "lives_in", "Dublin"),
        ("Nora", "likes", "tea"),
        ("user", "likes", "tea"),
        tenant=tenant,
    )
    await write(graph, tenant, "u-1", facts)
    gone = [fact for fact in facts if fact.subject == "Nora"]
    await write(graph, tenant, "u-1", (), gone=[fact.id for fact in gone])
    assert list(await graph.export(tenant, "u-1")) == by_id([one for one in facts if one not in gone])
    assert [one.name for one in await graph.neighbours(tenant, "u-1", "user")] == ["Nora", "tea"]
    assert await graph.neighbours(tenant, "u-1", "Dublin") == []
    for _ in range(2):
        await write(graph, tenant, "u-1", facts, gone=[facts[0].id])
        assert list(await graph.export(tenant, "u-1")) == by_id(facts), "what is gone and known is known"


async def test_a_writer_is_given_the_version_of_the_last(graph: FactGraph, tenant: str) -> None:
    rome, milan = (known(("user", "likes", city), tenant=tenant) for city in ("Rome", "Milan"))
    seen: list[int | None] = []

    async def project(user_id: str, version: int | None, facts: Sequence[Fact] = ()) -> None:
        async def read(known_version: int | None) -> GraphDelta:
            seen.append(known_version)
            return GraphDelta(version=version, pages=in_pages(facts), whole=version is None)

        await graph.project(tenant, user_id, read)

    await project("u-1", 7, rome)
    await project("u-2", 1)
    await project("u-1", 8, milan)
    await project("u-1", None)
    assert await graph.export(tenant, "u-1") == []
    assert await graph.owners(tenant) == {(tenant, "u-2")}
    await project("u-1", 1)
    assert seen == [None, None, 7, 8, None]


async def test_nothing_is_written_where_reading_fails(graph: FactGraph, tenant: str) -> None:
    facts = known(("user", "likes", "tea"), ("user", "likes", "jazz"), tenant=tenant)
    await write(graph, tenant, "u-1", facts[:1])

    async def broken() -> AsyncIterator[Sequence[Fact]]:
        yield facts[1:]
        raise LookupError

    async def read(version: int | None) -> GraphDelta:
        assert version == 1
        return GraphDelta(version=2, pages=broken(), whole=True)

    for _ in range(2):
        with pytest.raises(LookupError):
            await graph.project(tenant, "u-1", read)
    assert list(await graph.export(tenant, "u-1")) == list(facts[:1])


async def test_a_whole_projection_removes_everything_else(graph: FactGraph, tenant: str) -> None:
    facts = known(("user", "has_sibling", "Nora"), ("Nora", "lives_in", "Dublin"), tenant=tenant)
    await write(graph, tenant, "u-1", known(("Nora", "likes", "tea"), tenant=tenant))
    await write(graph, tenant, "u-2", facts)
    assert await write(graph, tenant, "u-1", facts, whole=True) == len(facts)
    assert list(await graph.export(tenant, "u-1")) == by_id(facts)
    assert {one.name for one in await graph.neighbours(tenant, "u-1", "Nora")} == {"user", "Dublin"}
    assert len(await graph.export(tenant, "u-2")) == len(facts)


async def test_writers_of_one_user_read_in_turn(graph: FactGraph, tenant: str) -> None:
    states = [known(("user", "likes", f"thing {n}"), tenant=tenant) for n in range(12)]
    newest = 0

    async def read(version: int | None) -> GraphDelta:
        state = newest
        assert version is None or version <= state
        await asyncio.sleep(0.01)
        return GraphDelta(version=state, pages=in_pages(states[state]), whole=True)

    async with asyncio.TaskGroup() as together:
        for nth in range(1, len(states)):
            newest = nth
            together.create_task(graph.project(tenant, "u-1", read))
            await asyncio.sleep(0.005)
    assert list(await graph.export(tenant, "u-1")) == list(states[-1])


async def test_neighbours_to_depth_two(graph: FactGraph, tenant: str) -> None:
    facts = known(
        ("user", "has_sibling", "Nora"),
        ("Nora", "has_pet", "Biscuit"),
        ("Nora", "likes", "Biscuit"),
        ("Biscuit", "friend", "Rex"),
        ("user", "lives_in", "Rome"),
        ("user", "lives_in", "Milan"),
        tenant=tenant,
    )
    await write(graph, tenant, "u-1", facts)
    near = await graph.neighbours(tenant, "u-1", "nora")
    assert [(one.name, one.distance, one.predicates) for one in near] == [
        ("Biscuit", 1, ("has_pet", "likes")),
        ("user", 1, ("has_sibling",)),
        ("Rex", 2, ("friend",)),
    ]
    assert list(await graph.neighbours(tenant, "u-1", "Nora", limit=2)) == list(near[:2])
    assert await graph.neighbours(tenant, "u-1", "nobody") == []


async def test_users_and_tenants_do_not_see_each_other(graph: FactGraph, tenant: str) -> None:
    other = f"{tenant}-b"
    for where, user_id, city in ((tenant, "u-1", "Rome"), (tenant, "u-2", "Oslo"), (other, "u-1", "Bonn")):
        statements = (("user", "friend", "Marco"), ("Marco", "lives_in", city))
        await write(graph, where, user_id, known(*statements, tenant=where, user_id=user_id))
    assert [one.name for one in await graph.neighbours(tenant, "u-2", "Marco")] == ["Oslo", "user"]
    wide = await graph.neighbourhood(
        tenant, "u-2", "user", depth=3, min_confidence=0, max_nodes=9, max_edges=9
    )
    assert set(wide.names.values()) == {"user", "Marco", "Oslo"}
    assert await graph.paths(tenant, "u-2", "Marco", "Rome", depth=3, min_confidence=0, limit=9) == []
    rome = next(fact.id for fact in await graph.export(tenant, "u-1") if fact.object == "Rome")
    await write(graph, other, "u-1", (), gone=[rome])
    await erase(graph, tenant, "u-2")
    assert await graph.export(tenant, "u-2") == []
    assert set(await graph.owners(tenant)) == {(tenant, "u-1")}
    assert {(tenant, "u-1"), (other, "u-1")} <= set(await graph.owners())
    assert {fact.object for fact in await graph.export(tenant, "u-1")} == {"Marco", "Rome"}
    assert {fact.object for fact in await graph.export(other, "u-1")} == {"Marco", "Bonn"}


async def test_odd_names_are_values_and_nothing_else(graph: FactGraph, tenant: str) -> None:
    statements = [("user", "friend", name) for name in ODD_NAMES]
    statements += [(name, "likes", name[::-1]) for name in ODD_NAMES]
    facts = known(*statements, tenant=tenant, user_id="u'1`{}")
    await write(graph, tenant, "u'1`{}", facts)
    assert list(await graph.export(tenant, "u'1`{}")) == by_id(facts)
    for name in ODD_NAMES:
        assert await graph.neighbours(tenant, "u'1`{}", name)
        around = await graph.neighbourhood(
            tenant, "u'1`{}", name, depth=2, min_confidence=0, max_nodes=99, max_edges=99
        )
        assert {normalise(name), normalise(name[::-1])} <= set(map(normalise, around.names.values()))
        paths = await graph.paths(tenant, "u'1`{}", "user", name[::-1], depth=2, min_confidence=0, limit=9)
        assert paths[0].strength > 0
    gone = GraphDelta(version=None, pages=in_pages(), gone=[fact.id for fact in facts])

    async def read(_: int | None) -> GraphDelta:
        return gone

    await graph.project(tenant, "u'1`{}", read)
    assert await graph.owners(tenant) == set(), "entities without facts are gone, too"


async def test_workers_that_write_at_once_lose_nothing(graph: FactGraph, tenant: str) -> None:
    users = [f"u-{n}" for n in range(4)]
    facts = {
        user_id: known(*(("user", "likes", f"thing {n}") for n in range(15)), tenant=tenant, user_id=user_id)
        for user_id in users
    }
    await asyncio.gather(*(write(graph, tenant, user_id, facts[user_id]) for user_id in users * 3))
    for user_id in users:
        assert list(await graph.export(tenant, user_id)) == by_id(facts[user_id])


async def test_preparing_twice_is_harmless(graph: FactGraph) -> None:
    await asyncio.gather(graph.prepare(), graph.prepare())
    assert await graph.health()


async def test_a_wrong_password_is_told_plainly(stack: Endpoints) -> None:
    async with open_graph(stack.bolt_url, stack.bolt_user, "wrong", database=stack.bolt_database) as graph:
        with pytest.raises(GraphUnavailable, match="refuses the credentials"):
            await graph.export("t", "u-1")


async def test_a_call_that_is_cancelled_leaves_the_graph_usable(graph: FactGraph, tenant: str) -> None:
    facts = known(*(("user", "likes", f"thing {n}") for n in range(300)), tenant=tenant)
    writing = asyncio.create_task(write(graph, tenant, "u-1", facts))
    await asyncio.sleep(0)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    await write(graph, tenant, "u-1", facts)
    assert list(await graph.export(tenant, "u-1")) == by_id(facts)


async def test_a_server_that_is_away_is_unavailable(unused_tcp_port: int) -> None:
    async with open_graph(f"bolt://127.0.0.1:{unused_tcp_port}", "neo4j", "x", retry_time=0.1) as graph:
        assert not await graph.health()
        with pytest.raises(GraphUnavailable, match="does not answer"):
            await graph.prepare()
        with pytest.raises(GraphUnavailable, match="does not answer"):
            await write(graph, "t", "u-1", known(("user", "likes", "tea"), tenant="t"))
        with pytest.raises(GraphUnavailable, match="does not answer"):
            await graph.export("t", "u-1")
