"""The Python client for bots."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Self

from nats.aio.client import Client

from ricordo.client.command_methods import CommandMethods
from ricordo.client.connection import Connection
from ricordo.client.publish_methods import PublishMethods
from ricordo.client.query_methods import QueryMethods
from ricordo.client.receipts import Receipt, Receipts
from ricordo.messages.events import MessageReceived

DEFAULT_TIMEOUT: Final = 5.0


class MemoryClient(PublishMethods, QueryMethods, CommandMethods):
    """Client for publishing messages, sending queries and sending commands.

    Example:
        async with MemoryClient.connect("nats://127.0.0.1:4222") as memory:
            sent = await memory.publish(
                user_id="davide", conversation_id="c-1", role="user", content="Ieri ho adottato un cane!"
            )
            await memory.remembered([sent.message_id])
            reply = await memory.recall("davide", "che animale ho?")
            print(reply.memories[0].content)
    """

    @classmethod
    @asynccontextmanager
    async def connect(
        cls,
        url: str,
        tenant: str = "default",
        *,
        source: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        tls_ca: Path | None = None,
    ) -> AsyncIterator[Self]:
        """Connect for the duration of an `async with` block.

        Args:
            url: `nats://host:port`, with `user:password@` before the host if the server requires it.
            tenant: tenant of all calls; the credentials must allow it.
            source: URI reference for the header `ce-source`.
            timeout: seconds to wait for the connection, and default for replies.
            tls_ca: file of the CA certificate that verifies the server; None for those of the system.

        Yields:
            The client; it reconnects when the connection breaks.

        Raises:
            InvalidRequest: `url` or `tls_ca` is invalid.
            Forbidden: the server rejects the credentials.
            Unavailable: no server answers in time.
            InvalidSubject: the tenant is invalid; a `ValueError`.
        """
        connection = await Connection.open(url, tenant, _source(tenant, source), timeout, tls_ca)
        try:
            yield cls(connection)
        finally:
            await connection.close()

    @classmethod
    def over(
        cls,
        client: Client,
        tenant: str = "default",
        *,
        source: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> Self:
        """Use an existing NATS connection, which the caller closes.

        Args:
            client: a connected NATS client.
            tenant: tenant of all calls; the credentials must allow it.
            source: URI reference for the header `ce-source`.
            timeout: default seconds to wait for replies.

        Raises:
            InvalidSubject: the tenant is invalid; a `ValueError`.
        """
        return cls(Connection(client, tenant, _source(tenant, source), timeout))

    @property
    def tenant(self) -> str:
        """Tenant of all calls."""
        return self._connection.tenant

    async def remembered(
        self, message_ids: Iterable[str | MessageReceived], timeout: float = 60.0
    ) -> dict[str, Receipt]:
        """Wait until messages are remembered or have failed permanently.

        Args:
            message_ids: ids of published messages, or the messages themselves: such a one fails, as
                `id_conflict`, if another message had its id first.
            timeout: seconds to wait for all of them.

        Returns:
            A receipt per message: its `state` is `remembered`, or `failed` with the reason in `error`.

        Raises:
            Timeout: some are not finished in time.
            RicordoError: the connection is closed, or an id is invalid; temporary outages are waited out.
        """
        return await Receipts(self._connection, message_ids).collect(timeout)


def _source(tenant: str, source: str | None) -> str:
    return f"/bots/{tenant}" if source is None else source
