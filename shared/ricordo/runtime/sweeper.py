"""Dead-letters messages that crash every worker that handles them.

A process that dies cannot dead-letter. The server counts deliveries and publishes an advisory when the last
one was not acknowledged; the sweeper consumes these advisories.
"""

import json
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from ricordo.bus.nats.nats_bus import NatsBus
from ricordo.bus.port import BusError
from ricordo.clock import Clock
from ricordo.messages.errors import DeadLetterCode
from ricordo.messages.subjects import STREAM_DERIVED, STREAM_IN
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.dead_letter_queue import DeadLetterQueue, DeadLetterRecorder
from ricordo.runtime.decoding import decode_message, references
from ricordo.runtime.event_publishing import item_alone
from ricordo.runtime.handling import Reject
from ricordo.runtime.tracing import bind_log_context
from ricordo.runtime.worker.consumption import Consumption
from ricordo.runtime.worker.state import ConsumptionSettings, InFlightMessage

_log = structlog.stdlib.get_logger(__name__)

_SWEPT: Final = (STREAM_IN, STREAM_DERIVED)
"""The streams whose messages are swept; advisories about others are acknowledged only."""
_SETTINGS: Final = ConsumptionSettings(backoff=Backoff(first=0.5, longest=30.0))


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


class Sweeper(Consumption):
    """Moves the messages that advisories report to the dead letter queue.

    Args:
        bus: source of advisories, where the messages are read and, in a work queue, removed, and destination
            of dead letters.
        record_dead_letter: decides whether a letter is published, and records it.
    """

    def __init__(self, *, bus: NatsBus, clock: Clock, record_dead_letter: DeadLetterRecorder) -> None:
        super().__init__(consumer="sweeper", bus=bus, clock=clock, settings=_SETTINGS)
        self._streams = bus
        self._dead_letters = DeadLetterQueue(bus, record_dead_letter, clock, self.health)

    async def _work(self, batch: Sequence[InFlightMessage]) -> None:
        for delivered in batch:
            advisory = Advisory.parse(delivered.delivery.body)
            try:
                if advisory is not None and advisory.stream in _SWEPT:
                    await self._sweep(advisory)
            except Exception as error:  # noqa: BLE001 - the advisory must be redelivered
                _log.warning("sweep failed and will be retried", error=f"{type(error).__name__}: {error}")
                self.health.retried += 1
                delay = self._settings.backoff.delay(delivered.delivery.attempt)
                await _settle(delivered.retry(delay))
            else:
                await _settle(delivered.ack())
                self.health.succeeded()

    async def _sweep(self, advisory: Advisory) -> None:
        message = await self._streams.read(advisory.stream, advisory.sequence)
        if message is None:
            return
        items = decode_message(message)
        if not isinstance(items, Reject) and len(items) > 1:  # one of them is at fault
            for problem in await self._bus.publish([item_alone(one, advisory.consumer) for one in items]):
                if problem is not None:
                    raise problem
            _log.warning("event of crashed workers was taken apart", consumer=advisory.consumer)
            return
        reason = f"delivered {advisory.deliveries} times, never settled: its worker died or lost the bus"
        reject = Reject(DeadLetterCode.ATTEMPTS_EXHAUSTED, reason)
        named = references(message.subject, message.body)
        with bind_log_context(None, tenant=named.tenant, message_id=named.message_id):
            await self._dead_letters.store(message, reject, advisory.consumer, advisory.deliveries)
        if advisory.stream == STREAM_IN:  # a work queue, in which it stays until it is removed
            await self._streams.remove(advisory.stream, advisory.sequence)


async def _settle(settlement: Awaitable[None]) -> None:
    try:
        await settlement
    except BusError as error:
        _log.info("advisory could not be acknowledged and will be redelivered", error=str(error))
