"""Reports the health of a process's workers: over request-reply, and over HTTP to probes and Prometheus."""

import asyncio
import json
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import structlog

from ricordo.bus.port import Bus, BusError, BusUnavailable, Endpoint, ReceivedRequest
from ricordo.clock import Clock
from ricordo.runtime.health import Health
from ricordo.runtime.tasks import cancel_and_wait, run_until

_log = structlog.stdlib.get_logger(__name__)

HEALTH_SUBJECT: Final = "ricordo.health"
"""Every process answers here with all its workers; `ricordo.health.<worker>` is for one of them."""

Report = Mapping[str, str | int | bool | None]

_JSON: Final = "application/json"


class PageUnavailable(Exception):
    """The health page cannot listen at its address; the message names the settings."""


@dataclass(frozen=True, slots=True)
class Page:
    """A response over HTTP."""

    content: bytes
    kind: str = _JSON
    status: str = "200 OK"

    @classmethod
    def of_json(cls, content: object, status: str = "200 OK") -> "Page":
        """Return `content` as JSON."""
        return cls(json.dumps(content).encode(), status=status)


class HealthService:
    """Answers `ricordo.health` and `ricordo.health.<worker>` for the workers of this process.

    There is no queue group: of several processes with the same worker, each answers.
    """

    name = "health"

    def __init__(self, healths: Sequence[Health], responder: Bus, clock: Clock) -> None:
        self._healths = healths
        self._responder = responder
        self._clock = clock
        self._replies: set[asyncio.Task[None]] = set()

    async def run(self, stopping: asyncio.Event, ready: Callable[[], None]) -> None:
        """Answer until `stopping` is set or the task is cancelled."""
        endpoints: list[Endpoint] = []
        try:
            await run_until(stopping, self._serve_endpoints(endpoints))
            ready()
            await stopping.wait()
        finally:
            for endpoint in endpoints:
                await endpoint.close()
            await cancel_and_wait(*self._replies)

    async def _serve_endpoints(self, endpoints: list[Endpoint]) -> None:
        subjects = (HEALTH_SUBJECT, f"{HEALTH_SUBJECT}.*")
        while len(endpoints) < len(subjects):
            try:
                endpoints.append(await self._responder.serve(subjects[len(endpoints)], None, self._accept))
            except BusUnavailable:
                await self._clock.sleep(1.0)

    def _accept(self, request: ReceivedRequest) -> None:
        worker = request.subject.removeprefix(HEALTH_SUBJECT).removeprefix(".")
        reports = [health.report() for health in self._healths if not worker or health.worker == worker]
        if reports:
            body = json.dumps({"workers": reports} if not worker else reports[0]).encode()
            task = asyncio.get_running_loop().create_task(self._reply(request, body))
            self._replies.add(task)
            task.add_done_callback(self._replies.discard)

    async def _reply(self, request: ReceivedRequest, body: bytes) -> None:
        try:
            await request.respond(body)
        except BusError as error:
            _log.info("health report could not be sent", error=str(error))


class HealthPage:
    """Serves `GET /healthz`: 200 while all workers are healthy, else 503, with the reports as JSON.

    Args:
        port: TCP port, 0 for any free one.
        others: further pages, such as `/metrics`, by path; made for each request.
    """

    name = "health-page"

    def __init__(
        self,
        healths: Sequence[Health],
        host: str,
        port: int,
        others: Mapping[str, Callable[[], Page]] | None = None,
    ) -> None:
        self._healths = healths
        self._pages = {"/healthz": self._health, **(others or {})}
        self._host = host
        self._port = port
        self.address: tuple[str, int] | None = None

    async def run(self, stopping: asyncio.Event, ready: Callable[[], None]) -> None:
        """Listen until `stopping` is set or the task is cancelled.

        Raises:
            PageUnavailable: the address cannot be listened on.
        """
        server = await _start_server(self._serve, self._host, self._port)
        async with server:
            host, port = server.sockets[0].getsockname()[:2]
            self.address = (str(host), int(port))
            ready()
            await stopping.wait()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(5):
                request = await reader.readuntil(b"\r\n\r\n")
                writer.write(self._response(request.split(b"\r\n", 1)[0]))
                await writer.drain()
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return
        finally:
            writer.close()

    def _response(self, request_line: bytes) -> bytes:
        page = self._page(request_line)
        body = b"" if request_line.startswith(b"HEAD ") else page.content
        head = (
            f"HTTP/1.1 {page.status}\r\nContent-Type: {page.kind}\r\n"
            f"Content-Length: {len(page.content)}\r\nConnection: close\r\n\r\n"
        )
        return head.encode() + body

    def _page(self, request_line: bytes) -> Page:
        match request_line.split(b" "):
            case [b"GET" | b"HEAD", target, _]:
                path = target.partition(b"?")[0].decode(errors="replace")
            case _:
                path = ""
        make = self._pages.get(path)
        if make is None:
            return Page.of_json({"ok": False}, "404 Not Found")
        try:
            return make()
        except Exception:  # noqa: BLE001 - the caller gets a response in any case
            _log.exception("page could not be made", path=path)
            return Page.of_json({"ok": False}, "500 Internal Server Error")

    def _health(self) -> Page:
        healthy = all(health.is_healthy for health in self._healths)
        status = "200 OK" if healthy else "503 Service Unavailable"
        return Page.of_json({"ok": healthy, "workers": [health.report() for health in self._healths]}, status)


async def check_address(host: str, port: int) -> None:
    """Check that a page can listen at an address, before anything expensive is started.

    Raises:
        PageUnavailable: it cannot, for example because another process listens there.
    """
    server = await _start_server(lambda _, writer: writer.close(), host, port)
    server.close()
    await server.wait_closed()


async def _start_server(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any], host: str, port: int
) -> asyncio.Server:
    try:
        return await asyncio.start_server(serve, host, port, limit=8192)
    except OSError as error:
        number = None if isinstance(error, socket.gaierror) else error.errno
        reason = error.strerror or str(error) if number is None else os.strerror(number)
        raise PageUnavailable(
            f"the health page cannot listen on {host}:{port} ({reason}): RICORDO_WORKER__HEALTH_PORT "
            "and RICORDO_WORKER__HEALTH_HOST choose another address"
        ) from error
