"""The bus as ports: a log of events that is fetched and settled; `ricordo.bus.requests` is beside it.

The protocols are small on purpose, so that the runtime can be proved against a bus in memory and run on a
real one.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from uuid import UUID

from ricordo.unavailable import Unavailable


class BusError(Exception):
    """The bus could not do what it was asked to; the sentence says what and, where possible, why."""


class BusUnavailable(BusError, Unavailable):
    """The bus does not answer now: a transient failure."""

    server = "NATS"


class PublishRefused(BusError):
    """The bus answered that it will not store this message: a full stream, a body over its limit."""


class TopologyDrift(BusError):
    """What the bus holds differs from what is declared in a way that no update can mend."""


class NotAllowed(BusError):
    """The bus refuses it to whoever signed in."""


class StreamsTooLarge(BusError):
    """The bus has no room for the streams as they are declared.

    Args:
        sentence: says how much they may take.
        needed: bytes that all of them may take together.
    """

    def __init__(self, sentence: str, needed: int) -> None:
        super().__init__(sentence)
        self.needed = needed


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A message on its way to a stream."""

    subject: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """A message as its stream keeps it."""

    subject: str
    body: bytes
    headers: Mapping[str, str]
    stream: str
    sequence: int


class Publisher(Protocol):
    """Stores messages in streams."""

    async def publish(self, messages: Sequence[Outgoing]) -> Sequence[BusError | None]:
        """Publish `messages` together and wait for every acknowledgement.

        Returns:
            One result per message, in order: None once it is stored, else what went wrong with it. A message
            that was not acknowledged in time may still have been stored.
        """
        ...


class Delivery(Protocol):
    """One delivery of a stored message to one consumer.

    Exactly one of `ack`, `retry` and `terminate` settles it. All raise BusUnavailable without a connection.
    """

    @property
    def subject(self) -> str:
        """The subject that the message was published on."""
        ...

    @property
    def body(self) -> bytes:
        """The body as it was published."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers as they were published."""
        ...

    @property
    def sequence(self) -> int:
        """The message's position in its stream, from 1."""
        ...

    @property
    def attempt(self) -> int:
        """How many times this consumer was given the message, this time included: 1 at first."""
        ...

    async def ack(self, *, confirmed: bool = False) -> None:
        """Settle: the work is done, never deliver it again to this consumer.

        Args:
            confirmed: return only when the server has taken note, so that not even the death of this process
                in the next instant can undo it.
        """
        ...

    async def retry(self, delay: float) -> None:
        """Settle: deliver it again after `delay` seconds (> 0)."""
        ...

    async def terminate(self) -> None:
        """Settle: never deliver it again, although the work was not done."""
        ...

    async def in_progress(self) -> None:
        """Say that the work goes on, which restarts the time after which it would be delivered again."""
        ...


class Subscription(Protocol):
    """A durable consumer of a stream; several processes share it, each message goes to one of them."""

    @property
    def stream(self) -> str:
        """Name of the stream."""
        ...

    @property
    def consumer(self) -> str:
        """Name of the durable consumer."""
        ...

    @property
    def ack_wait(self) -> float:
        """Seconds after which what was neither settled nor said to be in progress is delivered again."""
        ...

    @property
    def max_deliver(self) -> int:
        """How often a message is delivered at most, from 1."""
        ...

    async def fetch(self, limit: int, timeout: float) -> Sequence[Delivery]:
        """Return what is there, up to `limit` (>= 1), waiting up to `timeout` seconds (>= 0) for the first.

        Returns:
            0 to `limit` deliveries, those first that come again, then the oldest; fewer than there are
            waiting is allowed.

        Raises:
            BusUnavailable: there is no connection, or the consumer is gone.
        """
        ...

    async def close(self) -> None:
        """Stop receiving. What was fetched can still be settled. Closing twice does nothing."""
        ...


class Subscriptions(Protocol):
    """Where durable consumers are bound to."""

    async def subscribe(self, consumer: str) -> Subscription:
        """Bind to the durable `consumer` of the topology.

        Raises:
            BusUnavailable: the bus does not answer, or has no such consumer.
            KeyError: the topology declares no such consumer.
        """
        ...


@dataclass(frozen=True, slots=True)
class ConsumerLag:
    """How far a durable consumer is.

    Attributes:
        waiting: messages that are not settled, those in hand included.
        settled: deliveries that were, since the consumer was made; it only grows. One that was
            delivered again counts once more.
        floor: the position in the stream up to which all of its messages are settled.
    """

    waiting: int
    settled: int
    floor: int = 0


class StreamAccess(Protocol):
    """Single messages of a stream, by position."""

    async def read(self, stream: str, sequence: int) -> StoredMessage | None:
        """Return the message, or None when the stream no longer holds it.

        Raises:
            BusUnavailable: the bus does not answer.
        """
        ...

    async def after(self, stream: str, sequence: int, subject: str) -> StoredMessage | None:
        """Return the first message behind `sequence` on a subject that `subject` matches, or None.

        Args:
            stream: which.
            sequence: a position, 0 for the very first.
            subject: may hold wildcards.

        Raises:
            BusUnavailable: the bus does not answer.
        """
        ...

    async def remove(self, stream: str, sequence: int) -> None:
        """Remove the message from its stream for everyone; removing what is gone does nothing.

        Raises:
            BusUnavailable: the bus does not answer.
        """
        ...


class StreamPages(Protocol):
    """Many messages of a stream at once, by position, read without being taken."""

    async def last(self, stream: str) -> int:
        """Return the position of the last message that the stream was given; 0 before the first.

        Raises:
            BusUnavailable: the bus does not answer.
        """
        ...

    async def page(self, stream: str, sequence: int, subject: str, limit: int) -> Sequence[StoredMessage]:
        """Return messages behind `sequence` on subjects that `subject` matches, the oldest first.

        Args:
            stream: which; it has to be declared as one that is read in pages.
            sequence: a position, 0 for the very first.
            subject: may hold wildcards.
            limit: at most so many, from 1. Fewer than there are may come, and none only where none are.

        Raises:
            BusUnavailable: the bus does not answer.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """An event that was given up, and why.

    Attributes:
        tenant: the tenant of its subject; None where the subject names none that is valid.
        message_id: the bot's message id that it is about; None where none could be read.
        memory_id: the memory that it is about, where no message is behind that; else None.
        code: why, as a code (`invalid_message`, `max_deliver`, or what the handler said).
        sentence: why, as a sentence.
        attempts: how often it was delivered.
        consumer: the durable consumer that gave it up.
        subject: the subject that it was published on.
        stream: the stream that held it.
        sequence: its position in that stream.
        body: its original bytes.
        headers: its original headers.
        at: when it was given up, aware, in UTC.
    """

    tenant: str | None
    message_id: str | None
    code: str
    sentence: str
    attempts: int
    consumer: str
    subject: str
    stream: str
    sequence: int
    body: bytes
    headers: Mapping[str, str]
    at: datetime
    memory_id: UUID | None = None


class DeadLetterRecorder(Protocol):
    """Who decides whether a dead letter is kept, and records it, for instance for `query.status`."""

    async def __call__(self, letter: DeadLetter, keep: Callable[[], Awaitable[None]]) -> None:
        """Call `keep`, which puts `letter` into its stream, and record it; neither, where it must not be.

        Whether it was kept shows in whether `keep` was called. What is raised leaves the original where it
        is. May be called again for the same (stream, sequence, consumer).
        """
        ...
