"""MCP at /mcp; its library is loaded when the first request comes."""

import asyncio

from starlette.types import ASGIApp, Receive, Scope, Send

from ricordo.client import MemoryClient
from ricordo_services.api_keys import ApiKey
from ricordo_services.gateway.nats_clients import NatsClients
from ricordo_services.gateway.problems import GatewayError


class McpRoute:
    """An ASGI application that serves the user of the key."""

    def __init__(self, clients: NatsClients) -> None:
        self._clients = clients
        self._endpoint: ASGIApp | None = None
        self._loading = asyncio.Lock()
        self._closing = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request.

        Raises:
            GatewayError: the key is not of one user.
        """
        key: ApiKey = scope["state"]["key"]
        if key.user_id is None:
            raise GatewayError(
                422, "assistants need a key of one user: ricordo key create NAME --user USER makes one"
            )
        endpoint = await self._loaded()
        await endpoint(scope, receive, send)

    async def close(self) -> None:
        """End what answers."""
        self._closing.set()
        if self._running is not None:
            await self._running

    async def _loaded(self) -> ASGIApp:
        async with self._loading:
            if self._endpoint is None:
                started: asyncio.Future[ASGIApp] = asyncio.get_running_loop().create_future()
                self._running = asyncio.create_task(self._run(started))
                self._endpoint = await started
        return self._endpoint

    async def _run(self, started: asyncio.Future[ASGIApp]) -> None:
        """Run the endpoint, whose context one task has to open and close."""
        transports = await asyncio.to_thread(_load)
        endpoint = transports.McpEndpoint(self._caller)
        async with endpoint.running():
            started.set_result(endpoint)
            await self._closing.wait()

    async def _caller(self, scope: Scope) -> tuple[MemoryClient, str]:
        key: ApiKey = scope["state"]["key"]
        return self._clients.memory(key.tenant), str(key.user_id)


def _load():  # type: ignore[no-untyped-def] # noqa: ANN202 - a module
    from ricordo_services.mcp_server import transports  # noqa: PLC0415

    return transports
