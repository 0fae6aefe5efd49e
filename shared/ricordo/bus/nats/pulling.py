"""Pulling from a durable consumer, so that every pull has an end and nothing that arrives is lost.

A pull asks for what is there and, where nothing is, waits for the first message: the server then always
closes it with a status, unless the whole batch was delivered. No pull outlives its fetch, so demand never
adds up.
"""

import asyncio
import itertools
import json
import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final

import structlog
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription as CoreSubscription

from ricordo.bus.nats.connection import Connection, translated
from ricordo.bus.port import BusError, BusUnavailable, Delivery

_log = structlog.stdlib.get_logger(__name__)

_NOTHING_MORE: Final = ("404", "408")
_HEARTBEAT: Final = "100"
_ANSWER_TAKES: Final = 1.0
_EMPTY_PAUSE: Final = 0.05
_NO_HEADERS: Final[Mapping[str, str]] = {}


class JetStreamDelivery:
    """A message that JetStream delivered."""

    __slots__ = ("_message", "attempt", "sequence")

    def __init__(self, message: Msg) -> None:
        place = message.metadata
        self._message = message
        self.attempt: int = place.num_delivered
        self.sequence: int = place.sequence.stream

    @property
    def subject(self) -> str:
        """The subject that it was published on."""
        return self._message.subject

    @property
    def body(self) -> bytes:
        """The body as it was published."""
        return self._message.data

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers as they were published."""
        return self._message.headers or _NO_HEADERS

    async def ack(self, *, confirmed: bool = False) -> None:
        """Settle as done; `confirmed` waits until the server has taken note."""
        with translated("cannot acknowledge"):
            if confirmed:
                await self._message.ack_sync(timeout=_ANSWER_TAKES)
            else:
                await self._message.ack()

    async def retry(self, delay: float) -> None:
        """Settle as to be delivered again, after `delay` seconds: without any it would come back at once."""
        with translated("cannot hand back"):
            await self._message.nak(delay=max(delay, 0.001))

    async def terminate(self) -> None:
        """Settle as given up."""
        with translated("cannot terminate"):
            await self._message.term()

    async def in_progress(self) -> None:
        """Restart the time after which it would be delivered again."""
        with translated("cannot report progress"):
            await self._message.in_progress()


class _Pull:
    """One request for messages: ended by the server, by its last message, or by a lost connection."""

    __slots__ = ("ended", "problem", "token", "wanted")

    def __init__(self, token: str, wanted: int) -> None:
        self.token = token
        self.wanted = wanted
        self.ended = asyncio.Event()
        self.problem = ""


class PullSubscription:
    """The deliveries of one durable consumer to this process.

    Args:
        connection: open.
        stream: name of the stream.
        consumer: name of the durable consumer.
        ack_wait: seconds, as the server has it.
        max_deliver: as the server has it.
    """

    def __init__(
        self, connection: Connection, *, stream: str, consumer: str, ack_wait: float, max_deliver: int
    ) -> None:
        self.stream = stream
        self.consumer = consumer
        self.ack_wait = ack_wait
        self.max_deliver = max_deliver
        self._connection = connection
        self._next = f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{consumer}"
        self._inbox = connection.client.new_inbox()
        self._tokens = itertools.count()
        self._arrived: deque[Msg] = deque()
        self._pull: _Pull | None = None
        self._arriving: CoreSubscription | None = None
        self._forget = connection.when_lost(self._on_lost)

    async def open(self) -> None:
        """Begin to receive.

        Raises:
            BusUnavailable: there is no connection.
        """
        with translated(f"cannot receive from {self.consumer}"):
            self._arriving = await self._connection.client.subscribe(f"{self._inbox}.*", cb=self._on_message)

    async def fetch(self, limit: int, timeout: float) -> Sequence[Delivery]:
        """Return what is there, up to `limit`; see the port. One fetch at a time."""
        if not self._arrived and self._arriving is not None:
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
            async with asyncio.timeout(timeout + _ANSWER_TAKES):
                await pull.ended.wait()
        except TimeoutError:
            pull.problem = pull.problem or "the server does not answer"
        finally:
            self._pull = None
        if self._arrived:
            return
        if pull.problem:
            raise BusUnavailable(f"cannot fetch from {self.consumer} of {self.stream}: {pull.problem}")
        if time.monotonic() - began < min(timeout, _EMPTY_PAUSE):
            await asyncio.sleep(_EMPTY_PAUSE)

    async def _on_message(self, message: Msg) -> None:
        pull = self._pull
        if message.reply:
            self._arrived.append(message)
            if pull is not None and len(self._arrived) >= pull.wanted:
                pull.ended.set()
            return
        headers = message.headers or _NO_HEADERS
        status = headers.get("Status", "")
        if pull is None or status == _HEARTBEAT or not message.subject.endswith(f".{pull.token}"):
            return
        if status not in _NOTHING_MORE:
            pull.problem = _reason(status, headers)
        pull.ended.set()

    def _on_lost(self) -> None:
        if self._pull is not None:
            self._pull.problem = "the connection was lost"
            self._pull.ended.set()

    async def close(self) -> None:
        """Stop receiving, and hand back what arrived and was not fetched."""
        arriving, self._arriving = self._arriving, None
        if arriving is None:
            return
        self._forget()
        try:
            with translated("cannot unsubscribe"):
                await arriving.unsubscribe()
            while self._arrived:
                await JetStreamDelivery(self._arrived.popleft()).retry(0.001)
        except BusError as error:
            _log.debug("subscription closed without a word", consumer=self.consumer, error=str(error))


def _reason(status: str, headers: Mapping[str, str]) -> str:
    if status == "503":
        return "the consumer does not exist, or JetStream is not ready"
    return headers.get("Description", "").strip() or f"status {status}"
