"""Request-reply on NATS, the answering side.

A subscription's callbacks run one after the other, so they only accept; whoever accepts answers in a task.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

import nats.errors
import structlog
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription as CoreSubscription

from ricordo.bus.nats.connection import Connection, translated
from ricordo.bus.requests import Request

_log = structlog.stdlib.get_logger(__name__)

_DRAINING_TAKES: Final = 2.0
_NO_HEADERS: Final[Mapping[str, str]] = {}


class NatsRequest:
    """A request that arrived over NATS."""

    __slots__ = ("_connection", "_message")

    def __init__(self, connection: Connection, message: Msg) -> None:
        self._connection = connection
        self._message = message

    @property
    def subject(self) -> str:
        """The subject that it was sent on."""
        return self._message.subject

    @property
    def body(self) -> bytes:
        """The question."""
        return self._message.data

    @property
    def headers(self) -> Mapping[str, str]:
        """Its headers."""
        return self._message.headers or _NO_HEADERS

    async def respond(self, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send the reply; to a caller who left no address, nothing.

        Raises:
            PublishRefused: it is larger than the server carries.
            BusUnavailable: there is no connection.
        """
        if not self._message.reply:
            return
        with translated("cannot reply"):
            await self._connection.client.publish(
                self._message.reply, body, headers=dict(headers or {}) or None
            )


class NatsEndpoint:
    """Where requests arrive.

    Args:
        subscription: open.
    """

    def __init__(self, subscription: CoreSubscription) -> None:
        self._subscription: CoreSubscription | None = subscription

    async def close(self) -> None:
        """Withdraw the interest, and accept what the server sent before it heard of that."""
        subscription, self._subscription = self._subscription, None
        if subscription is None:
            return
        try:
            async with asyncio.timeout(_DRAINING_TAKES):
                await subscription.drain()  # type: ignore[no-untyped-call]  # the library left it untyped
        except (nats.errors.Error, TimeoutError, OSError) as error:
            _log.debug("endpoint closed without a word", subject=subscription.subject, error=str(error))


async def serve(
    connection: Connection, subject: str, queue: str | None, accept: Callable[[Request], None]
) -> NatsEndpoint:
    """Receive the requests on `subject`; see the port."""

    async def on_message(message: Msg) -> None:
        accept(NatsRequest(connection, message))

    with translated(f"cannot serve {subject}"):
        subscription = await connection.client.subscribe(subject, queue=queue or "", cb=on_message)
        await connection.client.flush(timeout=max(1, round(connection.settings.request_timeout)))
    return NatsEndpoint(subscription)
