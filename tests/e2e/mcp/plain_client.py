"""A client of MCP written for these tests, without the SDK: lines of JSON-RPC to a process, or posts."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count

import httpx
from tests.fixtures.commands import start_command
from tests.fixtures.system import System
from tests.fixtures.wire import Json

MODERN = "2026-07-28"
INITIALIZE: Json = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "lines", "version": "1"},
}


class LineClient:
    """Speaks to `ricordo mcp` in a process; every line that it reads must be JSON-RPC."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.notifications: list[Json] = []
        self._ids = count(1)

    async def request(self, method: str, **params: object) -> Json:
        number = next(self._ids)
        await self._send({"id": number, "method": method, "params": params})
        while True:
            message = await self._line()
            if message.get("id") == number:
                return message
            self.notifications.append(message)

    async def call(self, tool: str, **arguments: object) -> Json:
        meta = {"progressToken": f"of-{tool}"}
        result = (await self.request("tools/call", name=tool, arguments=arguments, _meta=meta))["result"]
        assert isinstance(result, dict)
        return result

    async def initialize(self) -> Json:
        reply = await self.request("initialize", **INITIALIZE)
        await self._send({"method": "notifications/initialized"})
        return reply

    async def _send(self, message: Json) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        await self.process.stdin.drain()

    async def _line(self) -> Json:
        assert self.process.stdout is not None
        async with asyncio.timeout(60):
            line = await self.process.stdout.readline()
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        assert isinstance(message, dict)
        return message


@asynccontextmanager
async def line_client(system: System, *options: str) -> AsyncIterator[LineClient]:
    """Run `ricordo mcp` with these options, and kill it if it still runs at the end."""
    command = ("mcp", "--nats", system.endpoints.nats_url, *options)
    process = await start_command(system.settings, *command, stdin=asyncio.subprocess.PIPE)
    try:
        yield LineClient(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@dataclass(frozen=True, slots=True)
class PostClient:
    """Posts requests, each standing alone: no session, no handshake.

    Attributes:
        modern: whether it speaks revision 2026-07-28, whose requests say all in themselves.
    """

    url: str
    modern: bool

    async def request(self, user: str, method: str, **params: object) -> Json:
        """Post a request; return the message with its result or error."""
        headers = {"Accept": "application/json, text/event-stream", "x-user": user}
        if self.modern:
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": {},
            }
            headers |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
            if name := params.get("name") or params.get("uri"):
                headers["Mcp-Name"] = str(name)
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        async with httpx.AsyncClient(timeout=60) as client:
            response = await client.post(self.url, json=body, headers=headers)
        assert response.status_code < 500, response.text
        assert "mcp-session-id" not in response.headers
        lines = response.text.splitlines()
        if response.headers["content-type"].startswith("text/event-stream"):
            lines = [line.removeprefix("data: ") for line in lines if line.startswith("data: {")]
        (answer,) = [message for line in lines if (message := json.loads(line)).get("id") == 1]
        assert isinstance(answer, dict)
        return answer

    async def call(self, user: str, tool: str, **arguments: object) -> Json:
        result = (await self.request(user, "tools/call", name=tool, arguments=arguments))["result"]
        assert isinstance(result, dict)
        return result
