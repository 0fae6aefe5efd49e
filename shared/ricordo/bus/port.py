"""The ports of the bus: streams whose messages are fetched and settled, and request-reply.

They are protocols, so that the runtime can be tested on a bus in memory.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ricordo.unavailable import DependencyUnavailable


class BusError(Exception):
    """The bus could not do what was asked; the sentence says what and, if known, why."""


class BusUnavailable(BusError, DependencyUnavailable):
    """The bus does not answer: a transient failure."""

    server = "NATS"


class PublishRefused(BusError):
    """The bus refused to store a message: a full stream, or a body over the limit."""


class TopologyDrift(BusError):
    """A stream or consumer on the bus differs from its declaration in a way that no update can change."""


class NotAllowed(BusError):
    """The credentials do not permit this."""


class StreamsTooLarge(BusError):
    """The bus has no room for the declared streams.

    Args:
        needed: bytes that all of them reserve together.
    """

    def __init__(self, message: str, needed: int) -> None:
        super().__init__(message)
        self.needed = needed


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A message to be published."""

    subject: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """A message in a stream."""

    subject: str
    body: bytes
    headers: Mapping[str, str]
    stream: str
    sequence: int


class ReceivedMessage(Protocol):
    """A message from the bus."""

    @property
    def subject(self) -> str:
        """Where it was published."""

    @property
    def body(self) -> bytes:
        """UTF-8 JSON, if it is of the contract."""

    @property
    def headers(self) -> Mapping[str, str]:
        """By their names, as they were written."""


class Delivery(ReceivedMessage, Protocol):
    """One delivery of a stored message to a consumer.

    Exactly one of `ack`, `retry` and `terminate` settles it. All raise BusUnavailable without a connection.

    Attributes:
        stream: name of its stream.
        sequence: position in the stream, from 1.
        attempt: number of deliveries to this consumer, this one included.
    """

    stream: str
    sequence: int
    attempt: int

    async def ack(self, *, confirmed: bool = False) -> None:
        """Settle as done: it is never delivered to this consumer again.

        Args:
            confirmed: wait for the server's confirmation, so that a crash right after cannot undo it.
        """

    async def retry(self, delay: float) -> None:
        """Settle as to be redelivered after `delay` seconds (> 0)."""

    async def terminate(self) -> None:
        """Settle as never to be redelivered, although the work was not done."""

    async def in_progress(self) -> None:
        """Restart the time after which it would be redelivered."""


class Subscription(Protocol):
    """A durable consumer of a stream, shared by processes; each message goes to one of them.

    Attributes:
        consumer: name of the durable consumer.
        ack_wait: seconds after which a message without settlement or progress is redelivered.
        max_deliver: maximum number of deliveries of a message, from 1.
    """

    consumer: str
    ack_wait: float
    max_deliver: int

    async def fetch(self, limit: int, timeout: float) -> Sequence[Delivery]:
        """Return up to `limit` (>= 1) messages, waiting up to `timeout` seconds (>= 0) for the first.

        Returns:
            0 to `limit` deliveries, redeliveries first, then the oldest; possibly fewer than are waiting.

        Raises:
            BusUnavailable: there is no connection, or the consumer is gone.
        """

    async def close(self) -> None:
        """Stop receiving. Fetched messages can still be settled. Closing twice has no effect."""


class ReceivedRequest(ReceivedMessage, Protocol):
    """A request that waits for a reply."""

    async def respond(self, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send the reply, or a part of it before; without a reply the caller waits.

        Raises:
            BusError: the reply could not be sent (no connection, or too large).
        """


class Endpoint(Protocol):
    """A subscription to requests."""

    async def close(self) -> None:
        """Accept no further requests, except those sent before. Closing twice has no effect."""


class Bus(Protocol):
    """Streams of messages, and the answering side of request-reply."""

    async def publish(self, messages: Sequence[Outgoing]) -> Sequence[BusError | None]:
        """Publish `messages` together and wait for all acknowledgements.

        Returns:
            One result per message, in order: None if stored, else the error. A message that was not
                acknowledged in time may have been stored.
        """

    async def subscribe(self, consumer: str) -> Subscription:
        """Bind to the durable `consumer` of the topology.

        Raises:
            BusUnavailable: the bus does not answer, or has no such consumer.
            KeyError: the topology declares no such consumer.
        """

    async def serve(
        self, subject: str, queue: str | None, accept: Callable[[ReceivedRequest], None]
    ) -> Endpoint:
        """Receive the requests on `subject`, shared with all servers of the same `queue`.

        Args:
            queue: each request goes to one member of a queue group; without one, to every server.
            accept: called with each request on the event loop; must not block or raise.

        Returns:
            The endpoint, once the server has registered it: no later request is missed.

        Raises:
            BusUnavailable: the bus does not answer.
        """
