"""The declaration of streams and durable consumers."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    DeliverPolicy,
    DiscardPolicy,
    PersistMode,
    RetentionPolicy,
    StorageType,
    StreamConfig,
)

from ricordo.messages.routing import CONSUMERS, STREAM_SUBJECTS
from ricordo.messages.subjects import STREAM_DEAD_LETTERS, STREAM_DERIVED, STREAM_IN, every_tenant

STREAM_ADVISORIES: Final = "RICORDO_ADVISORIES"
"""The server's advisories that a message was delivered for the last time and not settled."""
SWEEPER: Final = "sweeper"
"""The durable consumer of the advisories."""

_MAX_DELIVERIES: Final = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES"
_WINDOW: Final = 0.1
"""Deduplication spans tenants, so its window is the smallest that the server allows."""
_DEAD_LETTER_WINDOW: Final = 3600.0
"""Dead letters are identified by their origin, which belongs to one tenant."""
_MAX_LISTENERS: Final = 10_000
"""Each webhook and each resumed stream of events is a consumer; by default NATS 2.15 allows 1,000."""
_DAY: Final = 86_400.0
_MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamSpec:
    """A declared stream.

    Attributes:
        retention: how long a message is kept.
        discard: what happens when the stream is full.
        max_bytes: maximum size on disk; -1 for no limit.
        max_age: seconds for which a message is kept; 0 for ever.
        duplicate_window: seconds within which a repeated `Nats-Msg-Id` is dropped.
        persist_async: acknowledge before the message is on disk.
        max_consumers: maximum number of consumers; -1 for the server's default.
    """

    name: str
    subjects: tuple[str, ...]
    retention: RetentionPolicy = RetentionPolicy.LIMITS
    discard: DiscardPolicy = DiscardPolicy.OLD
    max_bytes: int = -1
    max_age: float = 0.0
    duplicate_window: float = _WINDOW
    persist_async: bool = False
    storage: StorageType = StorageType.FILE
    max_consumers: int = -1

    def config(self) -> StreamConfig:
        """Return the declaration as the server expects it."""
        options = asdict(self)
        mode = PersistMode.ASYNC if options.pop("persist_async") else None
        return StreamConfig(**options, persist_mode=mode)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerSpec:
    """A declared durable consumer, with pull delivery and explicit acknowledgement.

    Attributes:
        ack_wait: seconds without progress after which a message is redelivered.
        max_deliver: maximum number of deliveries of a message; -1 for no limit.
        max_ack_pending: maximum number of unsettled messages, those waiting for a redelivery included.
    """

    name: str
    stream: str
    subjects: tuple[str, ...]
    ack_wait: float = 15.0
    max_deliver: int = 8
    max_ack_pending: int = 5000

    def config(self) -> ConsumerConfig:
        """Return the declaration as the server expects it."""
        return ConsumerConfig(
            name=self.name,
            durable_name=self.name,
            deliver_policy=DeliverPolicy.ALL,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=self.ack_wait,
            max_deliver=self.max_deliver,
            filter_subjects=list(self.subjects),
            max_ack_pending=self.max_ack_pending,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """Streams and their consumers."""

    streams: Sequence[StreamSpec]
    consumers: Sequence[ConsumerSpec] = ()

    def consumer(self, name: str) -> ConsumerSpec:
        """Return the consumer called `name`.

        Raises:
            KeyError: none is declared.
        """
        for consumer in self.consumers:
            if consumer.name == name:
                return consumer
        raise KeyError(f"no durable consumer called {name!r} is declared")


_ADVISORY_BYTES: Final = 8 * _MIB


def ricordo_topology(
    *,
    incoming_bytes: int = 512 * _MIB,
    derived_bytes: int = 512 * _MIB,
    dead_letter_bytes: int = 128 * _MIB,
    ack_wait: float = 15.0,
    max_deliver: int = 8,
) -> Topology:
    """Return the streams and durable consumers of Ricordo.

    Args:
        incoming_bytes: size of the stream of messages, as of the two others below. The defaults suit a server
            with little room; those of the settings are larger.
        derived_bytes: when full, it drops the oldest, as does that of dead letters.
        ack_wait: seconds without progress after which a message is redelivered.
    """
    advisories = tuple(f"{_MAX_DELIVERIES}.{stream}.>" for stream in (STREAM_IN, STREAM_DERIVED))
    streams = (
        StreamSpec(
            name=STREAM_IN,
            subjects=STREAM_SUBJECTS[STREAM_IN],
            retention=RetentionPolicy.WORK_QUEUE,
            discard=DiscardPolicy.NEW,
            max_bytes=incoming_bytes,
        ),
        StreamSpec(
            name=STREAM_DERIVED,
            subjects=STREAM_SUBJECTS[STREAM_DERIVED],
            max_bytes=derived_bytes,
            max_age=7 * _DAY,
            persist_async=True,
            max_consumers=_MAX_LISTENERS,
        ),
        StreamSpec(
            name=STREAM_DEAD_LETTERS,
            subjects=STREAM_SUBJECTS[STREAM_DEAD_LETTERS],
            max_bytes=dead_letter_bytes,
            duplicate_window=_DEAD_LETTER_WINDOW,
        ),
        StreamSpec(
            name=STREAM_ADVISORIES,
            subjects=advisories,
            retention=RetentionPolicy.WORK_QUEUE,
            max_bytes=_ADVISORY_BYTES,
        ),
    )
    consumers = [
        ConsumerSpec(
            name=item.name,
            stream=item.stream,
            subjects=tuple(every_tenant(event) for event in item.events),
            ack_wait=ack_wait,
            max_deliver=max_deliver,
        )
        for item in CONSUMERS
    ]
    sweeper = ConsumerSpec(
        name=SWEEPER,
        stream=STREAM_ADVISORIES,
        subjects=advisories,
        max_deliver=-1,  # no limit
    )
    return Topology(streams=streams, consumers=(*consumers, sweeper))
