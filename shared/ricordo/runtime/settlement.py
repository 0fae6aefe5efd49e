"""What becomes of a delivery once its outcome is known: publish, then ack; hand back; or give up and keep."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from typing import Final

import structlog

from ricordo.bus.port import BusError, BusUnavailable, DeadLetter, Outgoing, Publisher, Subscription
from ricordo.clock import Clock
from ricordo.messages.base import Message
from ricordo.messages.errors import DeadLetterCode
from ricordo.messages.subjects import STREAM_IN
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.consumer_breaker import ConsumerBreaker
from ricordo.runtime.dead_letter_queue import DeadLetterQueue
from ricordo.runtime.decoding import decode_delivery, log_fields, references
from ricordo.runtime.derived_events import derived_messages
from ricordo.runtime.handling import Done, Envelope, Outcome, Reject, Retry
from ricordo.runtime.health import Health
from ricordo.runtime.in_flight import InFlightMessage
from ricordo.runtime.tracing import TraceContext, bind_log_context

_log = structlog.stdlib.get_logger(__name__)

Handled = tuple[InFlightMessage, Envelope[Message]]

_NO_REASON: Final = "the handler asked for another try and gave no reason"


class Settlement:
    """Settles the deliveries of one durable consumer.

    Args:
        name: of the worker, as the source of what it produces.
        subscription: where the deliveries came from.
        publisher: takes the produced events.
        dead_letters: takes the dead letters.
        clock: dates events and letters.
        health: counts.
        backoff: pauses before a redelivery, by attempt.
        brake: told what became of each; while it is on, what failed stays in hand.
    """

    def __init__(
        self,
        *,
        name: str,
        subscription: Subscription,
        publisher: Publisher,
        dead_letters: DeadLetterQueue,
        clock: Clock,
        health: Health,
        backoff: Backoff,
        breaker: ConsumerBreaker,
    ) -> None:
        self._name = name
        self._subscription = subscription
        self._publisher = publisher
        self._dead_letters = dead_letters
        self._clock = clock
        self._health = health
        self._backoff = backoff
        self._breaker = breaker

    async def settle(self, handled: Sequence[Handled], outcomes: Sequence[Outcome]) -> None:
        """Settle each delivery by its outcome; what the done ones produced is published first, together.

        The brake is told of all of them before any is given up.
        """
        settled = list(zip(handled, await self._published(handled, outcomes), strict=True))
        for (message, _), outcome in settled:
            self._tell_breaker(message, outcome)
        for (message, envelope), outcome in sorted(settled, key=lambda one: isinstance(one[1], Done)):
            match outcome:
                case Done():
                    await self._ack(message, envelope)
                case Retry():
                    await self.retry(message, envelope, outcome)
                case Reject():
                    await self.dead_letter(message, envelope, outcome)

    async def reject_unreadable(self, unread: Sequence[tuple[InFlightMessage, Reject]]) -> None:
        """Settle what cannot be read. Where bots publish that is theirs to mend, elsewhere it is ours."""
        if self._subscription.stream != STREAM_IN:
            for message, reject in unread:
                last = self._is_last(message)
                self._breaker.failed(message.delivery.sequence, f"{reject.code}: {reject.reason}", last=last)
        for message, reject in unread:
            if self._subscription.stream != STREAM_IN and self._breaker.is_open:
                message.retain()
            else:
                await self.dead_letter(message, None, reject)

    async def skip(self, message: InFlightMessage) -> None:
        """Settle what was sent again for another consumer of the same subject."""
        with suppress(BusUnavailable):  # then it comes again, and is passed by once more
            await message.ack()

    async def release(self, message: InFlightMessage) -> None:
        """Have another process handle it, as this one has halted and is to stop."""
        if self._is_last(message):
            sentence = f"its last delivery, attempt {message.delivery.attempt}, was to a worker that stopped"
            reject = Reject(DeadLetterCode.ATTEMPTS_EXHAUSTED, f"{sentence} {self._breaker.reason}")
            found = decode_delivery(message.delivery)
            await self.dead_letter(message, found if isinstance(found, Envelope) else None, reject)
        else:
            await self._return(message, None, self._backoff.delay(1))

    async def _published(self, handled: Sequence[Handled], outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Publish what follows, and return the outcomes: of what could not be published, another try."""
        at = self._clock.now()
        settled = list(outcomes)
        messages: list[Outgoing] = []
        owners: list[int] = []
        for index, ((_, envelope), outcome) in enumerate(zip(handled, outcomes, strict=True)):
            if not isinstance(outcome, Done):
                continue
            produced = derived_messages(envelope, outcome.events, self._name, at)
            messages += produced
            owners += [index] * len(produced)
        results = await self._publisher.publish(messages) if messages else ()
        for owner, problem in zip(owners, results, strict=True):
            if problem is not None:
                reason = f"a produced event could not be published: {problem}"
                is_failure = not isinstance(problem, BusUnavailable) or await _is_there(handled[owner][0])
                settled[owner] = Retry(reason=reason, is_failure=is_failure)
        return settled

    def _tell_breaker(self, message: InFlightMessage, outcome: Outcome) -> None:
        match outcome:
            case Done():
                self._breaker.succeeded(message.delivery.sequence)
            case Retry(is_failure=True):
                self._breaker.failed(message.delivery.sequence, outcome.reason, last=self._is_last(message))
            case _:
                return

    def _is_last(self, message: InFlightMessage) -> bool:
        return message.delivery.attempt >= self._subscription.max_deliver

    async def _ack(self, message: InFlightMessage, envelope: Envelope[Message]) -> None:
        try:
            await message.ack()
        except BusError as error:
            self._log_unsettled(message, envelope, error)
        self._health.succeeded()

    async def retry(self, message: InFlightMessage, envelope: Envelope[Message] | None, retry: Retry) -> None:
        """Have it delivered again later, or give it up when that was its last delivery.

        Of a worker that has halted it stays in hand.
        """
        if self._breaker.is_open:
            message.retain()
            return
        attempt = message.delivery.attempt
        reason = retry.reason or _NO_REASON
        if self._is_last(message):
            sentence = f"given up at attempt {attempt}: {reason}"
            await self.dead_letter(message, envelope, Reject(DeadLetterCode.ATTEMPTS_EXHAUSTED, sentence))
            return
        delay = self._backoff.delay(attempt) if retry.after is None else max(retry.after, 0.001)
        with self._logged(message, envelope):
            _log.warning("event is tried again later", reason=reason, attempt=attempt, delay=round(delay, 3))
        await self._return(message, envelope, delay)

    async def dead_letter(
        self, message: InFlightMessage, envelope: Envelope[Message] | None, reject: Reject
    ) -> None:
        """Keep it as a dead letter, then let it go; if it cannot be kept, it is not let go.

        Of what was forgotten nothing is kept.
        """
        letter = self._letter(message, envelope, reject)
        with self._logged(message, envelope):
            try:
                kept = await self._dead_letters.publish(letter)
            except Exception as error:  # noqa: BLE001 - whatever it is, the original must stay
                _log.error("dead letter could not be kept", error=f"{type(error).__name__}: {error}")
                await self._return(message, envelope, self._backoff.delay(letter.attempts))
                return
            if kept:
                _log.warning("event became a dead letter", code=letter.code, reason=letter.sentence)
            else:
                _log.info("event about what was forgotten was given up, nothing is kept", code=letter.code)
        self._health.dead_lettered += kept
        try:
            await message.terminate()
        except BusError as error:
            self._log_unsettled(message, envelope, error)

    async def _return(
        self, message: InFlightMessage, envelope: Envelope[Message] | None, delay: float
    ) -> None:
        self._health.retried += 1
        try:
            await message.retry(delay)
        except BusError as error:
            self._log_unsettled(message, envelope, error)

    def _letter(
        self, message: InFlightMessage, envelope: Envelope[Message] | None, reject: Reject
    ) -> DeadLetter:
        delivery = message.delivery
        body = None if envelope is None else envelope.body
        told = references(delivery.subject, delivery.body, body)
        return DeadLetter(
            tenant=told.tenant,
            message_id=told.message_id,
            memory_id=told.memory_id,
            code=str(reject.code),
            sentence=reject.reason,
            attempts=delivery.attempt,
            consumer=self._subscription.consumer,
            subject=delivery.subject,
            stream=self._subscription.stream,
            sequence=delivery.sequence,
            body=delivery.body,
            headers=delivery.headers,
            at=self._clock.now(),
        )

    def _logged(
        self, message: InFlightMessage, envelope: Envelope[Message] | None
    ) -> AbstractContextManager[None]:
        if envelope is None:
            told = references(message.delivery.subject, message.delivery.body)
            names = {"tenant": told.tenant, "message_id": told.message_id}
            return bind_log_context(None, **names, sequence=message.delivery.sequence)
        return bind_log_context(TraceContext.parse(envelope.traceparent), **log_fields(envelope))

    def _log_unsettled(
        self, message: InFlightMessage, envelope: Envelope[Message] | None, error: BusError
    ) -> None:
        with self._logged(message, envelope):
            _log.warning("event could not be settled and will be delivered again", error=str(error))


async def _is_there(message: InFlightMessage) -> bool:
    """Whether the bus is, as far as can be told."""
    try:
        await message.delivery.in_progress()
    except BusUnavailable:
        return False
    return True
