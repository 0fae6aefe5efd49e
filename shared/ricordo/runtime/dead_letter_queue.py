"""Stores events that were given up, with their bytes and the reason, before the originals are removed."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ricordo.bus.port import Bus, Delivery, Outgoing, StoredMessage
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
from ricordo.runtime.decoding import MessageReferences

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
    stream: str
    at: datetime


DeadLetterRecorder = Callable[[DeadLetter, Callable[[], Awaitable[None]]], Awaitable[None]]
"""Calls the given function, which stores a dead letter in its stream, and records it, for example for
`query.status`; neither, if it was forgotten.

An error leaves the original in place. May be called again for the same (stream, sequence, consumer).
"""


def _to_message(letter: DeadLetter) -> Outgoing:
    """Return the message that stores `letter`: original bytes, reason in headers."""
    message = letter.message
    headers = {name: message.headers[name] for name in _COPIED if name in message.headers}
    headers[MESSAGE_ID] = f"dlq:{letter.stream}:{message.sequence}:{letter.consumer}"
    headers |= dead_letter_headers(letter.code, letter.reason, letter.attempts, message.sequence)
    return Outgoing(
        subject=dead_letter_subject(letter.consumer, message.subject), body=message.body, headers=headers
    )


async def store_dead_letter(bus: Bus, record: DeadLetterRecorder, letter: DeadLetter) -> bool:
    """Store `letter` in its stream, unless `record` drops it because its message was forgotten.

    Repeating this stores nothing more, as the stream knows the letter by its origin.

    Returns:
        Whether it was stored; the original may be removed in any case.

    Raises:
        BusError: the stream did not store it; the original must stay.
        Exception: the recorder failed; likewise.
    """
    stored = False

    async def publish() -> None:
        nonlocal stored
        (problem,) = await bus.publish([_to_message(letter)])
        if problem is not None:
            raise problem
        stored = True

    await record(letter, publish)
    return stored
