"""The bus on one NATS connection; implements every port of `ricordo.bus.port`."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final

import nats.errors
import nats.js.errors
import structlog
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription as CoreSubscription
from nats.js.api import RawStreamMsg

from ricordo.bus.nats.nats_connection import (
    NatsConnection,
    NatsMessage,
    NatsSettings,
    connected,
    translated,
)
from ricordo.bus.nats.provisioning import Provisioning
from ricordo.bus.nats.pull_subscription import PullSubscription
from ricordo.bus.nats.stream_publisher import StreamPublisher
from ricordo.bus.nats.topology import Topology
from ricordo.bus.port import BusUnavailable, ConsumerLag, Endpoint, Request, StoredMessage, Subscription

_log = structlog.stdlib.get_logger(__name__)

_DRAIN_TIMEOUT_S: Final = 2.0
_END: Final = "204"
_NOTHING: Final = "404"
_SUBJECT: Final = "Nats-Subject"
_SEQUENCE: Final = "Nats-Sequence"
_SERVER_HEADERS: Final = frozenset(
    {_SUBJECT, _SEQUENCE, "Nats-Stream", "Nats-Time-Stamp", "Nats-Num-Pending", "Nats-Last-Sequence"}
)
"""Headers set by the server; all others are the message's own."""
_MOST_BYTES: Final = 8 * 1024 * 1024


class NatsRequest(NatsMessage):
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


class NatsBus(StreamPublisher):
    """Streams, consumers and request-reply on a NATS server."""

    def __init__(self, connection: NatsConnection, topology: Topology) -> None:
        super().__init__(connection)
        self.topology = topology

    async def provision(self) -> Sequence[str]:
        """Create missing streams and consumers, update others, and return the changes.

        Raises:
            TopologyDrift: one differs in a way that no update can change.
        """
        return await Provisioning(self._connection, self.topology).provision()

    async def subscribe(self, consumer: str) -> Subscription:
        """Bind to a durable consumer, with the server's values of wait and limit."""
        spec = self.topology.consumer(consumer)
        await self._connection.up(within=self._connection.settings.request_timeout)
        with translated(f"cannot bind to consumer {consumer} of {spec.stream}"):
            info = await self._connection.streams.consumer_info(spec.stream, consumer)
        limit = info.config.max_deliver
        subscription = PullSubscription(
            self._connection,
            stream=spec.stream,
            consumer=consumer,
            ack_wait=info.config.ack_wait or spec.ack_wait,
            max_deliver=limit if limit is not None and limit > 0 else sys.maxsize,
        )
        await subscription.open()
        return subscription

    async def serve(self, subject: str, queue: str | None, accept: Callable[[Request], None]) -> Endpoint:
        """Receive the requests on `subject`.

        The callbacks of a subscription run one after the other, so `accept` only starts a task that replies.
        """
        client = self._connection.client

        async def on_message(message: Msg) -> None:
            accept(NatsRequest(self._connection, message))

        with translated(f"cannot serve {subject}"):
            subscription = await client.subscribe(subject, queue=queue or "", cb=on_message)
            await client.flush(timeout=max(1, round(self._connection.settings.request_timeout)))
        return NatsEndpoint(subscription)

    async def lag(self, consumer: str) -> ConsumerLag:
        """Return the lag of `consumer`.

        Raises:
            BusUnavailable: the server does not answer, or has no such consumer.
            KeyError: the topology declares no such consumer.
        """
        spec = self.topology.consumer(consumer)
        with translated(f"cannot ask for the backlog of {consumer}"):
            info = await self._connection.streams.consumer_info(spec.stream, consumer)
        in_flight = info.num_ack_pending or 0
        delivered = 0 if info.delivered is None else info.delivered.consumer_seq
        floor = 0 if info.ack_floor is None else info.ack_floor.stream_seq
        return ConsumerLag((info.num_pending or 0) + in_flight, delivered - in_flight, floor)

    async def read(self, stream: str, sequence: int) -> StoredMessage | None:
        """Return a message of a stream."""
        with translated(f"cannot read message {sequence} of {stream}"):
            try:
                return _stored(stream, await self._connection.streams.get_msg(stream, sequence))
            except nats.js.errors.NotFoundError:
                return None

    async def after(self, stream: str, sequence: int, subject: str) -> StoredMessage | None:
        """Return the next message of a subject."""
        with translated(f"cannot read what comes after message {sequence} of {stream}"):
            try:
                streams = self._connection.streams
                return _stored(
                    stream, await streams.get_msg(stream, sequence + 1, subject=subject, next=True)
                )
            except nats.js.errors.NotFoundError:
                return None

    async def last(self, stream: str) -> int:
        """Return the position of the last message."""
        with translated(f"cannot ask how far {stream} is"):
            info = await self._connection.streams.stream_info(stream)
        return info.state.last_seq

    async def page(self, stream: str, sequence: int, subject: str, limit: int) -> Sequence[StoredMessage]:
        """Return messages after a position."""
        with translated(f"cannot read what comes after message {sequence} of {stream}"):
            return await read_page(self._connection, stream, sequence, subject, limit)

    async def remove(self, stream: str, sequence: int) -> None:
        """Remove a message from a stream."""
        try:
            with translated(f"cannot remove message {sequence} of {stream}"):
                await self._connection.streams.delete_msg(stream, sequence)
        except BusUnavailable:
            if await self.read(stream, sequence) is not None:
                raise


