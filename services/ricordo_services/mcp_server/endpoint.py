"""Serves the MCP server over streamable HTTP, as an ASGI application for one path.

The SDK is loaded with the first request: it takes a second and 25 MB, and many a gateway gets none.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ricordo.client import MemoryClient
from ricordo.integrations.caller import Caller

if TYPE_CHECKING:
    from ricordo_services.mcp_server.server import MemoryServer


class McpEndpoint:
    """The MCP server without sessions: any replica answers any request.

    It checks neither Host, Origin nor key: whoever mounts it does that before. It answers within `running()`:

        endpoint = McpEndpoint(resolve)
        app.router.routes.append(Route("/mcp", endpoint))  # a Mount would redirect to /mcp/
        async with endpoint.running():
            ...  # serve
    """

    def __init__(self, resolve: Callable[[Scope], Awaitable[tuple[MemoryClient, str]]]) -> None:
        """Prepare the endpoint.

        Args:
            resolve: returns the client of the bus and the user of a request, by its ASGI scope; it may raise
                what the application answers with an error.
        """
        self._resolve = resolve
        self._caller: ContextVar[Caller] = ContextVar("caller")
        self._requested = asyncio.Event()
        self._handler: asyncio.Future[ASGIApp]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answer requests within the block, once in the life of this object."""
        self._handler = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(self._serve())
        try:
            yield
        finally:
            serving.cancel()
            with suppress(asyncio.CancelledError):
                await serving

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["method"] != "POST":  # a stream to listen on, or the end of a session: there are none
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        before = self._caller.set(Caller(*await self._resolve(scope)))
        self._requested.set()
        try:
            handle = await asyncio.shield(self._handler)
            await handle(scope, receive, send)
        finally:
            self._caller.reset(before)

    async def _serve(self) -> None:
        await self._requested.wait()
        try:
            server = await asyncio.to_thread(self._load)
        except ImportError as error:
            self._handler.set_exception(error)
            return
        async with server.session_manager.run():
            self._handler.set_result(server.session_manager.handle_request)
            await asyncio.get_running_loop().create_future()  # until it is cancelled

    def _load(self) -> "MemoryServer":
        from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415 - see above

        from ricordo_services.mcp_server.server import build_server  # noqa: PLC0415

        server = build_server(self._caller.get)
        unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        # The application that it returns is not needed: its manager answers requests of any path.
        server.streamable_http_app(stateless_http=True, transport_security=unchecked)
        return server
