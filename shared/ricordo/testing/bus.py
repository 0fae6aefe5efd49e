"""A bus in memory: streams, durable consumers and request-reply on a clock that tests may move by hand.

It keeps a journal of what was published and settled, in order, and can be told to be away or to refuse.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from ricordo.bus.port import (
    BusError,
    BusUnavailable,
    Delivery,
    Endpoint,
    Outgoing,
    PublishRefused,
    Request,
    StoredMessage,
    Subscription,
)
from ricordo.clock import Clock
from ricordo.testing.bus_model import Entry, MemoryConsumer, MemoryRequest, MemoryStream, matches

_SOON = 0.001


@dataclass(slots=True)
class _Standing:
    """What a consumer knows of one message."""

    attempts: int = 0
    due: float = 0.0
    settled: bool = False


@dataclass(slots=True)
class _Log:
    spec: MemoryStream
    messages: dict[int, StoredMessage] = field(default_factory=dict)
    last: int = 0


class MemoryBus:
    """All ports of `ricordo.bus.port` in memory.

    Args:
        clock: of redeliveries and waits.
        streams: that exist.
        consumers: that exist.

    Attributes:
        journal: everything that was published and settled, in order.
        away: while set, nothing answers.
        refusing: asked before each message is stored; what it returns becomes the result.
    """

    def __init__(
        self, clock: Clock, streams: Sequence[MemoryStream], consumers: Sequence[MemoryConsumer] = ()
    ) -> None:
        self.clock = clock
        self.journal: list[Entry] = []
        self.away = False
        self.refusing: Callable[[Outgoing], BusError | None] = lambda _: None
        self._logs = {stream.name: _Log(stream) for stream in streams}
        self._consumers = {consumer.name: consumer for consumer in consumers}
        self._standings: dict[str, dict[int, _Standing]] = {consumer.name: {} for consumer in consumers}
        self._endpoints: list[MemoryEndpoint] = []
        self._changed = asyncio.Condition()

    async def provision(self) -> Sequence[str]:
        """Do nothing: all is there from the start."""
        return ()

    async def publish(self, messages: Sequence[Outgoing]) -> Sequence[BusError | None]:
        """Store `messages`."""
        results = [self._store(message) for message in messages]
        async with self._changed:
            self._changed.notify_all()
        return results

    def _store(self, message: Outgoing) -> BusError | None:
        if self.away:
            return BusUnavailable("the bus is away")
        if refusal := self.refusing(message):
            return refusal
        for log in self._logs.values():
            if any(matches(pattern, message.subject) for pattern in log.spec.subjects):
                return self._append(log, message)
        return BusUnavailable("no stream takes this subject now")

    def _append(self, log: _Log, message: Outgoing) -> BusError | None:
        if log.spec.max_messages and len(log.messages) >= log.spec.max_messages:
            return PublishRefused("maximum messages exceeded")
        log.last += 1
        log.messages[log.last] = StoredMessage(
            subject=message.subject,
            body=message.body,
            headers=dict(message.headers),
            stream=log.spec.name,
            sequence=log.last,
        )
        self.journal.append(Entry("publish", message.subject, log.last, message=message))
        return None

    async def subscribe(self, consumer: str) -> Subscription:
        """Bind to a consumer."""
        spec = self._consumers[consumer]
        if self.away:
            raise BusUnavailable("the bus is away")
        return MemorySubscription(self, spec)

    async def read(self, stream: str, sequence: int) -> StoredMessage | None:
        """Return a message."""
        if self.away:
            raise BusUnavailable("the bus is away")
        return self._logs[stream].messages.get(sequence)

    async def after(self, stream: str, sequence: int, subject: str) -> StoredMessage | None:
        """Return the next message."""
        if self.away:
            raise BusUnavailable("the bus is away")
        behind = (one for at, one in self._logs[stream].messages.items() if at > sequence)
        return next((one for one in behind if matches(subject, one.subject)), None)

    async def last(self, stream: str) -> int:
        """Return the position of the last message."""
        if self.away:
            raise BusUnavailable("the bus is away")
        return self._logs[stream].last

    async def page(self, stream: str, sequence: int, subject: str, limit: int) -> Sequence[StoredMessage]:
        """Return what is behind a position."""
        if self.away:
            raise BusUnavailable("the bus is away")
        if not self._logs[stream].spec.pages:
            raise BusUnavailable(f"{stream} cannot be read in pages")
        behind = (one for at, one in self._logs[stream].messages.items() if at > sequence)
        return [one for one in behind if matches(subject, one.subject)][:limit]

    async def remove(self, stream: str, sequence: int) -> None:
        """Remove a message."""
        if self.away:
            raise BusUnavailable("the bus is away")
        self._logs[stream].messages.pop(sequence, None)

    def stored(self, stream: str) -> Sequence[StoredMessage]:
        """Return what a stream holds, oldest first."""
        return list(self._logs[stream].messages.values())

    def unsettled(self, consumer: str) -> Sequence[int]:
        """Return the positions of the messages that a consumer has not settled and may still be given."""
        spec = self._consumers[consumer]
        return [
            message.sequence
            for message, standing in self._messages_of(spec)
            if not standing.settled and standing.attempts < spec.max_deliver
        ]

    async def serve(self, subject: str, queue: str | None, accept: Callable[[Request], None]) -> Endpoint:
        """Receive requests."""
        if self.away:
            raise BusUnavailable("the bus is away")
        endpoint = MemoryEndpoint(self, subject, queue or f"alone-{uuid4()}", accept)
        self._endpoints.append(endpoint)
        return endpoint

    async def request(
        self, subject: str, body: bytes, headers: Mapping[str, str] | None = None
    ) -> tuple[bytes, Mapping[str, str]]:
        """Ask, and wait for the first reply.

        Raises:
            BusUnavailable: nobody listens.
        """
        asked = MemoryRequest(subject=subject, body=body, headers=dict(headers or {}))
        queues: set[str] = set()
        for endpoint in self._endpoints:
            if matches(endpoint.subject, subject) and endpoint.queue not in queues:
                queues.add(endpoint.queue)
                endpoint.accept(asked)
        if not queues:
            raise BusUnavailable("nobody listens")
        return await asked.reply

    def withdraw(self, endpoint: "MemoryEndpoint") -> None:
        """Take an endpoint away."""
        if endpoint in self._endpoints:
            self._endpoints.remove(endpoint)

    def _messages_of(self, spec: MemoryConsumer) -> Sequence[tuple[StoredMessage, _Standing]]:
        standings = self._standings[spec.name]
        return [
            (message, standings.setdefault(message.sequence, _Standing()))
            for message in self._logs[spec.stream].messages.values()
            if any(matches(pattern, message.subject) for pattern in spec.subjects)
        ]

    def due(self, spec: MemoryConsumer, limit: int) -> Sequence[Delivery]:
        """Deliver up to `limit` messages that are due to a consumer now."""
        now = self.clock.monotonic()
        deliveries: list[Delivery] = []
        for message, standing in self._messages_of(spec):
            if len(deliveries) == limit:
                break
            if standing.settled or standing.due > now or standing.attempts >= spec.max_deliver:
                continue
            standing.attempts += 1
            standing.due = now + spec.ack_wait
            deliveries.append(MemoryDelivery(self, spec, message, standing.attempts))
        return deliveries

    def next_due(self, spec: MemoryConsumer) -> float:
        """Return the seconds until the next redelivery to a consumer may be due."""
        now = self.clock.monotonic()
        waits = [
            standing.due - now
            for _, standing in self._messages_of(spec)
            if not standing.settled and standing.attempts < spec.max_deliver
        ]
        return max(min(waits, default=spec.ack_wait), _SOON)

    async def wait_for_change(self, seconds: float) -> None:
        """Wait for the next publication or settlement, or until so many seconds have passed."""

        async def changed() -> None:
            async with self._changed:
                await self._changed.wait()

        tasks = {asyncio.ensure_future(changed()), asyncio.ensure_future(self.clock.sleep(seconds))}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def settle(self, delivery: "MemoryDelivery", what: str, delay: float = 0.0) -> None:
        """Take note of a settlement, or of progress."""
        if self.away:
            raise BusUnavailable("the bus is away")
        spec, message = delivery.spec, delivery.message
        self.journal.append(Entry(what, message.subject, message.sequence, delivery.attempt, delay))
        standing = self._standings[spec.name][message.sequence]
        if delivery.attempt != standing.attempts:
            return
        if what in ("ack", "terminate"):
            standing.settled = True
            if self._logs[spec.stream].spec.work_queue:
                self._logs[spec.stream].messages.pop(message.sequence, None)
        else:
            standing.due = self.clock.monotonic() + (delay if what == "retry" else spec.ack_wait)
        async with self._changed:
            self._changed.notify_all()


class MemoryDelivery:
    """A delivery of the bus in memory."""

    def __init__(self, bus: MemoryBus, spec: MemoryConsumer, message: StoredMessage, attempt: int) -> None:
        self.spec = spec
        self.message = message
        self.attempt = attempt
        self.subject = message.subject
        self.body = message.body
        self.headers = message.headers
        self.sequence = message.sequence
        self._bus = bus

    async def ack(self, *, confirmed: bool = False) -> None:  # noqa: ARG002 - memory takes note at once
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

    def __init__(self, bus: MemoryBus, spec: MemoryConsumer) -> None:
        self.stream = spec.stream
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
            if self._bus.away:
                raise BusUnavailable("the bus is away")
            remaining = until - self._bus.clock.monotonic()
            if (deliveries := self._bus.due(self._spec, limit)) or remaining <= 0:
                return deliveries
            await self._bus.wait_for_change(min(remaining, self._bus.next_due(self._spec)))
        return ()

    async def close(self) -> None:
        """Receive nothing more."""
        self._closed = True


class MemoryEndpoint:
    """A place where the requests of the bus in memory arrive."""

    def __init__(self, bus: MemoryBus, subject: str, queue: str, accept: Callable[[Request], None]) -> None:
        self.subject = subject
        self.queue = queue
        self.accept = accept
        self._bus = bus

    async def close(self) -> None:
        """Take no further requests."""
        self._bus.withdraw(self)
