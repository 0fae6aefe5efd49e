"""Two processes write the same users' facts to Neo4j itself, which is killed and started again meanwhile."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from tests.fixtures.fact_graphs import by_id, in_pages, known
from tests.fixtures.neo4j_server import USER, Neo4jServer

from ricordo.graph.fact_graph import FactGraph, open_graph
from ricordo.graph.graph_model import GraphDelta

TENANT, USERS, VERSIONS, KILLED_AT = "t-killed", ("u-1", "u-2"), 60, 20


@pytest.mark.neo4j
async def test_two_writers_and_a_kill_in_the_middle_lose_nothing(neo4j_server_process: Neo4jServer) -> None:
    server, newest, half = neo4j_server_process, 0, asyncio.Event()
    states = [
        {user: known(*(("user", "likes", f"{n}") for n in range(at, at + 5)), tenant=TENANT, user_id=user)
         for user in USERS}
        for at in range(VERSIONS)
    ]  # fmt: skip

    async def write(graph: FactGraph, user: str) -> None:
        nonlocal newest

        async def read(version: int | None) -> GraphDelta:
            assert version is None or version <= newest, "a version is never taken back"
            return GraphDelta(version=newest, pages=in_pages(states[newest][user], 2), whole=True)

        while newest < VERSIONS - 1:
            newest += 1
            await graph.project(TENANT, user, read)
            if newest >= KILLED_AT:
                half.set()
        await graph.project(TENANT, user, read)

    async def restart() -> None:
        await half.wait()
        server.kill()
        await asyncio.to_thread(server.start)

    async with AsyncExitStack() as stack:
        graphs = [
            await stack.enter_async_context(open_graph(server.url, USER, server.password, retry_time=90))
            for _ in range(2)
        ]
        await graphs[0].prepare()
        async with asyncio.TaskGroup() as together:
            together.create_task(restart())
            for graph in graphs:
                for user in USERS:
                    together.create_task(write(graph, user))
        for user in USERS:
            assert list(await graphs[1].export(TENANT, user)) == by_id(states[-1][user])
        assert await graphs[0].owners(TENANT) == {(TENANT, user) for user in USERS}
