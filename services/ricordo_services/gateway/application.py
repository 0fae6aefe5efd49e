"""The HTTP application: routes under /v1, each a request to the bus."""

import asyncio
from importlib.metadata import version
from typing import Final, NamedTuple

import structlog
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ricordo.client import MemoryClient
from ricordo.settings import GatewaySettings
from ricordo_services.album.application import Album
from ricordo_services.album.sessions import Sessions
from ricordo_services.api_keys import ApiKey, KeyStore
from ricordo_services.gateway import (
    event_stream,
    memory_routes,
    message_routes,
    operations_routes,
    query_routes,
    webhook_routes,
)
from ricordo_services.gateway.access_control import LOOPBACK, AccessControl
from ricordo_services.gateway.event_stream import EventFeeds
from ricordo_services.gateway.nats_clients import NatsClients
from ricordo_services.gateway.problems import RETRY_AFTER, GatewayError, Problem, add_handlers, problem
from ricordo_services.gateway.throughput import Throughput
from ricordo_services.mcp_server.endpoint import McpEndpoint

_log = structlog.stdlib.get_logger(__name__)
_STOPPING = "the gateway stops; send the request again, with the same id or Idempotency-Key if it has one"


class RequestDraining:
    """ASGI middleware that answers 503 to what is in flight after the grace period.

    What has begun to answer is broken off: its connection is closed without the end of the body.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.stopping = asyncio.Event()
        self._app = app
        self._deadline: float | None = None
        self._limits: set[asyncio.Timeout] = set()

    def stop(self, grace_s: float) -> None:
        """Give the requests in flight `grace_s` seconds to end, and those that still arrive no more."""
        self.stopping.set()
        self._deadline = asyncio.get_running_loop().time() + grace_s
        for limit in self._limits:
            limit.reschedule(self._deadline)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on until it ends, or its time does."""
        has_begun = False

        async def sending(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        limit = asyncio.timeout_at(self._deadline)
        try:
            async with limit:
                self._limits.add(limit)
                await self._app(scope, receive, sending)
        except TimeoutError:
            if not limit.expired():
                raise
            _log.warning("the gateway stops before a request ends", path=scope.get("path"))
            if not has_begun:
                await problem(503, _STOPPING, code="unavailable", headers=RETRY_AFTER)(scope, receive, send)
        finally:
            self._limits.discard(limit)


_DESCRIPTION: Final = (
    "The memory of bots and assistants over HTTP. Send the key as `Authorization: Bearer KEY`. "
    "Errors are problem documents (RFC 9457)."
)
_ONE_USER: Final = "assistants need a key of one user: `ricordo key create NAME --user USER` makes one"


class Application(NamedTuple):
    """The ASGI application, and the parts of it that are run and ended."""

    requests: RequestDraining
    mcp: McpEndpoint
    feeds: EventFeeds
    album: Album
    throughput: Throughput


def build(clients: NatsClients, settings: GatewaySettings) -> Application:
    """Return the application."""
    app = FastAPI(
        title="Ricordo",
        version=version("ricordo"),
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.clients, app.state.settings = clients, settings
    app.state.feeds = feeds = EventFeeds(clients, settings.event_streams_per_key)
    app.state.throughput = throughput = Throughput(clients)
    add_handlers(app)
    parts = (query_routes, message_routes, memory_routes, event_stream, webhook_routes, operations_routes)
    for routes in parts:
        app.include_router(routes.router)

    async def caller(scope: Scope) -> tuple[MemoryClient, str]:
        key: ApiKey = scope["state"]["key"]
        if key.user_id is None:
            raise GatewayError(422, _ONE_USER)
        return clients.memory(key.tenant), key.user_id

    mcp = McpEndpoint(caller)
    app.router.routes.append(Route("/mcp", mcp, include_in_schema=False))

    @app.get("/healthz", summary="Tell whether the gateway answers.")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    key = settings.key.get_secret_value() if settings.key is not None else None
    app.state.keys = keys = KeyStore(clients.streams, None if key is None else (settings.tenant, key))
    album = Album(app, Sessions(keys))
    requests = RequestDraining(
        AccessControl(
            app=app,
            album=album,
            keys=keys,
            hosts=frozenset((*LOOPBACK, *(host.lower() for host in settings.hosts))),
            origins=frozenset(settings.origins),
            requests_per_second=settings.requests_per_second,
            max_body_bytes=settings.max_body_bytes,
        )
    )
    app.state.stopping = requests.stopping
    return Application(requests, mcp, feeds, album, throughput)


def _openapi(app: FastAPI) -> dict[str, object]:
    """Return the OpenAPI document, with the key and the shape of problems."""
    if app.openapi_schema is None:
        found = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        components = found.setdefault("components", {})
        components.setdefault("schemas", {})["Problem"] = Problem.model_json_schema()
        components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        found["security"] = [{"key": []}]
        found["paths"]["/healthz"]["get"]["security"] = []
        app.openapi_schema = found
    return app.openapi_schema
