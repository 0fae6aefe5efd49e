"""What is given up is kept, its bytes and the reason, before the original is let go."""

from functools import partial
from typing import Final

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
from ricordo.ports.bus import DeadLetter, DeadLetterRecorder, Outgoing, Publisher

_CARRIED: Final = (TRACE_PARENT, CE_SPEC_VERSION, CE_ID, CE_SOURCE, CE_TYPE, CE_TIME, CONTENT_TYPE)


def as_message(letter: DeadLetter) -> Outgoing:
    """Write `letter` on `dlq.<consumer>.<original subject>`: the original bytes, the reason in headers."""
    headers = {name: letter.headers[name] for name in _CARRIED if name in letter.headers}
    headers[MESSAGE_ID] = f"dlq:{letter.stream}:{letter.sequence}:{letter.consumer}"
    headers |= dead_letter_headers(letter.code, letter.sentence, letter.attempts, letter.sequence)
    return Outgoing(
        subject=dead_letter_subject(letter.consumer, letter.subject), body=letter.body, headers=headers
    )


class DeadLetterOffice:
    """Where dead letters go: into the stream, and to whoever records them.

    Args:
        publisher: of the stream.
        recorder: has each letter kept, unless it is of what was forgotten; None when all are kept.
    """

    def __init__(self, publisher: Publisher, recorder: DeadLetterRecorder | None = None) -> None:
        self._publisher = publisher
        self._recorder = recorder

    async def bury(self, letter: DeadLetter) -> None:
        """Keep `letter`. Burying it again adds nothing: the stream knows it by its place of origin.

        Raises:
            BusError: the stream did not take it; the original must not be let go.
            Exception: the recorder failed; neither then.
        """
        keep = partial(self._keep, letter)
        if self._recorder is None:
            await keep()
        else:
            await self._recorder(letter, keep)

    async def _keep(self, letter: DeadLetter) -> None:
        (problem,) = await self._publisher.publish([as_message(letter)])
        if problem is not None:
            raise problem
