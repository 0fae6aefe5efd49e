"""Stores events that were given up, with their bytes and the reason, before the originals are removed."""

from datetime import datetime
from typing import Final

from ricordo.bus.port import DeadLetter, DeadLetterRecorder, Delivery, Outgoing, Publisher, StoredMessage
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


def dead_letter(
    message: Delivery | StoredMessage,
    found: MessageReferences,
    *,
    code: str,
    reason: str,
    attempts: int,
    consumer: str,
    stream: str,
    at: datetime,
) -> DeadLetter:
    """Return the dead letter of a message."""
    return DeadLetter(
        tenant=found.tenant,
        message_id=found.message_id,
        memory_id=found.memory_id,
        code=code,
        reason=reason,
        attempts=attempts,
        consumer=consumer,
        subject=message.subject,
        stream=stream,
        sequence=message.sequence,
        body=message.body,
        headers=message.headers,
        at=at,
    )


def to_message(letter: DeadLetter) -> Outgoing:
    """Return the message that stores `letter`: original bytes, reason in headers."""
    headers = {name: letter.headers[name] for name in _COPIED if name in letter.headers}
    headers[MESSAGE_ID] = f"dlq:{letter.stream}:{letter.sequence}:{letter.consumer}"
    headers |= dead_letter_headers(letter.code, letter.reason, letter.attempts, letter.sequence)
    return Outgoing(
        subject=dead_letter_subject(letter.consumer, letter.subject), body=letter.body, headers=headers
    )


class DeadLetterQueue:
    """Publishes dead letters to their stream.

    Args:
        record_dead_letter: decides whether a letter is published, and records it; None to publish all.
    """

    def __init__(self, publisher: Publisher, record_dead_letter: DeadLetterRecorder | None = None) -> None:
        self._publisher = publisher
        self._record_dead_letter = record_dead_letter

    async def publish(self, letter: DeadLetter) -> bool:
        """Store `letter`, unless the recorder drops it because its message was forgotten.

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
            (problem,) = await self._publisher.publish([to_message(letter)])
            if problem is not None:
                raise problem
            stored = True

        if self._record_dead_letter is None:
            await publish()
        else:
            await self._record_dead_letter(letter, publish)
        return stored
