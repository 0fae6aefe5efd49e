"""The Python client for bots."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, Self

from nats.aio.client import Client
from nats.aio.msg import Msg

from ricordo.client.command_methods import CommandMethods
from ricordo.client.connection import Connection
from ricordo.client.exceptions import RicordoError, Timeout, Unavailable, first_of
from ricordo.client.publish_methods import PublishMethods
from ricordo.client.query_methods import QueryMethods
from ricordo.messages.codec import decode_as
from ricordo.messages.enumerations import MessageState
from ricordo.messages.errors import DecodeError
from ricordo.messages.events import MemoryRemembered, MessageReceived
from ricordo.messages.queries import StatusReply, StatusRequest

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 2.0
_CONCURRENT_POLLS = 16
_POLLS_PER_ROUND = 512


@dataclass(frozen=True, slots=True)
class Receipt:
    """Final state of a message.

    Attributes:
        message_id: id of the message.
        state: `remembered`, `failed`, or `unknown` for a deleted message that was published again.
        error: reason of a failure. With `remembered`, it concerns another message that was rejected because
            it had the same id.
    """

    message_id: str
    state: MessageState
    error: str | None = None


class Receipts:
    """Collects the receipts of some messages.

    Listens to receipt events, and polls the status while none come: a receipt may have been published
    earlier, the credentials may not allow listening, and a failed message has no receipt.
    """

    def __init__(self, connection: Connection, messages: Iterable[str | MessageReceived]) -> None:
        self._connection = connection
        # They are compared until it is known that this message, and no other of its id, was stored.
        self._missing: dict[str, Mapping[str, str]] = dict(
            (one, {}) if isinstance(one, str) else (one.id, {"digest": one.digest, "user_id": one.user_id})
            for one in messages
        )
        self._found: dict[str, Receipt] = {}
        self._complete = asyncio.Event()
        self._unreachable: Unavailable | Timeout | None = None

    async def collect(self, timeout: float) -> dict[str, Receipt]:
        """Return a receipt for each message.

        Raises:
            Timeout: some are not finished after `timeout` seconds.
            RicordoError: an id is invalid; temporary outages are waited out.
        """
        if not self._missing:
            return {}
        total = len(self._missing)
        async with self._connection.subscribed(MemoryRemembered.name, self._on_receipt):
            try:
                async with asyncio.timeout(timeout):
                    await self._poll_until_complete()
            except TimeoutError:
                reason = f" ({self._unreachable.message})" if self._unreachable else ""
                raise Timeout(
                    f"{len(self._missing)} of {total} messages are not remembered after {timeout:g} s{reason}"
                ) from None
        return self._found

    async def _on_receipt(self, message: Msg) -> None:
        try:
            event = decode_as(MemoryRemembered, message.data)
        except DecodeError:
            return  # a malformed event; the status is polled, too
        if not self._missing.get(event.message_id):
            self._settle(Receipt(event.message_id, MessageState.REMEMBERED))
            return
        with suppress(RicordoError):  # the next poll meets it again
            await self._ask(event.message_id)

    async def _poll_until_complete(self) -> None:
        pause, missing = _FIRST_PAUSE, len(self._missing)
        while True:
            await self._poll_once()
            while not self._complete.is_set():
                try:
                    async with asyncio.timeout(pause):
                        await self._complete.wait()
                except TimeoutError:
                    pause, before, missing = min(2 * pause, _LONGEST_PAUSE), missing, len(self._missing)
                    if missing == before:
                        break
            if self._complete.is_set():
                return

    async def _poll_once(self) -> None:
        slots = asyncio.Semaphore(_CONCURRENT_POLLS)

        async def poll(message_id: str) -> None:
            async with slots:
                if message_id in self._missing:
                    await self._ask(message_id)

        try:
            async with asyncio.TaskGroup() as group:
                for message_id in list(islice(self._missing, _POLLS_PER_ROUND)):
                    group.create_task(poll(message_id))
        except* RicordoError as errors:
            raise first_of(errors) from None

    async def _ask(self, message_id: str) -> None:
        fields = {"message_id": message_id, **self._missing[message_id]}
        try:
            status = await self._connection.ask(StatusRequest, StatusReply, fields, None)
        except (Unavailable, Timeout) as error:
            self._unreachable = error  # retrieval may be starting; receipts of mere ids do not need it
            return
        rejected = status.state is MessageState.UNKNOWN and status.error is not None
        if rejected or status.state in (MessageState.REMEMBERED, MessageState.FAILED):
            self._settle(Receipt(message_id, status.state, status.error))
        elif status.state is MessageState.RECEIVED and message_id in self._missing:
            self._missing[message_id] = {}

    def _settle(self, receipt: Receipt) -> None:
        if receipt.message_id in self._missing:
            del self._missing[receipt.message_id]
            self._found[receipt.message_id] = receipt
        if not self._missing:
            self._complete.set()


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
