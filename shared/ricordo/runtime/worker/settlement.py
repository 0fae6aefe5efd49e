"""Settles deliveries by their outcomes: publish, then acknowledge; return; or dead-letter."""

from collections.abc import Awaitable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import Final

import structlog

from ricordo.bus.port import Bus, BusError, BusUnavailable, Outgoing, Subscription
from ricordo.clock import Clock
from ricordo.messages.errors import DeadLetterCode
from ricordo.messages.message_types import Message
from ricordo.messages.subjects import STREAM_IN
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.dead_letter_queue import DeadLetter, DeadLetterRecorder, store_dead_letter
from ricordo.runtime.decoding import log_fields, references
from ricordo.runtime.event_publishing import derived_messages
from ricordo.runtime.handling import Done, Envelope, Outcome, Reject, Retry
from ricordo.runtime.health import Health
from ricordo.runtime.tracing import TraceContext, bind_log_context
from ricordo.runtime.worker.breaker import ConsumerBreaker
from ricordo.runtime.worker.state import InFlightMessage

_log = structlog.stdlib.get_logger(__name__)

Handled = tuple[InFlightMessage, Envelope[Message]]

_NO_REASON: Final = "the handler returned Retry without a reason"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """Settles the deliveries of one durable consumer.

    Attributes:
        name: of the worker, as the source of its events.
        record_dead_letter: decides whether a dead letter is stored, and records it; None to store all.
        breaker: records each result; while it is open, failed messages stay in flight.
    """

    name: str
    subscription: Subscription
    bus: Bus
    record_dead_letter: DeadLetterRecorder | None
    clock: Clock
    health: Health
    backoff: Backoff
    breaker: ConsumerBreaker

    async def settle(self, handled: Sequence[Handled], outcomes: Sequence[Outcome]) -> None:
        """Settle each delivery by its outcome, after the events of all of them were published together.

        The breaker records all of them before any becomes a dead letter.
        """
        settled = list(zip(handled, await self._published(handled, outcomes), strict=True))
        for (message, _), outcome in settled:
            if isinstance(outcome, Done):
                self.breaker.succeeded(message.delivery.sequence)
            elif isinstance(outcome, Retry) and outcome.is_failure:
                self.breaker.failed(message.delivery.sequence, outcome.reason, last=message.last)
        for (message, _), outcome in sorted(settled, key=lambda item: isinstance(item[1], Done)):
            match outcome:
                case Done():
                    await self._settled(message, message.ack())
                    self.health.succeeded()
                case Retry():
                    await self.retry(message, outcome)
                case Reject():
                    await self.dead_letter(message, outcome)

    async def reject_unreadable(self, unread: Sequence[tuple[InFlightMessage, Reject]]) -> None:
        """Settle messages that cannot be decoded: in the input stream the bot's fault, elsewhere ours."""
        if self.subscription.stream != STREAM_IN:
            for message, reject in unread:
                reason = f"{reject.code}: {reject.reason}"
                self.breaker.failed(message.delivery.sequence, reason, last=message.last)
        for message, reject in unread:
            if self.subscription.stream != STREAM_IN and self.breaker.is_open:
                message.retain()
            else:
                await self.dead_letter(message, reject)

    async def skip(self, message: InFlightMessage) -> None:
        """Acknowledge a replay for another consumer."""
        with suppress(BusUnavailable):  # then it is redelivered and skipped again
            await message.ack()

    async def release(self, message: InFlightMessage) -> None:
        """Return it for another process, as this one is halted and stops."""
        if message.last:
            reason = f"its last delivery, attempt {message.delivery.attempt}, was to a worker that stopped"
            reject = Reject(DeadLetterCode.ATTEMPTS_EXHAUSTED, f"{reason} {self.breaker.reason}")
            await self.dead_letter(message, reject)
        else:
            await self._return(message, self.backoff.delay(1))

    async def _published(self, handled: Sequence[Handled], outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Publish the produced events; where that fails, the outcome becomes `Retry`."""
        at = self.clock.now()
        settled = list(outcomes)
        messages: list[Outgoing] = []
        owners: list[int] = []
        for index, ((_, envelope), outcome) in enumerate(zip(handled, outcomes, strict=True)):
            if not isinstance(outcome, Done):
                continue
            produced = derived_messages(
                outcome.events,
                tenant=envelope.tenant,
                cause=envelope.id,
                source=self.name,
                trace=TraceContext.parse(envelope.traceparent),
                at=at,
            )
            messages += produced
            owners += [index] * len(produced)
        results = await self.bus.publish(messages) if messages else ()
        for owner, problem in zip(owners, results, strict=True):
            if problem is not None:
                reason = f"a produced event could not be published: {problem}"
                is_failure = not isinstance(problem, BusUnavailable) or await _bus_answers(handled[owner][0])
                settled[owner] = Retry(reason=reason, is_failure=is_failure)
        return settled

    async def retry(self, message: InFlightMessage, retry: Retry) -> None:
        """Return it for redelivery after a pause, or dead-letter it on its last delivery.

        While the breaker is open it stays in flight.
        """
        if self.breaker.is_open:
            message.retain()
            return
        attempt = message.delivery.attempt
        reason = retry.reason or _NO_REASON
        if message.last:
            reject = Reject(DeadLetterCode.ATTEMPTS_EXHAUSTED, f"failed at attempt {attempt}: {reason}")
            await self.dead_letter(message, reject)
            return
        delay = self.backoff.delay(attempt) if retry.after is None else max(retry.after, 0.001)
        with self._log_context(message):
            _log.warning("event will be redelivered", reason=reason, attempt=attempt, delay=round(delay, 3))
        await self._return(message, delay)

    async def dead_letter(self, message: InFlightMessage, reject: Reject) -> None:
        """Store it as a dead letter, then terminate it; if it cannot be stored, it is redelivered.

        Nothing is stored of a forgotten message.
        """
        delivery = message.delivery
        letter = DeadLetter(
            message=delivery,
            refers_to=references(delivery.subject, delivery.body),
            code=str(reject.code),
            reason=reject.reason,
            attempts=delivery.attempt,
            consumer=self.subscription.consumer,
            stream=self.subscription.stream,
            at=self.clock.now(),
        )
        with self._log_context(message):
            try:
                stored = await store_dead_letter(self.bus, self.record_dead_letter, letter)
            except Exception as error:  # noqa: BLE001 - the original must stay
                _log.error("dead letter could not be stored", error=f"{type(error).__name__}: {error}")
                await self._return(message, self.backoff.delay(letter.attempts))
                return
            if stored:
                _log.warning("event became a dead letter", code=letter.code, reason=letter.reason)
            else:
                _log.info("event of a forgotten message was dropped", code=letter.code)
        self.health.dead_lettered += stored
        await self._settled(message, message.terminate())

    async def _return(self, message: InFlightMessage, delay: float) -> None:
        self.health.retried += 1
        await self._settled(message, message.retry(delay))

    async def _settled(self, message: InFlightMessage, settlement: Awaitable[None]) -> None:
        try:
            await settlement
        except BusError as error:
            with self._log_context(message):
                _log.warning("event could not be settled and will be redelivered", error=str(error))

    def _log_context(self, message: InFlightMessage) -> AbstractContextManager[None]:
        if (envelope := message.envelope) is not None:
            return bind_log_context(TraceContext.parse(envelope.traceparent), **log_fields(envelope))
        found = references(message.delivery.subject, message.delivery.body)
        names = {"tenant": found.tenant, "message_id": found.message_id}
        return bind_log_context(None, **names, sequence=message.delivery.sequence)


async def _bus_answers(message: InFlightMessage) -> bool:
    """Return whether the bus answers."""
    try:
        await message.delivery.in_progress()
    except BusUnavailable:
        return False
    return True
