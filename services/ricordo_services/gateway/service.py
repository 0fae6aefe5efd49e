"""The gateway as a service of a process: listens at once, and loads what answers in the background."""

import asyncio
import math
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import structlog

from ricordo.clock import Clock
from ricordo.runtime.health import Health, WorkerState
from ricordo.runtime.tasks import run_until
from ricordo.settings import BusSettings, GatewaySettings

_log = structlog.stdlib.get_logger(__name__)
_BACKLOG = 512
_BROKEN_OFF_WITHIN_S = 2
"""What is in flight after the grace period has to end so soon; what does not is cancelled by uvicorn."""


class PortUnavailable(Exception):
    """The gateway cannot listen at its address; the message names the settings."""


def listening_socket(settings: GatewaySettings) -> socket.socket:
    """Return a socket that listens at the gateway's address; whoever connects waits until it is served.

    Raises:
        PortUnavailable: another program listens there, or there is no such address.
    """
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        listening = socket.create_server((settings.host, settings.port), family=family, backlog=_BACKLOG)
    except OSError as error:
        reason = error.strerror or str(error) if error.errno is None else os.strerror(error.errno)
        raise PortUnavailable(
            f"the gateway cannot listen on {settings.host}:{settings.port} ({reason}): "
            "RICORDO_GATEWAY__PORT and RICORDO_GATEWAY__HOST choose another address"
        ) from error
    listening.setblocking(False)  # noqa: FBT003
    # Connections inherit it. asyncio sets it for sockets that it makes; without it a reply waits for 40 ms.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


@dataclass(eq=False)
class Gateway:
    """Serves HTTP until it is stopped."""

    bus: BusSettings
    settings: GatewaySettings
    clock: Clock
    name: str = "gateway"
    patience_s: float = 30
    """Seconds that a client may be silent, or not read, before its connection is closed."""
    grace_s: float = 5
    """Seconds that requests in flight have to end after a stop."""

    def __post_init__(self) -> None:
        self.health = Health(worker=self.name, clock=self.clock)

    async def run(self, stopping: asyncio.Event, ready: Callable[[], None]) -> None:
        """Serve until `stopping` is set; then answer what was asked, and end streams.

        Raises:
            PortUnavailable: it cannot listen.
            ImportError: the extra `gateway` is not installed.
        """
        listening = listening_socket(self.settings)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # of Linux; connections inherit it
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * self.patience_s))
        try:
            ready()
            self.health.set_state(WorkerState.READY)
            await self._serve(listening, stopping)
        finally:
            listening.close()
            self.health.set_state(WorkerState.STOPPED)

    async def _serve(self, listening: socket.socket, stopping: asyncio.Event) -> None:
        # FastAPI takes a second to load, in which the workers of this process can begin.
        loaded = await run_until(stopping, asyncio.to_thread(_load))
        if loaded is None:
            return
        uvicorn, access_control, application, nats_clients, webhook_delivery = loaded

        class Server(uvicorn.Server):  # type: ignore[name-defined, misc]
            @contextmanager
            def capture_signals(self) -> Iterator[None]:
                """Leave signals to the process."""
                yield

        async with nats_clients.connected(self.bus) as clients:
            app = application.build(clients, self.settings)
            config = uvicorn.Config(
                app.requests,
                log_config=None,
                log_level="warning",
                access_log=False,
                lifespan="off",
                server_header=False,
                http=access_control.HeaderTimeoutProtocol,
                timeout_keep_alive=self.patience_s,
                timeout_graceful_shutdown=math.ceil(self.grace_s) + _BROKEN_OFF_WITHIN_S,
            )
            server = Server(config)
            async with app.mcp.running(), webhook_delivery.delivering(clients, self.settings, self.health):
                serving = asyncio.ensure_future(server.serve(sockets=[listening]))
                stop = asyncio.ensure_future(stopping.wait())
                await asyncio.wait((serving, stop), return_when=asyncio.FIRST_COMPLETED)
                stop.cancel()
                server.should_exit = True
                app.feeds.end()
                app.requests.stop(self.grace_s)
                await app.album.close()
                await serving
                await app.feeds.closed()
                await app.throughput.stop()


def _load():  # type: ignore[no-untyped-def] # noqa: ANN202 - modules
    import uvicorn  # noqa: PLC0415

    from ricordo_services.gateway import access_control, application, nats_clients, webhook_delivery  # noqa: PLC0415

    return uvicorn, access_control, application, nats_clients, webhook_delivery
