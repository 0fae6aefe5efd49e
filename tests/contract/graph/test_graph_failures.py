"""The graph that refuses, is away, or is not waited for."""

import asyncio

import pytest
from tests.fixtures.fact_graphs import by_id, known, write

from ricordo.graph.bolt import FactGraph, GraphSettings, open_graph
from ricordo.graph.graph_model import GraphUnavailable
from ricordo_services.stack import Endpoints


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
    patience = GraphSettings(connect_timeout=0.5, retry_time=0.1)
    async with open_graph(f"bolt://127.0.0.1:{unused_tcp_port}", "neo4j", "x", settings=patience) as graph:
        assert not await graph.health()
        with pytest.raises(GraphUnavailable, match="does not answer"):
            await graph.prepare()
        with pytest.raises(GraphUnavailable, match="does not answer"):
            await write(graph, "t", "u-1", known(("user", "likes", "tea"), tenant="t"))
        with pytest.raises(GraphUnavailable, match="does not answer"):
            await graph.export("t", "u-1")
