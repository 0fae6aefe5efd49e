"""Publishes many messages at once, each acknowledged or refused.

nats-py's own asynchronous publishing is not used: the error of a full stream raises in its reader, and never
reaches the publisher.
"""

import asyncio
import itertools
import json
from collections.abc import Sequence
from typing import Final

from nats.aio.msg import Msg
from nats.aio.subscription import Subscription as CoreSubscription

from ricordo.bus.nats.nats_connection import NatsConnection, translated
from ricordo.bus.port import BusError, BusUnavailable, Outgoing, PublishRefused

_NO_RESPONDERS: Final = "503"
_MAX_PENDING: Final = 1000


class StreamPublisher:
    """Publishes over one connection."""

    def __init__(self, connection: NatsConnection) -> None:
        self._connection = connection
        self._inbox = ""
        self._replies: CoreSubscription | None = None
        self._pending: dict[str, asyncio.Future[BusError | None]] = {}
        self._tokens = itertools.count()

    async def open(self) -> None:
        """Subscribe to acknowledgements.

        Raises:
            BusUnavailable: there is no connection.
        """
        with translated("cannot listen for acknowledgements"):
            self._inbox = self._connection.client.new_inbox()
            self._replies = await self._connection.client.subscribe(f"{self._inbox}.*", cb=self._on_reply)
        self._connection.when_lost(self._on_lost)

    async def publish(self, messages: Sequence[Outgoing]) -> Sequence[BusError | None]:
        """Publish `messages` and wait for all acknowledgements."""
        results: list[BusError | None] = []
        for first in range(0, len(messages), _MAX_PENDING):
            results += await self._publish_some(messages[first : first + _MAX_PENDING])
        return results

    async def _publish_some(self, messages: Sequence[Outgoing]) -> Sequence[BusError | None]:
        timeout = self._connection.settings.request_timeout
        try:
            await self._connection.up(within=timeout)
        except BusUnavailable as error:
            return [error] * len(messages)
        tokens = [f"{next(self._tokens):x}" for _ in messages]
        loop = asyncio.get_running_loop()
        acknowledged = [self._pending.setdefault(token, loop.create_future()) for token in tokens]
        try:
            for token, message, future in zip(tokens, messages, acknowledged, strict=True):
                await self._send(token, message, future)
            await asyncio.wait(acknowledged, timeout=timeout)
        finally:
            for token in tokens:
                del self._pending[token]
        late = BusUnavailable(f"not acknowledged within {timeout:g} seconds")
        return [future.result() if future.done() else late for future in acknowledged]

    async def _send(self, token: str, message: Outgoing, future: "asyncio.Future[BusError | None]") -> None:
        try:
            with translated(f"cannot publish {message.subject}"):
                await self._connection.client.publish(
                    message.subject,
                    message.body,
                    reply=f"{self._inbox}.{token}",
                    headers=dict(message.headers) or None,
                )
        except BusError as error:
            if not future.done():
                future.set_result(error)

    async def _on_reply(self, reply: Msg) -> None:
        future = self._pending.get(reply.subject.rpartition(".")[2])
        if future is not None and not future.done():
            future.set_result(_read(reply))

    def _on_lost(self) -> None:
        lost = BusUnavailable("the connection was lost before the acknowledgement came")
        for future in self._pending.values():
            if not future.done():
                future.set_result(lost)


def _read(reply: Msg) -> BusError | None:
    if reply.headers is not None and reply.headers.get("Status") == _NO_RESPONDERS:
        return BusUnavailable("no stream has this subject now")
    try:
        answer = json.loads(reply.data)
    except (ValueError, RecursionError):
        answer = None
    match answer:
        case {"error": dict(error)}:
            return PublishRefused(str(error.get("description") or f"error {error.get('err_code')}"))
        case {"stream": str()}:
            return None
        case _:  # it may be stored; it is published again
            return BusUnavailable("the acknowledgement cannot be read")
