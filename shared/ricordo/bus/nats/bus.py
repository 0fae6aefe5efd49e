"""The whole bus over one connection: every port of `ricordo.bus.port`."""

import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import nats.js.errors
from nats.js.api import RawStreamMsg

from ricordo.bus.nats import responding
from ricordo.bus.nats.connection import Connection, NatsSettings, connected, translated
from ricordo.bus.nats.paging import read_page
from ricordo.bus.nats.provisioning import Provisioning
from ricordo.bus.nats.publishing import StreamPublisher
from ricordo.bus.nats.pulling import PullSubscription
from ricordo.bus.nats.topology import Topology
from ricordo.bus.port import BusError, BusUnavailable, ConsumerLag, Outgoing, StoredMessage, Subscription
from ricordo.bus.requests import Endpoint, Request


class NatsBus:
    """Streams, consumers and request-reply on a NATS server.

    Args:
        connection: open.
        topology: the streams and consumers that are spoken of.
    """

    def __init__(self, connection: Connection, topology: Topology) -> None:
        self.topology = topology
        self._connection = connection
        self._publisher = StreamPublisher(connection)
        self._provisioning = Provisioning(connection, topology)

    async def open(self) -> None:
        """Begin to listen for acknowledgements.

        Raises:
            BusUnavailable: there is no connection.
        """
        await self._publisher.open()

    async def provision(self) -> Sequence[str]:
        """Create what is absent and update what may be; see the port."""
        return await self._provisioning.provision()

    async def publish(self, messages: Sequence[Outgoing]) -> Sequence[BusError | None]:
        """Publish `messages` together and wait for every acknowledgement; see the port."""
        return await self._publisher.publish(messages)

    async def subscribe(self, consumer: str) -> Subscription:
        """Bind to a durable consumer, with the waits and limits that the server has; see the port."""
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
        """Receive the requests on `subject`; see the port."""
        return await responding.serve(self._connection, subject, queue, accept)

    async def lag(self, consumer: str) -> ConsumerLag:
        """Return how much `consumer` has before it, those in hand included, and how much it has done.

        Raises:
            BusUnavailable: the server does not answer, or has no such consumer.
            KeyError: the topology declares no such consumer.
        """
        spec = self.topology.consumer(consumer)
        with translated(f"cannot ask for the backlog of {consumer}"):
            info = await self._connection.streams.consumer_info(spec.stream, consumer)
        in_hand = info.num_ack_pending or 0
        delivered = 0 if info.delivered is None else info.delivered.consumer_seq
        floor = 0 if info.ack_floor is None else info.ack_floor.stream_seq
        return ConsumerLag((info.num_pending or 0) + in_hand, delivered - in_hand, floor)

    async def read(self, stream: str, sequence: int) -> StoredMessage | None:
        """Return a message of a stream; see the port."""
        with translated(f"cannot read message {sequence} of {stream}"):
            try:
                return _stored(stream, await self._connection.streams.get_msg(stream, sequence))
            except nats.js.errors.NotFoundError:
                return None

    async def after(self, stream: str, sequence: int, subject: str) -> StoredMessage | None:
        """Return the next message of a subject; see the port."""
        with translated(f"cannot read what comes after message {sequence} of {stream}"):
            try:
                streams = self._connection.streams
                return _stored(
                    stream, await streams.get_msg(stream, sequence + 1, subject=subject, next=True)
                )
            except nats.js.errors.NotFoundError:
                return None

    async def last(self, stream: str) -> int:
        """Return the position of the last message; see the port."""
        with translated(f"cannot ask how far {stream} is"):
            info = await self._connection.streams.stream_info(stream)
        return info.state.last_seq

    async def page(self, stream: str, sequence: int, subject: str, limit: int) -> Sequence[StoredMessage]:
        """Return what is behind a position; see the port."""
        with translated(f"cannot read what comes after message {sequence} of {stream}"):
            return await read_page(self._connection, stream, sequence, subject, limit)

    async def remove(self, stream: str, sequence: int) -> None:
        """Remove a message from a stream; see the port."""
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


@asynccontextmanager
async def open_bus(settings: NatsSettings, topology: Topology) -> AsyncIterator[NatsBus]:
    """Connect for the length of a context.

    Raises:
        BusUnavailable: no server let us in within the start timeout.
    """
    async with connected(settings) as connection:
        bus = NatsBus(connection, topology)
        await bus.open()
        yield bus
