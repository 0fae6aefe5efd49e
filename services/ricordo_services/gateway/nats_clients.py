"""The gateway's connection to NATS, which all tenants share."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

import structlog
from cachetools import LRUCache
from nats.aio.client import Client
from nats.js import JetStreamContext

from ricordo.client import MemoryClient
from ricordo.client.connection import Connection
from ricordo.settings import BusSettings

SOURCE: Final = "/ricordo/gateway"
TIMEOUT_S: Final = 10.0
_TENANTS: Final = 1000
_log = structlog.stdlib.get_logger(__name__)


class NatsClients:
    """Connections of tenants over one connection to NATS."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._connections: LRUCache[str, Connection] = LRUCache(_TENANTS)

    @property
    def streams(self) -> JetStreamContext:
        """The JetStream API."""
        return self.client.jetstream(timeout=TIMEOUT_S)

    def connection(self, tenant: str) -> Connection:
        """Return the connection of a tenant."""
        found = self._connections.get(tenant)
        if found is None:
            found = self._connections[tenant] = Connection(self.client, tenant, SOURCE, TIMEOUT_S)
        return found

    def memory(self, tenant: str) -> MemoryClient:
        """Return the client of a tenant."""
        return MemoryClient(self.connection(tenant))


@asynccontextmanager
async def connected(settings: BusSettings) -> AsyncIterator[NatsClients]:
    """Connect for the length of an `async with`; the connection is established again whenever it breaks.

    Raises:
        OSError, nats.errors.Error: no server accepts the connection.
    """

    async def log_error(error: Exception) -> None:
        _log.warning("nats reports an error", error=str(error))

    client = Client()
    await client.connect(
        servers=[part.strip() for part in settings.url.split(",")],
        name="ricordo-gateway",
        inbox_prefix=settings.inbox_prefix,
        tls=ssl.create_default_context(cafile=settings.tls_ca) if settings.tls_ca else None,
        max_reconnect_attempts=-1,
        reconnect_time_wait=1,
        error_cb=log_error,
    )
    try:
        yield NatsClients(client)
    finally:
        with suppress(AssertionError, OSError):  # nats-py fails when the server is gone
            await client.close()
