"""Stores events that were given up, with their bytes and the reason, before the originals are removed."""

from typing import Final

from ricordo.bus.port import DeadLetter, DeadLetterRecorder, Outgoing, Publisher
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

_COPIED: Final = (TRACE_PARENT, CE_SPEC_VERSION, CE_ID, CE_SOURCE, CE_TYPE, CE_TIME, CONTENT_TYPE)


def to_message(letter: DeadLetter) -> Outgoing:
    """Return the message that stores `letter`: original bytes, reason in headers."""
    headers = {name: letter.headers[name] for name in _COPIED if name in letter.headers}
    headers[MESSAGE_ID] = f"dlq:{letter.stream}:{letter.sequence}:{letter.consumer}"
    headers |= dead_letter_headers(letter.code, letter.sentence, letter.attempts, letter.sequence)
    return Outgoing(
        subject=dead_letter_subject(letter.consumer, letter.subject), body=letter.body, headers=headers
    )


class DeadLetterQueue:
    """Publishes dead letters to their stream.

    Args:
        recorder: decides whether a letter is kept, and records it; None to keep all.
    """

    def __init__(self, publisher: Publisher, recorder: DeadLetterRecorder | None = None) -> None:
        self._publisher = publisher
        self._recorder = recorder

    async def publish(self, letter: DeadLetter) -> bool:
        """Store `letter`, unless the recorder rejects it because its subject was forgotten.

        Repeating this stores nothing more, as the stream knows the letter by its origin.

        Returns:
            Whether it was stored; the original may be removed in any case.

        Raises:
            BusError: the stream did not store it; the original must stay.
            Exception: the recorder failed; likewise.
        """
        stored = False

        async def store() -> None:
            nonlocal stored
            await self._publish(letter)
            stored = True

        if self._recorder is None:
            await store()
        else:
            await self._recorder(letter, store)
        return stored

    async def _publish(self, letter: DeadLetter) -> None:
        (problem,) = await self._publisher.publish([to_message(letter)])
        if problem is not None:
            raise problem
