"""The contract of the graph, on the real Bolt server and in memory."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.fixtures.memory_graph import MemoryGraph

from ricordo.graph.bolt import GraphSettings, open_graph
from ricordo.graph.port import FactGraph, GraphUnavailable
from ricordo.testing.graph import by_id, known, write
from ricordo.testing.subgraphs import SubgraphContract
from ricordo_services.stack import Endpoints


class TestMemoryGraph(SubgraphContract):
    @pytest.fixture
    def graph(self) -> FactGraph:
        return MemoryGraph()


class TestBoltGraph(SubgraphContract):
    @pytest.fixture
    async def graph(self, stack: Endpoints) -> AsyncIterator[FactGraph]:
        access = (stack.bolt_user, stack.bolt_password)
        patience = GraphSettings(retry_time=60)  # those who write at once get in each other's way for long
        async with open_graph(
            stack.bolt_url, *access, database=stack.bolt_database, settings=patience
        ) as graph:
            await graph.prepare()
            yield graph


async def test_a_wrong_password_is_told_plainly(stack: Endpoints) -> None:
    async with open_graph(stack.bolt_url, stack.bolt_user, "wrong", database=stack.bolt_database) as graph:
        with pytest.raises(GraphUnavailable, match="refuses the credentials"):
            await graph.export("t", "u-1")


async def test_a_call_that_is_cancelled_leaves_the_graph_usable(stack: Endpoints) -> None:
    facts = known(*(("user", "likes", f"thing {n}") for n in range(300)), tenant="t-cancelled")
    async with open_graph(
        stack.bolt_url, stack.bolt_user, stack.bolt_password, database=stack.bolt_database
    ) as graph:
        await graph.prepare()
        writing = asyncio.create_task(write(graph, "t-cancelled", "u-1", facts))
        await asyncio.sleep(0)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        await write(graph, "t-cancelled", "u-1", facts)
        assert list(await graph.export("t-cancelled", "u-1")) == by_id(facts)


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
