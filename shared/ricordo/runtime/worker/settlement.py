"""Settles deliveries by their outcomes: publish, then acknowledge; return; or dead-letter."""

from collections.abc import Awaitable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

import structlog

from ricordo.bus.port import Bus, BusError, BusUnavailable
from ricordo.clock import Clock
from ricordo.messages.errors import DeadLetterCode
from ricordo.messages.subjects import STREAM_IN
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.dead_letter_queue import DeadLetterQueue
from ricordo.runtime.decoding import log_fields, references
from ricordo.runtime.event_publishing import Effects, item_alone, publications
from ricordo.runtime.handling import Done, Reject, Retry
from ricordo.runtime.health import Health
from ricordo.runtime.tracing import bind_log_context
from ricordo.runtime.worker.breaker import ConsumerBreaker
from ricordo.runtime.worker.state import InFlightMessage

_log = structlog.stdlib.get_logger(__name__)

_NO_REASON: Final = "the handler returned Retry without a reason"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """Settles the deliveries of one durable consumer.

    Attributes:
        breaker: records each result; while it is open, failed messages stay in flight.
    """

    consumer: str
    bus: Bus
    dead_letters: DeadLetterQueue
    clock: Clock
    health: Health
    backoff: Backoff
    breaker: ConsumerBreaker

    async def settle(self, tenant: str, handled: Sequence[InFlightMessage]) -> None:
        """Settle each message by its outcomes, after the events of all of them were published together.

        The breaker records all of them before any becomes a dead letter. Where items of a message are not
        done, these are published alone.
        """
        await self._publish(tenant, handled)
        for message in handled:
            for envelope, outcome in zip(message.envelopes, message.outcomes, strict=True):
                if isinstance(outcome, Done):
                    self.breaker.succeeded(envelope.id)
                elif isinstance(outcome, Retry) and outcome.is_failure:
                    self.breaker.failed(envelope.id, outcome.reason, last=message.last)
        for message in sorted(handled, key=lambda one: one.is_done):
            match message.outcomes:
                case _ if message.is_done:
                    await self._settled(message, message.ack())
                case [Retry() as retry]:
                    await self._retry(message, retry)
                case [Reject() as reject]:
                    await self._dead_letter(message, reject)
                case _:
                    await self.take_apart(message)
            self.health.succeeded(sum(isinstance(one, Done) for one in message.outcomes))

    async def take_apart(self, message: InFlightMessage) -> None:
        """Publish each item that is not done alone, so that it cannot fail the others, and acknowledge.

        While the breaker is open, a message of which nothing was done stays in flight for one probe. If an
        item cannot be published, the message is redelivered.
        """
        handled = message.outcomes
        is_new = bool(handled) and not message.attempted
        if is_new and self.breaker.is_open and not any(isinstance(one, Done) for one in handled):
            message.retain()
            return
        left = [
            envelope
            for envelope, outcome in zip_longest(message.envelopes, handled)
            if not isinstance(outcome, Done)
        ]
        problems = await self.bus.publish([item_alone(one, self.consumer) for one in left])
        with _log_context(message):
            if any(problem is not None for problem in problems):
                _log.warning("items could not be published alone, their event will be redelivered")
                await self._return(message, self.backoff.delay(message.delivery.attempt))
                return
            reasons = (one.reason for one in handled if not isinstance(one, Done))
            reason = next(reasons, "the event was delivered before")
            _log.warning("items are handled alone", items=len(left), reason=reason)
        self.health.retried += len(left)
        await self._settled(message, message.ack())

    async def release_undone(self, handled: Sequence[InFlightMessage]) -> list[InFlightMessage]:
        """Return the rest, after releasing events of several items of which nothing was done."""
        rest = []
        for message in handled:
            if len(message.outcomes) > 1 and all(isinstance(one, Retry) for one in message.outcomes):
                await self.release(message)
            else:
                rest.append(message)
        return rest

    async def reject_unreadable(self, unread: Sequence[tuple[InFlightMessage, Reject]]) -> None:
        """Settle messages that cannot be decoded: in the input stream the bot's fault, elsewhere ours."""
        ours = {message for message, _ in unread if message.delivery.stream != STREAM_IN}
        for message, reject in unread:
            if message in ours:
                reason = f"{reject.code}: {reject.reason}"
                self.breaker.failed(message.delivery.sequence, reason, last=message.last)
        for message, reject in unread:
            if message in ours and self.breaker.is_open:
                message.retain()
            else:
                await self._dead_letter(message, reject)

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
            await self._dead_letter(message, reject)
        else:
            await self._return(message, self.backoff.delay(1))

    async def _publish(self, tenant: str, handled: Sequence[InFlightMessage]) -> None:
        """Publish the produced events; where that fails, the outcomes that led to them become `Retry`."""
        places, effects = list[tuple[InFlightMessage, int]](), list[Effects]()
        for message in handled:
            for item, (envelope, outcome) in enumerate(zip(message.envelopes, message.outcomes, strict=True)):
                if isinstance(outcome, Done) and (outcome.events or outcome.bulk_events):
                    places.append((message, item))
                    effects.append(Effects.of(envelope, outcome))
        produced = publications(effects, tenant=tenant, source=self.consumer, at=self.clock.now())
        results = await self.bus.publish([one.message for one in produced]) if produced else ()
        for publication, problem in zip(produced, results, strict=True):
            if problem is None:
                continue
            reason = f"a produced event could not be published: {problem}"
            failed = [places[one] for one in sorted(publication.effects)]
            answers = not isinstance(problem, BusUnavailable) or await _bus_answers(failed[0][0])
            for message, item in failed:
                message.outcomes[item] = Retry(reason=reason, is_failure=answers)

    async def _retry(self, message: InFlightMessage, retry: Retry) -> None:
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
            await self._dead_letter(message, reject)
            return
        delay = self.backoff.delay(attempt)
        with _log_context(message):
            _log.warning("event will be redelivered", reason=reason, attempt=attempt, delay=round(delay, 3))
        await self._return(message, delay)

    async def _dead_letter(self, message: InFlightMessage, reject: Reject) -> None:
        """Store it as a dead letter, then terminate it; if it cannot be stored, it is redelivered."""
        attempts = message.delivery.attempt
        with _log_context(message):
            try:
                await self.dead_letters.store(message.delivery, reject, self.consumer, attempts)
            except Exception as error:  # noqa: BLE001 - the original must stay
                _log.error("dead letter could not be stored", error=f"{type(error).__name__}: {error}")
                await self._return(message, self.backoff.delay(attempts))
                return
        await self._settled(message, message.terminate())

    async def _return(self, message: InFlightMessage, delay: float) -> None:
        self.health.retried += 1
        await self._settled(message, message.retry(delay))

    async def _settled(self, message: InFlightMessage, settlement: Awaitable[None]) -> None:
        try:
            await settlement
        except BusError as error:
            with _log_context(message):
                _log.warning("event could not be settled and will be redelivered", error=str(error))


def _log_context(message: InFlightMessage) -> AbstractContextManager[None]:
    if len(message.envelopes) == 1:
        (envelope,) = message.envelopes
        return bind_log_context(envelope.trace, **log_fields(envelope))
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
