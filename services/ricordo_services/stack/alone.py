"""PostgreSQL of a data folder without the others: for who backs up and restores."""

import contextlib
from collections.abc import AsyncIterator
from functools import partial

from ricordo_services.stack.errors import FolderRefused
from ricordo_services.stack.folder import DataFolder, unusable
from ricordo_services.stack.local import place
from ricordo_services.stack.ports import PortBook
from ricordo_services.stack.postgres import PostgresServer
from ricordo_services.stack.supervision import Patience, SupervisedServer, run_to_end


@contextlib.asynccontextmanager
async def postgres_alone(folder: DataFolder) -> AsyncIterator[str]:
    """Run it while the context lasts; yield the address for its owner. At the end it is stopped in order.

    Raises:
        StackError: it cannot be run.
    """
    passwords = folder.secrets()
    server = PostgresServer(
        folder.path,
        owner_password=passwords.postgres_owner,
        worker_password=passwords.postgres_worker,
        run_to_end=partial(run_to_end, place=place(folder, "initdb"), name="postgres"),
    )
    book = PortBook(folder.path / "ports.json")
    supervised = SupervisedServer(server, place(folder, "postgres"), book, Patience())
    try:
        await supervised.start()
    except OSError as error:
        raise FolderRefused(unusable(folder.path, error)) from error
    try:
        yield server.admin_dsn(supervised.ports)
    finally:
        await supervised.stop()
