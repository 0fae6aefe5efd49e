"""The local stack: its servers, restarted when they end, and PostgreSQL alone for backup and restore."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Mapping
from functools import partial
from pathlib import Path
from typing import NoReturn, Self

import structlog

from ricordo_services.stack.bolt import DATABASE, USER, BoltServer
from ricordo_services.stack.child_process import (
    Child,
    SupervisionTimes,
    keep_in_background,
    keep_running,
    log_tail,
    until_gone,
)
from ricordo_services.stack.endpoints import Endpoints
from ricordo_services.stack.folder import DataFolder, unusable
from ricordo_services.stack.nats import NatsServer
from ricordo_services.stack.postgres import PostgresServer
from ricordo_services.stack.servers import LOOPBACK, NotReady, PortBook, ServerFailed, is_free
from ricordo_services.stack.worker_processes import WorkerHostProcess, WorkerProcesses

log = structlog.get_logger("ricordo.stack")

LEFTOVER_SECONDS = 4.0
Server = BoltServer | PostgresServer | NatsServer


class SupervisedServer:
    """One server of the stack, kept running on the same ports."""

    def __init__(
        self, server: Server, folder: DataFolder, ports: PortBook, patience: SupervisionTimes
    ) -> None:
        self._server = server
        self._folder = folder
        self._paths = folder.files_of(server.name)
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
            FolderRefused: a file of the folder cannot be read or written.
        """
        for attempt in range(1, self._patience.port_attempts + 1):
            try:
                self.ports = self._book.reserve(self._server.port_names)
                await self._run()
            except ServerFailed:
                lost = [port for port in self.ports.values() if not is_free(port)]
                if not lost or attempt == self._patience.port_attempts:
                    raise
                log.info("port_taken", server=self._server.name, ports=lost)
            except OSError as error:  # a disk that fills up, a file that belongs to somebody else
                raise unusable(self._folder.path, error) from error
            else:
                return

    def keep(self, failed: asyncio.Future[None]) -> None:
        """Start the server again whenever it ends, and tell ``failed`` when that does not help."""
        keeping = partial(
            keep_running, "server", self._server.name, self._ended, self._restart, self._patience
        )
        self._keeper = keep_in_background(keeping, failed)

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
        seconds = self._patience.start
        reason, deadline = f"does not answer after {seconds:.0f} s", time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not child.running:
                reason = f"ended with status {await child.ended()}"
                break
            with contextlib.suppress(NotReady, TimeoutError):
                await asyncio.wait_for(self._server.probe(self.ports), self._patience.answer)
                return
            await asyncio.sleep(self._patience.poll)
        raise ServerFailed(self._server.name, reason, log_tail(self._paths.log))

    async def _restart(self) -> None:
        # A guard that was killed leaves a server that the kernel has told to stop.
        await until_gone(self._paths.record, LEFTOVER_SECONDS)
        await self._run()

    async def _ended(self) -> int:
        assert self._child is not None  # noqa: S101 - it was started before it is kept
        return await self._child.ended()


_HTTP = "http"
"""The name of the gateway's port; it is a worker, and no server of the stack."""


class LocalStack:
    """The three servers of one data folder, running; made by ``LocalStack.open``."""

    def __init__(self, folder: DataFolder, times: SupervisionTimes, host_module: str) -> None:
        self._folder = folder
        self._book = PortBook(folder.path / "ports.json")
        self._secrets = folder.secrets()
        self._bolt = BoltServer(folder)
        self._postgres = PostgresServer(folder)
        self._nats = NatsServer(folder)
        servers: tuple[Server, ...] = (self._bolt, self._postgres, self._nats)  # the slowest first
        self._supervised = {
            server.name: SupervisedServer(server, folder, self._book, times) for server in servers
        }
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        host = WorkerHostProcess(folder.files_of("workers"), host_module)
        self.workers = WorkerProcesses(host, times, self._failed)

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls, data_dir: Path, times: SupervisionTimes | None = None, *, host_module: str = ""
    ) -> AsyncIterator[Self]:
        """Run the servers on ``data_dir`` while the context lasts; it begins when all of them answer.

        Args:
            host_module: what the host of ``workers`` runs, which is started beside them; none is if empty.

        Raises:
            FolderRefused: the folder cannot be used, or another stack uses it.
            ServerFailed: a server does not start.
            StackError: a server is not installed.
        """
        folder = await DataFolder.hold(data_dir)
        try:
            stack = cls(folder, times or SupervisionTimes(), host_module)
            try:
                await stack._start(hosting=bool(host_module))
                yield stack
            finally:
                await stack._stop()
        finally:
            folder.release()

    async def watch(self) -> NoReturn:
        """Wait as long as the servers can be kept running.

        A server that ends by itself is started again on its port; clients reconnect. So is a process of
        workers. The wait is cancelled when the stack stops.

        Raises:
            ServerFailed: one of them keeps ending.
            WorkersFailed: so does a process of workers.
        """
        await asyncio.shield(self._failed)
        raise AssertionError("the future only ever holds an exception")

    @property
    def endpoints(self) -> Endpoints:
        """Where the servers answer; the same as long as the stack runs."""
        nats, sql, graph = (self._supervised[name].ports for name in ("nats", "postgres", "graph"))
        return Endpoints(
            nats_url=self._nats.url(nats),
            postgres_admin_dsn=self._postgres.admin_dsn(sql),
            postgres_dsn=self._postgres.worker_dsn(sql),
            bolt_url=self._bolt.url(graph),
            bolt_user=USER,
            bolt_password=self._secrets.bolt,
            bolt_database=DATABASE,
            http_url=f"http://{LOOPBACK}:{self._book[_HTTP]}",
            http_key=self._secrets.http_key,
            data_dir=self._folder.path,
        )

    async def _start(self, *, hosting: bool) -> None:
        """Start all servers at once; when one cannot start, the others' starts end too."""
        try:
            async with asyncio.TaskGroup() as starts:
                if hosting:
                    starts.create_task(self.workers.host.start())
                for server in self._supervised.values():
                    starts.create_task(server.start())
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        self._book.reserve([_HTTP])
        for server in self._supervised.values():
            server.keep(self._failed)

    async def _stop(self) -> None:
        try:
            await self.workers.stop()  # with the servers still there
        finally:
            await self._stop_servers()

    async def _stop_servers(self) -> None:
        servers = self._supervised.values()
        for server in servers:  # first of all and without a pause: nothing can come in between
            server.release()
        if not self._failed.cancel() and not self._failed.cancelled():
            self._failed.exception()  # seen, or nobody watched
        await asyncio.gather(*(server.stop() for server in servers))
        self._bolt.save_classes()
        self._folder.forget_run()


@contextlib.asynccontextmanager
async def standalone_postgres(folder: DataFolder) -> AsyncIterator[str]:
    """Run PostgreSQL alone for the length of an `async with`; yields the DSN of its owner.

    Raises:
        StackError: it cannot be run.
    """
    server, book = PostgresServer(folder), PortBook(folder.path / "ports.json")
    supervised = SupervisedServer(server, folder, book, SupervisionTimes())
    await supervised.start()
    try:
        yield server.admin_dsn(supervised.ports)
    finally:
        await supervised.stop()
