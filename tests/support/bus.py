"""A bus in memory: streams, durable consumers and request-reply on a clock that tests move by hand."""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from uuid import uuid4

from nats.js.api import DiscardPolicy, RetentionPolicy

from ricordo.bus.nats.topology import ConsumerSpec, StreamSpec, Topology
from ricordo.bus.port import (
    BusError,
    BusUnavailable,
    Delivery,
    Endpoint,
    Outgoing,
    PublishRefused,
    ReceivedRequest,
    StoredMessage,
    Subscription,
)
from ricordo.clock import Clock, wait_for_event

_SOON = 0.001


def matches(pattern: str, subject: str) -> bool:
    """Return whether a pattern, with `*` for a token and a last `>` for the rest, matches a subject."""
    expression = re.sub(r"(^|\.)>$", r"\1.+", re.escape(pattern).replace(r"\*", "[^.]+"))
    return re.fullmatch(expression, subject) is not None


@dataclass(frozen=True, slots=True)
class StreamEntry:
    """An entry of the journal: `publish`, or how a delivery was settled, or its `progress`."""

    what: str
    subject: str
    sequence: int
    attempt: int = 0
    delay: float = 0.0
    message: Outgoing | None = None


@dataclass(slots=True)
class MemoryRequest:
    """A request of the bus in memory; `reply` becomes its first reply."""

    subject: str
    body: bytes
    headers: Mapping[str, str]
    reply: asyncio.Future[tuple[bytes, Mapping[str, str]]]

    async def respond(self, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send the reply."""
        if not self.reply.done():
            self.reply.set_result((body, dict(headers or {})))


@dataclass(slots=True)
class _DeliveryState:
    """The deliveries of one message to one consumer."""

    attempts: int = 0
    due: float = 0.0
    settled: bool = False


@dataclass(slots=True)
class _Log:
    spec: StreamSpec
    messages: dict[int, StoredMessage] = field(default_factory=dict)
    last: int = 0


class MemoryBus:
    """The port `ricordo.bus.port.Bus` in memory.

    Attributes:
        journal: everything that was published and settled, in order.
        away: while set, nothing answers.
        refusing: called before each message is stored; an error becomes the result.
    """

    def __init__(self, clock: Clock, topology: Topology) -> None:
        self.clock = clock
        self.journal: list[StreamEntry] = []
        self.away = False
        self.refusing: Callable[[Outgoing], BusError | None] = lambda _: None
        self._topology = topology
        self._logs = {stream.name: _Log(stream) for stream in topology.streams}
        self._states: dict[str, dict[int, _DeliveryState]] = {one.name: {} for one in topology.consumers}
        self._endpoints: list[MemoryEndpoint] = []
        self._changed = asyncio.Event()

    def require(self) -> None:
        """Raise `BusUnavailable` while the bus is away."""
        if self.away:
            raise BusUnavailable("the bus is away")

    async def publish(self, messages: Sequence[Outgoing]) -> Sequence[BusError | None]:
        """Store `messages`."""
        results = [self._store(message) for message in messages]
        self._announce()
        return results

    def _store(self, message: Outgoing) -> BusError | None:
        if self.away:
            return BusUnavailable("the bus is away")
        if refusal := self.refusing(message):
            return refusal
        logs = (
            log for log in self._logs.values() if any(matches(p, message.subject) for p in log.spec.subjects)
        )
        if (log := next(logs, None)) is None:
            return BusUnavailable("no stream takes this subject now")
        size = sum(len(item.body) for item in log.messages.values()) + len(message.body)
        if log.spec.discard is DiscardPolicy.NEW and 0 <= log.spec.max_bytes < size:
            return PublishRefused("maximum bytes exceeded")
        log.last += 1
        log.messages[log.last] = StoredMessage(
            subject=message.subject,
            body=message.body,
            headers=dict(message.headers),
            stream=log.spec.name,
            sequence=log.last,
        )
        self.journal.append(StreamEntry("publish", message.subject, log.last, message=message))
        return None

    async def subscribe(self, consumer: str) -> Subscription:
        """Bind to a consumer."""
        spec = self._topology.consumer(consumer)
        self.require()
        return MemorySubscription(self, spec)

    def stored(self, stream: str) -> Sequence[StoredMessage]:
        """Return the messages of a stream, oldest first."""
        return list(self._logs[stream].messages.values())

    def unsettled(self, consumer: str) -> Sequence[int]:
        """Return the positions of the messages that a consumer has not settled and may still be given."""
        return [message.sequence for message, _ in self._pending(self._topology.consumer(consumer))]

    async def serve(
        self, subject: str, queue: str | None, accept: Callable[[ReceivedRequest], None]
    ) -> Endpoint:
        """Receive requests."""
        self.require()
        endpoint = MemoryEndpoint(subject, queue or f"alone-{uuid4()}", accept, self._endpoints)
        self._endpoints.append(endpoint)
        return endpoint

    async def request(
        self, subject: str, body: bytes, headers: Mapping[str, str] | None = None
    ) -> tuple[bytes, Mapping[str, str]]:
        """Send a request and return the first reply; `BusUnavailable` without a responder."""
        request = MemoryRequest(subject, body, headers or {}, asyncio.get_running_loop().create_future())
        queues: set[str] = set()
        for endpoint in self._endpoints:
            if matches(endpoint.subject, subject) and endpoint.queue not in queues:
                queues.add(endpoint.queue)
                endpoint.accept(request)
        if not queues:
            raise BusUnavailable("nobody listens")
        return await request.reply

    def _pending(self, spec: ConsumerSpec) -> Iterator[tuple[StoredMessage, _DeliveryState]]:
        states = self._states[spec.name]
        for message in list(self._logs[spec.stream].messages.values()):
            if any(matches(pattern, message.subject) for pattern in spec.subjects):
                state = states.setdefault(message.sequence, _DeliveryState())
                if not state.settled and state.attempts < spec.max_deliver:
                    yield message, state

    def due(self, spec: ConsumerSpec, limit: int) -> Sequence[Delivery]:
        """Deliver up to `limit` messages that are due to a consumer now."""
        now = self.clock.monotonic()
        due = ((message, state) for message, state in self._pending(spec) if state.due <= now)
        deliveries: list[Delivery] = []
        for message, state in islice(due, limit):
            state.attempts += 1
            state.due = now + spec.ack_wait
            deliveries.append(MemoryDelivery(self, spec, message, state.attempts))
        return deliveries

    def next_due(self, spec: ConsumerSpec) -> float:
        """Return the seconds until the next redelivery to a consumer may be due."""
        waits = [state.due - self.clock.monotonic() for _, state in self._pending(spec)]
        return max(min(waits, default=spec.ack_wait), _SOON)

    async def wait_for_change(self, seconds: float) -> None:
        """Wait for the next publication or settlement, or until so many seconds have passed."""
        await wait_for_event(self._changed, seconds, self.clock)

    def _announce(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def settle(self, delivery: "MemoryDelivery", what: str, delay: float = 0.0) -> None:
        """Record a settlement, or progress."""
        self.require()
        spec, message = delivery.spec, delivery.message
        self.journal.append(StreamEntry(what, message.subject, message.sequence, delivery.attempt, delay))
        state = self._states[spec.name][message.sequence]
        if delivery.attempt != state.attempts:
            return
        if what in ("ack", "terminate"):
            state.settled = True
            if self._logs[spec.stream].spec.retention is RetentionPolicy.WORK_QUEUE:
                self._logs[spec.stream].messages.pop(message.sequence, None)
        else:
            state.due = self.clock.monotonic() + (delay if what == "retry" else spec.ack_wait)
        self._announce()


class MemoryDelivery:
    """A delivery of the bus in memory."""

    def __init__(self, bus: MemoryBus, spec: ConsumerSpec, message: StoredMessage, attempt: int) -> None:
        self.spec = spec
        self.message = message
        self.attempt = attempt
        self.subject = message.subject
        self.body = message.body
        self.headers = message.headers
        self.stream = message.stream
        self.sequence = message.sequence
        self._bus = bus

    async def ack(self, *, confirmed: bool = False) -> None:
        """Settle as done, confirmed in any case."""
        await self._bus.settle(self, "ack")

    async def retry(self, delay: float) -> None:
        """Settle as to be delivered again."""
        await self._bus.settle(self, "retry", delay)

    async def terminate(self) -> None:
        """Settle as given up."""
        await self._bus.settle(self, "terminate")

    async def in_progress(self) -> None:
        """Restart the time until the redelivery."""
        await self._bus.settle(self, "progress")


class MemorySubscription:
    """A bound consumer of the bus in memory."""

    def __init__(self, bus: MemoryBus, spec: ConsumerSpec) -> None:
        self.consumer = spec.name
        self.ack_wait = spec.ack_wait
        self.max_deliver = spec.max_deliver
        self._bus = bus
        self._spec = spec
        self._closed = False

    async def fetch(self, limit: int, timeout: float) -> Sequence[Delivery]:
        """Return what is due, up to `limit`."""
        until = self._bus.clock.monotonic() + timeout
        while not self._closed:
            self._bus.require()
            remaining = until - self._bus.clock.monotonic()
            if (deliveries := self._bus.due(self._spec, limit)) or remaining <= 0:
                return deliveries
            await self._bus.wait_for_change(min(remaining, self._bus.next_due(self._spec)))
        return ()

    async def close(self) -> None:
        """Receive nothing more."""
        self._closed = True


@dataclass(eq=False, slots=True)
class MemoryEndpoint:
    """Receives the requests of one subject of the bus in memory."""

    subject: str
    queue: str
    accept: Callable[[ReceivedRequest], None]
    endpoints: "list[MemoryEndpoint]"

    async def close(self) -> None:
        """Take no further requests."""
        if self in self.endpoints:
            self.endpoints.remove(self)
