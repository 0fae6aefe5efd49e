"""The client: everything a bot does with its memory."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Self

from nats.aio.client import Client

from ricordo.client.asking import Asking
from ricordo.client.commanding import Commanding
from ricordo.client.connection import Connection
from ricordo.client.publishing import Publishing
from ricordo.client.receipts import Receipt, Receipts

DEFAULT_TIMEOUT: Final = 5.0


class MemoryClient(Publishing, Asking, Commanding):
    """A bot's memory.

    Example:
        async with MemoryClient.connect("nats://127.0.0.1:4222") as memory:
            said = await memory.publish(
                user_id="davide", conversation_id="c-1", role="user", content="Ieri ho adottato un cane!"
            )
            await memory.remembered([said.message_id])
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
        """Connect for the length of an `async with`.

        Args:
            url: `nats://host:port`, with `user:password@` before the host where the server asks for it.
            tenant: whose memories; the credentials must allow it.
            source: what `ce-source` says of the publisher, a URI reference.
            timeout: seconds to wait for the connection, and for an answer when a call does not say.
            tls_ca: file of the certificate by which that of the server is checked; None for what the system
                trusts.

        Yields:
            The client; it reconnects by itself when the connection breaks.

        Raises:
            InvalidRequest: `url` is no address, or `tls_ca` no certificate.
            Forbidden: the server refuses the credentials.
            Unavailable: no server answers in time.
            InvalidSubject: an impossible tenant; it is a `ValueError`.
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
        """Speak over a connected client of the caller's, who also closes it.

        Args:
            client: a connected NATS client.
            tenant: whose memories; the credentials must allow it.
            source: what `ce-source` says of the publisher, a URI reference.
            timeout: seconds to wait for an answer when a call does not say.

        Raises:
            InvalidSubject: an impossible tenant; it is a `ValueError`.
        """
        return cls(Connection(client, tenant, _source(tenant, source), timeout))

    @property
    def tenant(self) -> str:
        """The tenant whose memories these are."""
        return self._connection.tenant

    async def remembered(self, message_ids: Iterable[str], timeout: float = 60.0) -> dict[str, Receipt]:
        """Wait until messages are remembered, or have failed for good.

        Args:
            message_ids: messages that were published, now or earlier.
            timeout: seconds to wait for all of them.

        Returns:
            A receipt for each: its `state` is `remembered`, or `failed` with the reason in `error`.

        Raises:
            Timeout: some are still under way.
            RicordoError: the connection is closed, or their status cannot be asked for, as of an id that is
                none; that nobody answers for a while is waited out.
        """
        return await Receipts(self._connection, message_ids).collect(timeout)


def _source(tenant: str, source: str | None) -> str:
    return f"/bots/{tenant}" if source is None else source
