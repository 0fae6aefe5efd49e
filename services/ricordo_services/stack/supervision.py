"""Starts a server, waits until it is ready, and restarts it when it exits."""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

import structlog

from ricordo_services.stack.child_process import Child, ChildPaths, log_tail, until_gone
from ricordo_services.stack.servers import Launch, NotReady, PortBook, Server, ServerFailed, is_free

log = structlog.get_logger("ricordo.stack")

LEFTOVER_SECONDS = 4.0


@dataclass(frozen=True, slots=True)
class SupervisionTimes:
    """How long and how often the stack tries.

    Attributes:
        start: seconds for a server to answer.
        poll: seconds between two questions whether it does.
        answer: seconds for one such question.
        restarts: how many restarts in a row may fail; a server that was killed often is still restarted.
        window: seconds in which exits count for the pause before a restart.
        backoff: seconds before the first restart, doubled for each further exit.
        longest_pause: most seconds before a restart.
    """

    start: float = 60.0
    poll: float = 0.03
    answer: float = 10.0
    port_attempts: int = 4
    restarts: int = 5
    window: float = 120.0
    backoff: float = 0.2
    longest_pause: float = 5.0


async def run_to_end(launch: Launch, paths: ChildPaths, name: str) -> None:
    """Run a command that ends by itself under a guard.

    Raises:
        ServerFailed: it did not end with status 0.
    """
    child = await Child.start(launch, paths)
    try:
        status = await child.ended()
    finally:
        await child.stop()
    if status != 0:
        raise ServerFailed(name, f"preparing it ended with status {status}", log_tail(paths.log))


class SupervisedServer:
    """One server of the stack, kept running on the same ports."""

    def __init__(
        self, server: Server, paths: ChildPaths, ports: PortBook, patience: SupervisionTimes
    ) -> None:
        self._server = server
        self._paths = paths
        self._book = ports
        self._patience = patience
        self._child: Child | None = None
        self._keeper: asyncio.Task[None] | None = None
        self.ports: Mapping[str, int] = {}

    async def start(self) -> None:
        """Start the server on free ports and return when it answers.

        Raises:
            ServerFailed: it does not start.
            StackError: it cannot be run here.
        """
        for attempt in range(1, self._patience.port_attempts + 1):
            self.ports = self._book.reserve(self._server.port_names)
            try:
                await self._run()
            except ServerFailed:
                lost = [port for port in self.ports.values() if not is_free(port)]
                if not lost or attempt == self._patience.port_attempts:
                    raise
                log.info("port_taken", server=self._server.name, ports=lost)
            else:
                return

    def keep(self, failed: asyncio.Future[None]) -> None:
        """Start the server again whenever it ends, and tell ``failed`` when that does not help."""
        self._keeper = asyncio.create_task(self._keep(failed), name=f"keep-{self._server.name}")

    def release(self) -> None:
        """Ask the server to stop, without waiting."""
        if self._keeper is not None:
            self._keeper.cancel()
        if self._child is not None:
            self._child.release()

    async def stop(self) -> None:
        """Stop the server and wait until nothing of it is left."""
        self.release()
        if self._keeper is not None:
            await asyncio.wait((self._keeper,))
        if self._child is not None:
            await self._child.stop()

    async def _run(self) -> None:
        """Start the server on the ports it has; leave no process behind when it does not answer."""
        launch = await self._server.prepare(self.ports)
        self._child = await Child.start(launch, self._paths)
        try:
            await self._answers(self._child)
        except BaseException:
            await self._child.stop()
            raise

    async def _answers(self, child: Child) -> None:
        deadline = time.monotonic() + self._patience.start
        while time.monotonic() < deadline:
            if not child.running:
                status = await child.ended()
                raise self._failure(f"ended with status {status}")
            with contextlib.suppress(NotReady, TimeoutError):
                await asyncio.wait_for(self._server.probe(self.ports), self._patience.answer)
                return
            await asyncio.sleep(self._patience.poll)
        raise self._failure(f"does not answer after {self._patience.start:.0f} s")

    async def _keep(self, failed: asyncio.Future[None]) -> None:
        times, failures = self._patience, 0
        ends: deque[float] = deque(maxlen=16)
        try:
            while self._child is not None:
                status = await self._child.ended()
                ends.append(time.monotonic())
                log.warning("server_ended", server=self._server.name, status=status)
                # A guard that was killed leaves a server that the kernel has told to stop.
                await until_gone(self._paths.record, LEFTOVER_SECONDS)
                recent = sum(end > time.monotonic() - times.window for end in ends)
                await asyncio.sleep(min(times.backoff * 2 ** (recent - 1), times.longest_pause))
                try:
                    await self._run()
                except ServerFailed:
                    failures += 1
                    if failures > times.restarts:
                        raise
                else:
                    failures = 0
                    log.info("server_restarted", server=self._server.name)
        except Exception as error:  # noqa: BLE001 - whatever ends the keeper is the stack's failure, and told there
            if not failed.done():
                failed.set_exception(error)

    def _failure(self, reason: str) -> ServerFailed:
        return ServerFailed(self._server.name, reason, log_tail(self._paths.log))
