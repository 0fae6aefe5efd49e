"""The answering side of request-reply on NATS.

The callbacks of a subscription run one after the other, so they only accept; the reply is sent by a task.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

import nats.errors
import structlog
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription as CoreSubscription

from ricordo.bus.nats.nats_connection import NatsConnection, ReceivedMessage, translated
from ricordo.bus.port import Request

_log = structlog.stdlib.get_logger(__name__)

_DRAIN_TIMEOUT_S: Final = 2.0


class NatsRequest(ReceivedMessage):
    """A request over NATS."""

    __slots__ = ("_connection",)

    def __init__(self, connection: NatsConnection, message: Msg) -> None:
        super().__init__(message)
        self._connection = connection

    async def respond(self, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send the reply; nothing, if the caller left no reply subject.

        Raises:
            PublishRefused: it is larger than the server allows.
            BusUnavailable: there is no connection.
        """
        if not self._message.reply:
            return
        with translated("cannot reply"):
            await self._connection.client.publish(
                self._message.reply, body, headers=dict(headers or {}) or None
            )


class NatsEndpoint:
    """A subscription to requests."""

    def __init__(self, subscription: CoreSubscription) -> None:
        self._subscription: CoreSubscription | None = subscription

    async def close(self) -> None:
        """Unsubscribe, and accept requests that the server sent before."""
        subscription, self._subscription = self._subscription, None
        if subscription is None:
            return
        try:
            async with asyncio.timeout(_DRAIN_TIMEOUT_S):
                await subscription.drain()  # type: ignore[no-untyped-call]  # the library left it untyped
        except (nats.errors.Error, TimeoutError, OSError) as error:
            _log.debug("endpoint closed with an error", subject=subscription.subject, error=str(error))


async def serve(
    connection: NatsConnection, subject: str, queue: str | None, accept: Callable[[Request], None]
) -> NatsEndpoint:
    """Receive the requests on `subject`."""

    async def on_message(message: Msg) -> None:
        accept(NatsRequest(connection, message))

    with translated(f"cannot serve {subject}"):
        subscription = await connection.client.subscribe(subject, queue=queue or "", cb=on_message)
        await connection.client.flush(timeout=max(1, round(connection.settings.request_timeout)))
    return NatsEndpoint(subscription)
