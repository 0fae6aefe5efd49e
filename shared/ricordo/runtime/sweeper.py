"""Dead-letters messages that crash every worker that handles them.

A process that dies cannot dead-letter. The server counts deliveries and publishes an advisory when the last
one was not acknowledged; the sweeper consumes these advisories.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from ricordo.bus.port import Bus, BusError
from ricordo.clock import Clock
from ricordo.messages.errors import DeadLetterCode
from ricordo.messages.subjects import STREAM_DERIVED, STREAM_IN
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.dead_letter_queue import DeadLetter, DeadLetterRecorder, store_dead_letter
from ricordo.runtime.decoding import decode_message, references
from ricordo.runtime.event_publishing import item_alone
from ricordo.runtime.handling import Reject
from ricordo.runtime.health import Health
from ricordo.runtime.tracing import bind_log_context
from ricordo.runtime.worker.consumption import Consumption
from ricordo.runtime.worker.state import InFlightMessage, LoopSettings

_log = structlog.stdlib.get_logger(__name__)

_SWEPT: Final = (STREAM_IN, STREAM_DERIVED)
"""The streams whose messages are swept; advisories about others are acknowledged only."""


@dataclass(frozen=True, slots=True)
class Advisory:
    """The server's report that a message was delivered for the last time and not acknowledged."""

    stream: str
    consumer: str
    sequence: int
    deliveries: int

    @classmethod
    def parse(cls, body: bytes) -> "Advisory | None":
        """Parse an advisory; None if it is malformed."""
        try:
            content = json.loads(body)
            return cls(
                stream=str(content["stream"]),
                consumer=str(content["consumer"]),
                sequence=int(content["stream_seq"]),
                deliveries=int(content["deliveries"]),
            )
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return None


class Sweeper:
    """Moves the messages that advisories report to the dead letter queue.

    Args:
        bus: source of advisories, where the messages are read and, in a work queue, removed, and destination
            of dead letters.
        record_dead_letter: decides whether a letter is published, and records it.
    """

    name = "sweeper"

    def __init__(
        self,
        *,
        bus: Bus,
        clock: Clock,
        record_dead_letter: DeadLetterRecorder,
    ) -> None:
        self.health = Health(worker=self.name, clock=clock)
        self._bus = bus
        self._clock = clock
        self._record_dead_letter = record_dead_letter
        self._backoff = Backoff(first=0.5, longest=30.0)
        self._consumption = Consumption(
            consumer=self.name,
            subscriptions=bus,
            health=self.health,
            clock=clock,
            settings=LoopSettings(),
        )

    async def run(self, stopping: asyncio.Event, ready: Callable[[], None]) -> None:
        """Sweep until `stopping` is set or the task is cancelled."""
        with bind_log_context(None, worker=self.name):
            await self._consumption.run(lambda _: self._sweep, stopping, ready)

    async def _sweep(self, batch: Sequence[InFlightMessage]) -> None:
        for delivered in batch:
            advisory = Advisory.parse(delivered.delivery.body)
            try:
                if advisory is not None and advisory.stream in _SWEPT:
                    await self._dead_letter(advisory)
            except Exception as error:  # noqa: BLE001 - the advisory must be redelivered
                _log.warning("sweep failed and will be retried", error=f"{type(error).__name__}: {error}")
                self.health.retried += 1
                await _settle(delivered.retry(self._backoff.delay(delivered.delivery.attempt)))
            else:
                await _settle(delivered.ack())
                self.health.succeeded()

    async def _dead_letter(self, advisory: Advisory) -> None:
        message = await self._bus.read(advisory.stream, advisory.sequence)
        if message is None:
            return
        items = decode_message(message)
        if not isinstance(items, Reject) and len(items) > 1:  # one of them is at fault
            for problem in await self._bus.publish([item_alone(one, advisory.consumer) for one in items]):
                if problem is not None:
                    raise problem
            _log.warning("event of crashed workers was taken apart", consumer=advisory.consumer)
            return
        letter = DeadLetter(
            message=message,
            refers_to=references(message.subject, message.body),
            code=DeadLetterCode.ATTEMPTS_EXHAUSTED,
            reason=f"delivered {advisory.deliveries} times, never settled: its worker died or lost the bus",
            attempts=advisory.deliveries,
            consumer=advisory.consumer,
            stream=advisory.stream,
            at=self._clock.now(),
        )
        stored = await store_dead_letter(self._bus, self._record_dead_letter, letter)
        if advisory.stream == STREAM_IN:  # a work queue, in which it stays until it is removed
            await self._bus.remove(advisory.stream, advisory.sequence)
        self.health.dead_lettered += stored
        named = letter.refers_to
        with bind_log_context(None, tenant=named.tenant, message_id=named.message_id):
            if stored:
                _log.warning("event of crashed workers became a dead letter", consumer=letter.consumer)
            else:
                _log.info("event of a forgotten message was dropped", consumer=letter.consumer)


async def _settle(settlement: Awaitable[None]) -> None:
    try:
        await settlement
    except BusError as error:
        _log.info("advisory could not be acknowledged and will be redelivered", error=str(error))
