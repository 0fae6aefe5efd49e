"""Pulls messages from a durable consumer.

A pull asks for the messages that are there or waits for the first: the server then always ends it with a
status, unless the whole batch was delivered. No pull outlives its fetch, so that demand never adds up.
"""

import asyncio
import itertools
import json
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import structlog
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription as CoreSubscription

from ricordo.bus.nats.nats_connection import NatsConnection, NatsMessage, translated
from ricordo.bus.port import BusError, BusUnavailable, Delivery

_log = structlog.stdlib.get_logger(__name__)

_END_STATUSES: Final = ("404", "408")
_HEARTBEAT: Final = "100"
_REPLY_TIMEOUT_S: Final = 1.0
_EMPTY_PAUSE: Final = 0.05


class JetStreamDelivery(NatsMessage):
    """A delivery of JetStream."""

    __slots__ = ("attempt", "sequence", "stream")

    def __init__(self, message: Msg) -> None:
        super().__init__(message)
        metadata = message.metadata
        self.attempt: int = metadata.num_delivered
        self.sequence: int = metadata.sequence.stream
        self.stream: str = metadata.stream

    async def ack(self, *, confirmed: bool = False) -> None:
        """Settle as done; `confirmed` waits for the server."""
        with translated("cannot acknowledge"):
            if confirmed:
                await self._message.ack_sync(timeout=_REPLY_TIMEOUT_S)
            else:
                await self._message.ack()

    async def retry(self, delay: float) -> None:
        """Settle as to be redelivered after `delay` seconds."""
        with translated("cannot hand back"):
            await self._message.nak(delay=max(delay, 0.001))

    async def terminate(self) -> None:
        """Settle as never to be redelivered."""
        with translated("cannot terminate"):
            await self._message.term()

    async def in_progress(self) -> None:
        """Restart the time after which it would be redelivered."""
        with translated("cannot report progress"):
            await self._message.in_progress()


@dataclass(slots=True)
class _Pull:
    """One pull request, ended by the server, by its last message, or by the loss of the connection."""

    token: str
    limit: int
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    problem: str = ""


class PullSubscription:
    """The deliveries of one durable consumer to this process.

    Args:
        ack_wait: seconds, as on the server.
    """

    def __init__(
        self, connection: NatsConnection, *, stream: str, consumer: str, ack_wait: float, max_deliver: int
    ) -> None:
        self.consumer = consumer
        self.ack_wait = ack_wait
        self.max_deliver = max_deliver
        self._connection = connection
        self._stream = stream
        self._next = f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{consumer}"
        self._inbox = connection.client.new_inbox()
        self._tokens = itertools.count()
        self._arrived: deque[Msg] = deque()
        self._pull: _Pull | None = None
        self._subscription: CoreSubscription | None = None
        self._unregister: Callable[[], None] = lambda: None

    async def open(self) -> None:
        """Begin to receive.

        Raises:
            BusUnavailable: there is no connection.
        """
        with translated(f"cannot receive from {self.consumer}"):
            self._subscription = await self._connection.client.subscribe(
                f"{self._inbox}.*", cb=self._on_message
            )
        self._unregister = self._connection.when_lost(self._on_lost)

    async def fetch(self, limit: int, timeout: float) -> Sequence[Delivery]:
        """Return up to `limit` messages. One fetch at a time."""
        if not self._arrived and self._subscription is not None:
            await self._connection.up(within=timeout)
            await self._ask(limit, timeout)
        return [JetStreamDelivery(self._arrived.popleft()) for _ in range(min(limit, len(self._arrived)))]

    async def _ask(self, limit: int, timeout: float) -> None:
        began = time.monotonic()
        pull = self._pull = _Pull(f"{next(self._tokens):x}", limit)
        request = {"batch": limit, "no_wait": True, "expires": int(timeout * 1e9)}
        try:
            with translated(f"cannot ask {self.consumer} for messages"):
                await self._connection.client.publish(
                    self._next, json.dumps(request).encode(), reply=f"{self._inbox}.{pull.token}"
                )
            async with asyncio.timeout(timeout + _REPLY_TIMEOUT_S):
                await pull.ended.wait()
        except TimeoutError:
            pull.problem = pull.problem or "the server does not answer"
        finally:
            self._pull = None
        if self._arrived:
            return
        if pull.problem:
            raise BusUnavailable(f"cannot fetch from {self.consumer} of {self._stream}: {pull.problem}")
        if time.monotonic() - began < min(timeout, _EMPTY_PAUSE):
            await asyncio.sleep(_EMPTY_PAUSE)

    async def _on_message(self, message: Msg) -> None:
        pull = self._pull
        if message.reply:
            self._arrived.append(message)
            if pull is not None and len(self._arrived) >= pull.limit:
                pull.ended.set()
            return
        headers = message.headers or {}
        status = headers.get("Status", "")
        if pull is None or status == _HEARTBEAT or not message.subject.endswith(f".{pull.token}"):
            return
        if status not in _END_STATUSES:
            pull.problem = _reason(status, headers)
        pull.ended.set()

    def _on_lost(self) -> None:
        if self._pull is not None:
            self._pull.problem = "the connection was lost"
            self._pull.ended.set()

    async def close(self) -> None:
        """Stop receiving, and return messages that arrived and were not fetched."""
        subscription, self._subscription = self._subscription, None
        if subscription is None:
            return
        self._unregister()
        try:
            with translated("cannot unsubscribe"):
                async with asyncio.timeout(_REPLY_TIMEOUT_S):
                    # Until nothing comes any more.
                    await subscription.drain()  # type: ignore[no-untyped-call]
            while self._arrived:
                await JetStreamDelivery(self._arrived.popleft()).retry(0.001)
        except BusError as error:
            _log.debug("subscription closed with an error", consumer=self.consumer, error=str(error))


def _reason(status: str, headers: Mapping[str, str]) -> str:
    if status == "503":
        return "the consumer does not exist, or JetStream is not ready"
    return headers.get("Description", "").strip() or f"status {status}"