def _stored(stream: str, found: RawStreamMsg) -> StoredMessage:
    return StoredMessage(
        subject=found.subject or "",
        body=found.data or b"",
        headers={name: str(value) for name, value in (found.headers or {}).items()},
        stream=stream,
        sequence=found.seq or 0,
    )


async def read_page(
    connection: NatsConnection, stream: str, sequence: int, subject: str, limit: int
) -> Sequence[StoredMessage]:
    """Read messages after a position with one request: JetStream's batched direct get, of NATS 2.11.

    nats-py has no call for it. The server sends each message to the inbox, its metadata in headers, and ends
    with a status. A page has at most some eight megabytes.

    Raises:
        BusUnavailable: the server refuses or does not answer, or the stream is not declared with `pages`.
        nats.errors.Error: there is no connection.
    """
    found: list[StoredMessage] = []
    ended: asyncio.Future[Mapping[str, str]] = asyncio.get_running_loop().create_future()

    async def on_message(message: Msg) -> None:
        headers = message.headers or {}
        if _SEQUENCE in headers:
            found.append(_paged(stream, message.data, headers))
        elif not ended.done():
            ended.set_result(headers)

    client = connection.client
    inbox = client.new_inbox()
    request = {"seq": sequence + 1, "next_by_subj": subject, "batch": limit, "max_bytes": _MOST_BYTES}
    subscription = await client.subscribe(inbox, cb=on_message)
    try:
        await client.publish(f"$JS.API.DIRECT.GET.{stream}", json.dumps(request).encode(), reply=inbox)
        async with asyncio.timeout(connection.settings.request_timeout):
            headers = await ended
    except TimeoutError:
        why = connection.denied or "the server does not answer"
        raise BusUnavailable(f"{stream} cannot be read in pages: {why}") from None
    finally:
        await subscription.unsubscribe()
    if headers.get("Status") not in (_END, _NOTHING):
        why = headers.get("Description") or "it is not declared with pages"
        raise BusUnavailable(f"{stream} cannot be read in pages: {why}")
    return found


def _paged(stream: str, body: bytes, headers: Mapping[str, str]) -> StoredMessage:
    return StoredMessage(
        subject=headers[_SUBJECT],
        body=body,
        headers={name: value for name, value in headers.items() if name not in _SERVER_HEADERS},
        stream=stream,
        sequence=int(headers[_SEQUENCE]),
    )


@asynccontextmanager
async def open_bus(settings: NatsSettings, topology: Topology) -> AsyncIterator[NatsBus]:
    """Connect for the length of a context.

    Raises:
        BusUnavailable: no connection was accepted within the start timeout.
    """
    async with connected(settings) as connection:
        bus = NatsBus(connection, topology)
        await bus.open()
        yield bus
