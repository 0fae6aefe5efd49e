"""Stores events that were given up, with their bytes and the reason, before the originals are removed."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog

from ricordo.bus.port import Bus, Delivery, Outgoing, StoredMessage
from ricordo.clock import Clock
from ricordo.messages.errors import dead_letter_headers
from ricordo.messages.subjects import (
    CE_ID,
    CE_SOURCE,
    CE_SPEC_VERSION,
    CE_TIME,
    CE_TYPE,
    CONTENT_TYPE,
    MESSAGE_ID,
    TRACE_PARENT,
    dead_letter_subject,
)
from ricordo.runtime.decoding import MessageReferences, references
from ricordo.runtime.handling import Reject
from ricordo.runtime.health import Health

_log = structlog.stdlib.get_logger(__name__)

_COPIED: Final = (TRACE_PARENT, CE_SPEC_VERSION, CE_ID, CE_SOURCE, CE_TYPE, CE_TIME, CONTENT_TYPE)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """An event that was given up, and the reason.

    Attributes:
        message: the event as it is in its stream.
        refers_to: the ids of its tenant and its message or memory.
        code: the reason as a code (`invalid`, `attempts_exhausted`, or a handler's own).
        at: when it was given up, aware, in UTC.
    """

    message: Delivery | StoredMessage
    refers_to: MessageReferences
    code: str
    reason: str
    attempts: int
    consumer: str
    at: datetime

    def to_outgoing(self) -> Outgoing:
        """Return the message that stores it: original bytes, reason in headers."""
        message = self.message
        headers = {name: message.headers[name] for name in _COPIED if name in message.headers}
        headers[MESSAGE_ID] = f"dlq:{message.stream}:{message.sequence}:{self.consumer}"
        headers |= dead_letter_headers(self.code, self.reason, self.attempts, message.sequence)
        subject = dead_letter_subject(self.consumer, message.subject)
        return Outgoing(subject=subject, body=message.body, headers=headers)


DeadLetterRecorder = Callable[[DeadLetter, Callable[[], Awaitable[None]]], Awaitable[None]]
"""Calls the given function, which stores a dead letter in its stream, and records it, for example for
`query.status`; neither, if it was forgotten.

An error leaves the original in place. May be called again for the same (stream, sequence, consumer).
"""


@dataclass(frozen=True, slots=True)
class DeadLetterQueue:
    """Stores dead letters in their stream.

    Attributes:
        record: decides whether a letter is stored, and records it.
        health: of the worker that gives them up; counts those that were stored.
    """

    bus: Bus
    record: DeadLetterRecorder
    clock: Clock
    health: Health

    async def store(
        self, message: Delivery | StoredMessage, reject: Reject, consumer: str, attempts: int
    ) -> None:
        """Store `message` as a dead letter, unless its message was forgotten; then the original may go.

        Repeating this stores nothing more, as the stream knows the letter by its origin.

        Args:
            consumer: that did not handle it.

        Raises:
            BusError: the stream did not store it; the original must stay.
            Exception: the recorder failed; likewise.
        """
        letter = DeadLetter(
            message=message,
            refers_to=references(message.subject, message.body),
            code=str(reject.code),
            reason=reject.reason,
            attempts=attempts,
            consumer=consumer,
            at=self.clock.now(),
        )
        stored = False

        async def publish() -> None:
            nonlocal stored
            (problem,) = await self.bus.publish([letter.to_outgoing()])
            if problem is not None:
                raise problem
            stored = True

        await self.record(letter, publish)
        self.health.dead_lettered += stored
        if stored:
            _log.warning(
                "event became a dead letter", consumer=consumer, code=letter.code, reason=letter.reason
            )
        else:
            _log.info("event of a forgotten message was dropped", consumer=consumer, code=letter.code)
