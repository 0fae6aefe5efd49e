"""What is given up is kept, its bytes and the reason, before the original is let go."""

from typing import Final

from ricordo.bus.port import DeadLetter, DeadLetterRecorder, Outgoing, Publisher
from ricordo.messages.errors import dead_letter_headers
from ricordo.messages.headers import (
    CE_ID,
    CE_SOURCE,
    CE_SPEC_VERSION,
    CE_TIME,
    CE_TYPE,
    CONTENT_TYPE,
    MESSAGE_ID,
    TRACE_PARENT,
)
from ricordo.messages.subjects import dead_letter_subject

_CARRIED: Final = (TRACE_PARENT, CE_SPEC_VERSION, CE_ID, CE_SOURCE, CE_TYPE, CE_TIME, CONTENT_TYPE)


def as_message(letter: DeadLetter) -> Outgoing:
    """Write `letter` on `dlq.<consumer>.<original subject>`: the original bytes, the reason in headers."""
    headers = {name: letter.headers[name] for name in _CARRIED if name in letter.headers}
    headers[MESSAGE_ID] = f"dlq:{letter.stream}:{letter.sequence}:{letter.consumer}"
    headers |= dead_letter_headers(letter.code, letter.sentence, letter.attempts, letter.sequence)
    return Outgoing(
        subject=dead_letter_subject(letter.consumer, letter.subject), body=letter.body, headers=headers
    )


class DeadLetterQueue:
    """Where dead letters go: into the stream, and to whoever records them.

    Args:
        publisher: of the stream.
        recorder: decides whether a letter is kept, has it kept and records it; None where all are kept.
    """

    def __init__(self, publisher: Publisher, recorder: DeadLetterRecorder | None = None) -> None:
        self._publisher = publisher
        self._recorder = recorder

    async def publish(self, letter: DeadLetter) -> bool:
        """Keep `letter`, unless the recorder keeps nothing of it, as it is about what was forgotten.

        Burying it again adds nothing: the stream knows it by its place of origin.

        Returns:
            Whether it was kept; the original may be let go in any case.

        Raises:
            BusError: the stream did not take it; the original must not be let go.
            Exception: the recorder failed; neither then.
        """
        kept = False

        async def keep() -> None:
            nonlocal kept
            await self._publish(letter)
            kept = True

        if self._recorder is None:
            await keep()
        else:
            await self._recorder(letter, keep)
        return kept

    async def _publish(self, letter: DeadLetter) -> None:
        (problem,) = await self._publisher.publish([as_message(letter)])
        if problem is not None:
            raise problem
