"""Settles deliveries by their outcomes: publish, then acknowledge; return; or dead-letter."""

from collections.abc import Awaitable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

import structlog

from ricordo.bus.port import Bus, BusError, BusUnavailable, Subscription
from ricordo.clock import Clock
from ricordo.messages.errors import DeadLetterCode
from ricordo.messages.message_types import Message
from ricordo.messages.subjects import STREAM_IN
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.dead_letter_queue import DeadLetter, DeadLetterRecorder, store_dead_letter
from ricordo.runtime.decoding import log_fields, references
from ricordo.runtime.event_publishing import Effects, item_alone, publications
from ricordo.runtime.handling import Done, Envelope, Outcome, Reject, Retry
from ricordo.runtime.health import Health
from ricordo.runtime.tracing import TraceContext, bind_log_context
from ricordo.runtime.worker.breaker import ConsumerBreaker
from ricordo.runtime.worker.state import InFlightMessage

_log = structlog.stdlib.get_logger(__name__)

Handled = tuple[InFlightMessage, Sequence[Outcome]]
"""A message, and an outcome for each of its items."""

_NO_REASON: Final = "the handler returned Retry without a reason"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """Settles the deliveries of one durable consumer.

    Attributes:
        record_dead_letter: decides whether a dead letter is stored, and records it.
        breaker: records each result; while it is open, failed messages stay in flight.
    """

    subscription: Subscription
    bus: Bus
    record_dead_letter: DeadLetterRecorder
    clock: Clock
    health: Health
    backoff: Backoff
    breaker: ConsumerBreaker

    async def settle(self, handled: Sequence[Handled]) -> None:
        """Settle each delivery by its outcomes, after the events of all of them were published together.

        The breaker records all of them before any becomes a dead letter. Where items of a message are not
        done, these are published alone.
        """
        settled = await self._published(handled)
        for message, outcomes in settled:
            for envelope, outcome in zip(message.envelopes, outcomes, strict=True):
                if isinstance(outcome, Done):
                    self.breaker.succeeded(envelope.id)
                elif isinstance(outcome, Retry) and outcome.is_failure:
                    self.breaker.failed(envelope.id, outcome.reason, last=message.last)
        for message, outcomes in sorted(settled, key=lambda item: _is_done(item[1])):
            match outcomes:
                case _ if _is_done(outcomes):
                    await self._settled(message, message.ack())
                case [Retry() as retry]:
                    await self.retry(message, retry)
                case [Reject() as reject]:
                    await self.dead_letter(message, reject)
                case _:
                    await self.take_apart(message, outcomes)
            self.health.succeeded(sum(isinstance(one, Done) for one in outcomes))

    async def take_apart(self, message: InFlightMessage, outcomes: Sequence[Outcome] = ()) -> None:
        """Publish each item that is not done alone, so that it cannot fail the others, and acknowledge.

        While the breaker is open, a message of which nothing was done stays in flight for one probe. If an
        item cannot be published, the message is redelivered.

        Args:
            outcomes: of the items; without them none is done.
        """
        if (
            outcomes
            and self.breaker.is_open
            and not message.attempted
            and not any(map(_is_handled, outcomes))
        ):
            message.retain()
            return
        left = [
            envelope
            for envelope, outcome in zip_longest(message.envelopes, outcomes)
            if not isinstance(outcome, Done)
        ]
        consumer = self.subscription.consumer
        problems = await self.bus.publish([item_alone(one, consumer) for one in left])
        with self._log_context(message):
            if any(problem is not None for problem in problems):
                _log.warning("items could not be published alone, their event will be redelivered")
                await self._return(message, self.backoff.delay(message.delivery.attempt))
                return
            _log.warning("items are handled alone", items=len(left), reason=_reason_of(outcomes))
        self.health.retried += len(left)
        await self._settled(message, message.ack())

    async def release_undone(self, handled: Sequence[Handled]) -> list[Handled]:
        """Release events of several items of which nothing was done, as this process stops; keep the rest."""
        rest = []
        for message, outcomes in handled:
            if len(outcomes) > 1 and all(isinstance(one, Retry) for one in outcomes):
                await self.release(message)
            else:
                rest.append((message, outcomes))
        return rest

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
        if message.last and message.items > 1:
            return  # the sweeper takes it apart
        if message.last:
            reason = f"its last delivery, attempt {message.delivery.attempt}, was to a worker that stopped"
            reject = Reject(DeadLetterCode.ATTEMPTS_EXHAUSTED, f"{reason} {self.breaker.reason}")
            await self.dead_letter(message, reject)
        else:
            await self._return(message, self.backoff.delay(1))

    async def _published(self, handled: Sequence[Handled]) -> list[tuple[InFlightMessage, list[Outcome]]]:
        """Publish the produced events; where that fails, the outcomes that led to them become `Retry`."""
        settled = [(message, list(outcomes)) for message, outcomes in handled]
        places, effects = list[tuple[int, int]](), list[Effects]()
        for number, (message, outcomes) in enumerate(settled):
            for item, (envelope, outcome) in enumerate(zip(message.envelopes, outcomes, strict=True)):
                if isinstance(outcome, Done) and (outcome.events or outcome.bulk_events):
                    places.append((number, item))
                    effects.append(_effects(envelope, outcome))
        if not effects:
            return settled
        tenant = settled[0][0].envelopes[0].tenant
        produced = publications(
            effects, tenant=tenant, source=self.subscription.consumer, at=self.clock.now()
        )
        results = await self.bus.publish([one.message for one in produced])
        for publication, problem in zip(produced, results, strict=True):
            if problem is None:
                continue
            reason = f"a produced event could not be published: {problem}"
            failed = [places[one] for one in sorted(publication.effects)]
            answers = not isinstance(problem, BusUnavailable) or await _bus_answers(settled[failed[0][0]][0])
            for number, item in failed:
                settled[number][1][item] = Retry(reason=reason, is_failure=answers)
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
        delay = self.backoff.delay(attempt)
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
        if len(message.envelopes) == 1:
            (envelope,) = message.envelopes
            return bind_log_context(TraceContext.parse(envelope.traceparent), **log_fields(envelope))
        found = references(message.delivery.subject, message.delivery.body)
        names = {"tenant": found.tenant, "message_id": found.message_id}
        return bind_log_context(None, **names, sequence=message.delivery.sequence)


def _is_handled(outcome: Outcome) -> bool:
    return isinstance(outcome, Done)


def _is_done(outcomes: Sequence[Outcome]) -> bool:
    return all(map(_is_handled, outcomes))


def _reason_of(outcomes: Sequence[Outcome]) -> str:
    """Return why the first of the items that failed did, or that their event was delivered before."""
    reasons = (one.reason for one in outcomes if not isinstance(one, Done))
    return next(reasons, "the event was delivered before")


def _effects(envelope: Envelope[Message], outcome: Done) -> Effects:
    return Effects(
        cause=envelope.id,
        events=outcome.events,
        bulk_events=outcome.bulk_events,
        is_bulk=envelope.is_bulk,
        trace=TraceContext.parse(envelope.traceparent),
    )


async def _bus_answers(message: InFlightMessage) -> bool:
    """Return whether the bus answers."""
    try:
        await message.delivery.in_progress()
    except BusUnavailable:
        return False
    return True
