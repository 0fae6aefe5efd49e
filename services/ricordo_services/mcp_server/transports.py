"""Serves the MCP server: on standard input and output, or as an ASGI application."""

import asyncio
import os
import select
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from threading import Thread
from typing import Final

from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ricordo.client import MemoryClient
from ricordo_services.mcp_server.caller import Caller
from ricordo_services.mcp_server.server import build_server

_PIECE: Final = 65_536


class McpEndpoint:
    """The MCP server as an ASGI application for one path: streamable HTTP, without sessions.

    It checks neither Host, Origin nor key: whoever mounts it does that before. It runs within `running()`:

        endpoint = McpEndpoint(resolve)
        app.router.routes.append(Route("/mcp", endpoint))  # a Mount would redirect to /mcp/
        async with endpoint.running(): ...  # in the lifespan of the application

    Attributes of the scope are what `resolve` goes by, such as what a middleware left in `scope["state"]`.
    """

    def __init__(self, resolve: Callable[[Scope], Awaitable[tuple[MemoryClient, str]]]) -> None:
        """Build the server.

        Args:
            resolve: returns the client of the bus and the user of a request, by its ASGI scope.
        """
        self._resolve = resolve
        self._caller: ContextVar[Caller] = ContextVar("caller")
        self._server = build_server(self._caller.get)
        unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        # What it returns is not needed: the manager that it makes answers requests of any path.
        self._server.streamable_http_app(stateless_http=True, transport_security=unchecked)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answer requests within the block, once in the life of this object."""
        async with self._server.session_manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["method"] != "POST":  # a stream to listen on, or the end of a session: there are none
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        before = self._caller.set(Caller(*await self._resolve(scope)))
        try:
            await self._server.session_manager.handle_request(scope, receive, send)
        finally:
            self._caller.reset(before)


async def serve_stdio(client: MemoryClient, user_id: str, stopping: asyncio.Event) -> None:
    """Serve one user on standard input and output, until the input ends or `stopping` is set."""
    caller = Caller(client, user_id)
    close = _closable_input()
    serving = asyncio.create_task(build_server(lambda: caller).run_stdio_async())
    stopped = asyncio.create_task(stopping.wait())
    await asyncio.wait([serving, stopped], return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    close()
    await serving


def _closable_input() -> Callable[[], None]:
    """Put a pipe before standard input, and return what ends it: a blocked read cannot be interrupted."""
    source, (reader, writer), (wake, waker) = os.dup(0), os.pipe(), os.pipe()
    os.dup2(reader, 0)
    os.close(reader)

    def copy() -> None:
        with suppress(OSError), os.fdopen(writer, "wb", buffering=0) as pipe:
            while wake not in select.select([source, wake], [], [])[0]:
                if not (piece := os.read(source, _PIECE)):
                    return
                pipe.write(piece)

    Thread(target=copy, name="standard input", daemon=True).start()
    return lambda: os.close(waker)
