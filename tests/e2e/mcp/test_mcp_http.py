"""The MCP server over streamable HTTP: stateless, and each request for the user of its key."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from itertools import cycle
from pathlib import Path

import httpx
import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import Receive, Scope, Send
from tests.e2e.mcp.plain_client import INITIALIZE, PostClient
from tests.fixtures.commands import PYTHONPATH
from tests.fixtures.nats_server import NatsServerProcess
from tests.fixtures.system import System
from tests.fixtures.wire import Bot

from ricordo.client import MemoryClient
from ricordo.integrations.caller import Caller
from ricordo_services.mcp_server.endpoint import McpEndpoint
from ricordo_services.mcp_server.server import build_server


@asynccontextmanager
async def served(client: MemoryClient) -> AsyncIterator[str]:
    """Serve two endpoints that take turns, as replicas do; a header says the user."""

    async def resolve(scope: Scope) -> tuple[MemoryClient, str]:
        return client, dict(scope["headers"])[b"x-user"].decode()

    replicas = McpEndpoint(resolve), McpEndpoint(resolve)
    turns = cycle(replicas)

    class Balancer:
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            await next(turns)(scope, receive, send)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with replicas[0].running(), replicas[1].running():
            yield

    app = Starlette(routes=[Route("/mcp", Balancer())], lifespan=lifespan)
    listening = socket.create_server(("127.0.0.1", 0))
    web = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none"))
    # It would put back the handler of an ended loop, and the next test with an interrupt would fail.
    web.capture_signals = nullcontext  # type: ignore[method-assign, assignment]
    task = asyncio.create_task(web.serve([listening]))
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
    finally:
        web.should_exit = True
        await task


@pytest.fixture
async def url(system: System, bot: Bot) -> AsyncIterator[str]:
    async with MemoryClient.connect(system.endpoints.nats_url, bot.tenant) as client, served(client) as url:
        yield url


@pytest.mark.parametrize("modern", [True, False])
async def test_each_request_is_for_the_user_of_its_key(url: str, *, modern: bool) -> None:
    client = PostClient(url, modern)
    ids = {}
    for user in ("ada", "ugo"):
        done = await client.call(user, "remember", text="My dog is called Max.", id="d-1")
        ids[user] = done["structuredContent"]
        assert not ids[user]["repeated"], "the key of another user is another key"
    memory, message = ids["ada"]["memory_id"], ids["ada"]["message_id"]
    for refused in (
        await client.call("ugo", "fetch", id=memory),
        await client.call("ugo", "forget", id=memory),
        await client.call("ugo", "correct", memory_id=memory, text="My dog is called Rex."),
    ):
        assert refused["isError"]
        assert "no memory" in refused["content"][0]["text"]
    error = (await client.request("ugo", "resources/read", uri=f"memory://{memory}"))["error"]
    assert (error["code"], "no memory" in error["message"]) == (-32602, True)
    for user, state in (("ugo", "unknown"), ("ada", "remembered")):
        status = await client.call(user, "status", message_id=message)
        assert status["structuredContent"]["state"] == state
    await client.call("ugo", "forget", id=message)
    found = await client.call("ada", "search", query="dog")
    assert [hit["id"] for hit in found["structuredContent"]["results"]] == [memory]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_official_client_of_either_revision_needs_no_session(url: str, mode: str) -> None:
    reported: list[float] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        reported.append(progress)

    async with (
        httpx2.AsyncClient(headers={"x-user": "ada"}, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        assert len((await client.list_tools()).tools) == 12
        words = {"text": "I play the cello.", "id": "c-1"}
        done = await client.call_tool("remember", words, progress_callback=on_progress)
        assert reported
        assert done.structured_content is not None
        found = await client.call_tool("recall", {"query": "Which instrument do I play?"})
        assert found.structured_content is not None
        assert found.structured_content["memories"][0]["id"] == done.structured_content["memory_id"]


async def test_there_is_no_session_to_begin_to_listen_to_or_to_end(url: str) -> None:
    begun = await PostClient(url, modern=False).request("ada", "initialize", **INITIALIZE)
    assert begun["result"]["serverInfo"]["name"] == "ricordo"
    async with httpx.AsyncClient() as client:
        for method in ("GET", "DELETE"):
            response = await client.request(method, url, headers={"x-user": "ada"})
            assert (response.status_code, response.headers["allow"]) == (405, "POST")


async def test_a_memory_that_is_away_is_told_in_a_sentence(tmp_path: Path) -> None:
    nats = NatsServerProcess(tmp_path)
    await nats.start()
    try:
        async with MemoryClient.connect(nats.url) as bus:
            caller = Caller(bus, "ada")
            async with Client(build_server(lambda: caller)) as client:
                for tool, arguments, sentence in (
                    ("recall", {"query": "Where do I live?"}, "nobody answers recall: "),
                    ("remember", {"text": "I live in Rome."}, "no stream keeps"),
                ):
                    result = await client.call_tool(tool, arguments)
                    assert result.is_error
                    assert sentence in str(result.content)
                with pytest.raises(Exception, match="nobody answers this resource"):
                    await client.read_resource("memory://today")
                with pytest.raises(Exception, match="nobody answers this prompt"):
                    await client.get_prompt("cosa_sai_di_me")
    finally:
        nats.stop()


def test_the_sdk_is_loaded_only_when_it_is_used() -> None:
    program = """import sys, ricordo_services.mcp_server.endpoint, ricordo_services.cli.access_commands
assert "mcp" not in sys.modules"""
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "PYTHONPATH": PYTHONPATH})
