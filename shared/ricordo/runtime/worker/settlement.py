"""Settles deliveries by their outcomes: publish, then acknowledge; return; or dead-letter."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import Final

import structlog

from ricordo.bus.port import BusError, BusUnavailable, Outgoing, Publisher, Subscription
from ricordo.clock import Clock
from ricordo.messages.errors import DeadLetterCode
from ricordo.messages.message_types import Message
from ricordo.messages.subjects import STREAM_IN
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.dead_letter_queue import DeadLetterQueue, dead_letter
from ricordo.runtime.decoding import decode_delivery, log_fields, references
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
        breaker: records each result; while it is open, failed messages stay in flight.
    """

    name: str
    subscription: Subscription
    publisher: Publisher
    dead_letters: DeadLetterQueue
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
            self._record_result(message, outcome)
        for (message, envelope), outcome in sorted(settled, key=lambda item: isinstance(item[1], Done)):
            match outcome:
                case Done():
                    await self._ack(message, envelope)
                case Retry():
                    await self.retry(message, envelope, outcome)
                case Reject():
                    await self.dead_letter(message, envelope, outcome)

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
                await self.dead_letter(message, None, reject)

    async def skip(self, message: InFlightMessage) -> None:
        """Acknowledge a replay for another consumer."""
        with suppress(BusUnavailable):  # then it is redelivered and skipped again
            await message.ack()

    async def release(self, message: InFlightMessage) -> None:
        """Return it for another process, as this one is halted and stops."""
        if message.last:
            reason = f"its last delivery, attempt {message.delivery.attempt}, was to a worker that stopped"
            reject = Reject(DeadLetterCode.ATTEMPTS_EXHAUSTED, f"{reason} {self.breaker.reason}")
            found = decode_delivery(message.delivery)
            await self.dead_letter(message, found if isinstance(found, Envelope) else None, reject)
        else:
            await self._return(message, None, self.backoff.delay(1))

    async def _published(self, handled: Sequence[Handled], outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Publish the produced events; where that fails, the outcome becomes `Retry`."""
        at = self.clock.now()
        settled = list(outcomes)
        messages: list[Outgoing] = []
        owners: list[int] = []
        for index, ((_, envelope), outcome) in enumerate(zip(handled, outcomes, strict=True)):
            if not isinstance(outcome, Done):
                continue
            produced = derived_messages(envelope, outcome.events, self.name, at)
            messages += produced
            owners += [index] * len(produced)
        results = await self.publisher.publish(messages) if messages else ()
        for owner, problem in zip(owners, results, strict=True):
            if problem is not None:
                reason = f"a produced event could not be published: {problem}"
                is_failure = not isinstance(problem, BusUnavailable) or await _bus_answers(handled[owner][0])
                settled[owner] = Retry(reason=reason, is_failure=is_failure)
        return settled

    def _record_result(self, message: InFlightMessage, outcome: Outcome) -> None:
        match outcome:
            case Done():
                self.breaker.succeeded(message.delivery.sequence)
            case Retry(is_failure=True):
                self.breaker.failed(message.delivery.sequence, outcome.reason, last=message.last)
            case _:
                return

    async def _ack(self, message: InFlightMessage, envelope: Envelope[Message]) -> None:
        try:
            await message.ack()
        except BusError as error:
            self._log_unsettled(message, envelope, error)
        self.health.succeeded()

    async def retry(self, message: InFlightMessage, envelope: Envelope[Message] | None, retry: Retry) -> None:
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
            await self.dead_letter(message, envelope, reject)
            return
        delay = self.backoff.delay(attempt) if retry.after is None else max(retry.after, 0.001)
        with self._log_context(message, envelope):
            _log.warning("event will be redelivered", reason=reason, attempt=attempt, delay=round(delay, 3))
        await self._return(message, envelope, delay)

    async def dead_letter(
        self, message: InFlightMessage, envelope: Envelope[Message] | None, reject: Reject
    ) -> None:
        """Store it as a dead letter, then terminate it; if it cannot be stored, it is redelivered.

        Nothing is stored of a forgotten message.
        """
        delivery = message.delivery
        letter = dead_letter(
            delivery,
            references(delivery.subject, delivery.body, None if envelope is None else envelope.body),
            code=str(reject.code),
            reason=reject.reason,
            attempts=delivery.attempt,
            consumer=self.subscription.consumer,
            stream=self.subscription.stream,
            at=self.clock.now(),
        )
        with self._log_context(message, envelope):
            try:
                stored = await self.dead_letters.publish(letter)
            except Exception as error:  # noqa: BLE001 - the original must stay
                _log.error("dead letter could not be stored", error=f"{type(error).__name__}: {error}")
                await self._return(message, envelope, self.backoff.delay(letter.attempts))
                return
            if stored:
                _log.warning("event became a dead letter", code=letter.code, reason=letter.reason)
            else:
                _log.info("event of a forgotten message was dropped", code=letter.code)
        self.health.dead_lettered += stored
        try:
            await message.terminate()
        except BusError as error:
            self._log_unsettled(message, envelope, error)

    async def _return(
        self, message: InFlightMessage, envelope: Envelope[Message] | None, delay: float
    ) -> None:
        self.health.retried += 1
        try:
            await message.retry(delay)
        except BusError as error:
            self._log_unsettled(message, envelope, error)

    def _log_context(
        self, message: InFlightMessage, envelope: Envelope[Message] | None
    ) -> AbstractContextManager[None]:
        if envelope is None:
            found = references(message.delivery.subject, message.delivery.body)
            names = {"tenant": found.tenant, "message_id": found.message_id}
            return bind_log_context(None, **names, sequence=message.delivery.sequence)
        return bind_log_context(TraceContext.parse(envelope.traceparent), **log_fields(envelope))

    def _log_unsettled(
        self, message: InFlightMessage, envelope: Envelope[Message] | None, error: BusError
    ) -> None:
        with self._log_context(message, envelope):
            _log.warning("event could not be settled and will be redelivered", error=str(error))


async def _bus_answers(message: InFlightMessage) -> bool:
    """Return whether the bus answers."""
    try:
        await message.delivery.in_progress()
    except BusUnavailable:
        return False
    return True
