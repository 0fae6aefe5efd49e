"""The bus on one NATS connection; implements every port of `ricordo.bus.port`."""

import asyncio
import itertools
import json
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from typing import Final

import nats.errors
import nats.js.errors
import structlog
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription as CoreSubscription
from nats.js.api import ConsumerInfo, RawStreamMsg

from ricordo.bus.nats.nats_connection import NatsConnection, NatsMessage, NatsSettings, translated
from ricordo.bus.nats.provisioning import Provisioning
from ricordo.bus.nats.pull_subscription import PullSubscription
from ricordo.bus.nats.topology import Topology
from ricordo.bus.port import (
    BusError,
    BusUnavailable,
    Endpoint,
    Outgoing,
    PublishRefused,
    ReceivedRequest,
    StoredMessage,
    Subscription,
)

_NO_RESPONDERS: Final = "503"
_MAX_PENDING: Final = 1000


class NatsRequest(NatsMessage):
    """A request over NATS."""

    __slots__ = ("_connection",)

    def __init__(self, connection: NatsConnection, message: Msg) -> None:
        super().__init__(message)
        self._connection = connection

    async def respond(self, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send the reply; nothing, if the caller left no reply subject."""
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


class NatsBus:
    """Streams, consumers and request-reply on a NATS server.

    It publishes many messages at once, each acknowledged or refused. nats-py's own asynchronous publishing is
    not used: the error of a full stream raises in its reader, and never reaches the publisher.
    """

    def __init__(self, connection: NatsConnection, topology: Topology) -> None:
        self.topology = topology
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

    async def serve(
        self, subject: str, queue: str | None, accept: Callable[[ReceivedRequest], None]
    ) -> Endpoint:
        """Receive the requests on `subject`.

        The callbacks of a subscription run one after the other, so `accept` only starts a task that replies.
        """
        client = self._connection.client

        async def on_message(message: Msg) -> None:
            accept(NatsRequest(self._connection, message))

        with translated(f"cannot serve {subject}"):
            subscription = await client.subscribe(subject, queue=queue or "", cb=on_message)
            try:
                await client.flush(timeout=max(1, round(self._connection.settings.request_timeout)))
            except BaseException:
                with suppress(nats.errors.Error, OSError):
                    await subscription.unsubscribe()
                raise
        return NatsEndpoint(subscription)

    async def waiting(self, consumer: str) -> int:
        """Return how many messages `consumer` has not settled, in-flight ones included.

        Raises:
            BusUnavailable: the server does not answer, or has no such consumer.
            KeyError: the topology declares no such consumer.
        """
        info = await self._info(consumer)
        return (info.num_pending or 0) + (info.num_ack_pending or 0)

    async def oldest_unsettled(self, consumer: str) -> datetime | None:
        """Return when the oldest unsettled event of `consumer` was published; raises as `waiting`."""
        info, spec = await self._info(consumer), self.topology.consumer(consumer)
        if not (info.num_pending or info.num_ack_pending):
            return None
        floor = 0 if info.ack_floor is None else info.ack_floor.stream_seq
        found = [await self._next(spec.stream, floor, subject) for subject in spec.subjects]
        return min((one.time for one in found if one is not None and one.time is not None), default=None)

    async def _info(self, consumer: str) -> ConsumerInfo:
        stream = self.topology.consumer(consumer).stream
        with translated(f"cannot ask for the state of {consumer}"):
            info: ConsumerInfo = await self._connection.streams.consumer_info(stream, consumer)
        return info

    async def read(self, stream: str, sequence: int) -> StoredMessage | None:
        """Return the message, or None if the stream no longer has it; raises BusUnavailable."""
        with translated(f"cannot read message {sequence} of {stream}"):
            try:
                return _stored(stream, await self._connection.streams.get_msg(stream, sequence))
            except nats.js.errors.NotFoundError:
                return None

    async def after(self, stream: str, sequence: int, subject: str) -> StoredMessage | None:
        """Return the first message after `sequence` whose subject matches `subject`, or None.

        Args:
            sequence: a position, 0 for the beginning.
            subject: may contain wildcards.

        Raises:
            BusUnavailable: the server does not answer.
        """
        found = await self._next(stream, sequence, subject)
        return None if found is None else _stored(stream, found)

    async def _next(self, stream: str, sequence: int, subject: str) -> RawStreamMsg | None:
        with translated(f"cannot read what comes after message {sequence} of {stream}"):
            try:
                streams = self._connection.streams
                return await streams.get_msg(stream, sequence + 1, subject=subject, next=True)
            except nats.js.errors.NotFoundError:
                return None

    async def remove(self, stream: str, sequence: int) -> None:
        """Remove the message from its stream; removing a missing one has no effect."""
        try:
            with translated(f"cannot remove message {sequence} of {stream}"):
                await self._connection.streams.delete_msg(stream, sequence)
        except BusUnavailable:
            if await self.read(stream, sequence) is not None:
                raise


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


_log = structlog.stdlib.get_logger(__name__)

_DRAIN_TIMEOUT_S: Final = 2.0


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
        BusUnavailable: no connection was accepted within the start timeout.
    """
    connection = NatsConnection(settings)
    await connection.open()
    try:
        bus = NatsBus(connection, topology)
        await bus.open()
        yield bus
    finally:
        await connection.close()
