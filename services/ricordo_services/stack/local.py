"""The local stack: its servers in order, and PostgreSQL alone for backup and restore."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import NoReturn, Self

from ricordo_services.stack import bolt
from ricordo_services.stack.bolt import BoltServer
from ricordo_services.stack.child_process import ChildPaths
from ricordo_services.stack.endpoints import Endpoints
from ricordo_services.stack.folder import DataFolder, unusable
from ricordo_services.stack.nats import NatsServer
from ricordo_services.stack.postgres import PostgresServer
from ricordo_services.stack.servers import LOOPBACK, FolderRefused, PortBook, Server
from ricordo_services.stack.supervision import SupervisedServer, SupervisionTimes, run_to_end

_HTTP = "http"
"""The name of the gateway's port; it is a worker, and no server of the stack."""


class LocalStack:
    """The three servers of one data folder, running; made by ``LocalStack.open``."""

    def __init__(self, folder: DataFolder, times: SupervisionTimes) -> None:
        passwords = folder.secrets()
        data, book = folder.path, PortBook(folder.path / "ports.json")
        self._nats = NatsServer(data / "nats", passwords.nats)
        self._postgres = _postgres_server(folder)
        self._bolt = BoltServer(data / "graph", passwords.bolt, log=folder.log("graph"))
        self._bolt_password = passwords.bolt
        self._http_key, self._book = passwords.http_key, book
        self._folder = folder
        servers: tuple[Server, ...] = (self._bolt, self._postgres, self._nats)  # the slowest first
        self._supervised = {
            server.name: SupervisedServer(server, child_paths(folder, server.name), book, times)
            for server in servers
        }
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, data_dir: Path, times: SupervisionTimes | None = None) -> AsyncIterator[Self]:
        """Run the servers on ``data_dir`` while the context lasts; it begins when all of them answer.

        Args:
            times: None for the defaults.

        Raises:
            FolderRefused: the folder cannot be used, or another stack uses it.
            ServerFailed: a server does not start.
            StackError: a server is not installed.
        """
        folder = await DataFolder.hold(data_dir)
        try:
            stack = cls(folder, times or SupervisionTimes())
            try:
                await stack._start()
                yield stack
            finally:
                await stack._stop()
        finally:
            folder.release()

    async def watch(self) -> NoReturn:
        """Wait as long as the servers can be kept running.

        A server that ends by itself is started again on its port; clients reconnect. The wait is
        cancelled when the stack stops.

        Raises:
            ServerFailed: one of them keeps ending.
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
            bolt_user=bolt.USER,
            bolt_password=self._bolt_password,
            bolt_database=bolt.DATABASE,
            http_url=f"http://{LOOPBACK}:{self._book[_HTTP]}",
            http_key=self._http_key,
            data_dir=self._folder.path,
        )

    async def _start(self) -> None:
        """Start all servers at once; when one cannot start, the others' starts end too."""
        try:
            async with asyncio.TaskGroup() as starts:
                for server in self._supervised.values():
                    starts.create_task(self._start_one(server))
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        self._book.reserve([_HTTP])
        for server in self._supervised.values():
            server.keep(self._failed)

    async def _start_one(self, server: SupervisedServer) -> None:
        try:
            await server.start()
        except OSError as error:  # a disk that fills up, a file that belongs to somebody else
            raise FolderRefused(unusable(self._folder.path, error)) from error

    async def _stop(self) -> None:
        servers = self._supervised.values()
        for server in servers:  # first of all and without a pause: nothing can come in between
            server.release()
        if not self._failed.cancel() and not self._failed.cancelled():
            self._failed.exception()  # seen, or nobody watched
        await asyncio.gather(*(server.stop() for server in servers))
        self._bolt.save_classes()
        self._folder.forget_run()


def child_paths(folder: DataFolder, name: str) -> ChildPaths:
    """Return the files of the server `name`."""
    return ChildPaths(record=folder.record(name), log=folder.log(name), lock_fd=folder.lock_fd)


def _postgres_server(folder: DataFolder) -> PostgresServer:
    passwords = folder.secrets()
    return PostgresServer(
        folder.path,
        owner_password=passwords.postgres_owner,
        worker_password=passwords.postgres_worker,
        run_to_end=partial(run_to_end, paths=child_paths(folder, "initdb"), name="postgres"),
    )


@contextlib.asynccontextmanager
async def standalone_postgres(folder: DataFolder) -> AsyncIterator[str]:
    """Run PostgreSQL alone for the length of an `async with`; yields the DSN of its owner.

    Raises:
        StackError: it cannot be run.
    """
    server = _postgres_server(folder)
    book = PortBook(folder.path / "ports.json")
    supervised = SupervisedServer(server, child_paths(folder, "postgres"), book, SupervisionTimes())
    try:
        await supervised.start()
    except OSError as error:
        raise FolderRefused(unusable(folder.path, error)) from error
    try:
        yield server.admin_dsn(supervised.ports)
    finally:
        await supervised.stop()
