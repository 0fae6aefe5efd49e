"""What becomes of published messages before they are memories: taken in by ingest, or given up.

The state of an id cannot tell it: of two messages under one id, the first stays remembered and the second is
refused. The stream's numbers can: a dead letter carries the one that the publisher was given with the ack.
"""

import asyncio
import math
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final, Self

import nats.errors
import nats.js.errors
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg

from ricordo.client import Timeout, Unavailable
from ricordo.messages.errors import DEAD_LETTER_SEQUENCE, dead_letter_reason
from ricordo.messages.subjects import DEAD_LETTER_PREFIX, PREFIX, STREAM_DEAD_LETTERS, STREAM_IN
from ricordo.runtime.tasks import being_cancelled

_FIRST_PAUSE_S: Final = 0.02
_LONGEST_PAUSE_S: Final = 0.5


@dataclass(slots=True)
class IngestWatch:
    """Looks after messages that are published from now on; made by `open`."""

    _streams: JetStreamContext
    _tenant: str
    _since: int
    _refused: dict[int, str] = field(default_factory=dict)

    @classmethod
    async def open(cls, streams: JetStreamContext, tenant: str) -> Self | None:
        """Return a watch; None where the credentials do not allow it, or JetStream does not answer."""
        try:
            state = (await streams.stream_info(STREAM_DEAD_LETTERS)).state
        except (nats.errors.Error, nats.js.errors.Error, TimeoutError):
            return None
        return cls(streams, tenant, state.last_seq)

    @property
    def _messages(self) -> str:
        """The subjects of the tenant's messages: those of other tenants hold nothing up."""
        return f"{PREFIX}.{self._tenant}.message.*"

    async def refusals(
        self, sequences: Collection[int], patience: float, *, repeated: bool = False, until: float = math.inf
    ) -> dict[int, str]:
        """Wait until ingest is done with messages, and return why it gave up which.

        Asked again, it has to be about messages that were published later, or about the same after an error.

        Args:
            patience: seconds without any progress after which it is given up.
            repeated: whether any was published a short time before, and may have been given up by then.
            until: deadline by the time of the event loop, whatever progress there is. What was read of the
                dead letters by then is not read again.

        Raises:
            Timeout: ingest does not get on, or it cannot be seen whether it does; or the deadline has passed.
            Unavailable: the dead letters cannot be read now.
        """
        await self._taken_out(sorted(sequences), patience, until)
        self._since = 0 if repeated else self._since
        await self._read_letters(until)
        found = {number: self._refused[number] for number in sequences if number in self._refused}
        last = max(sequences, default=0)
        self._refused = {number: reason for number, reason in self._refused.items() if number > last}
        return found

    async def _read_letters(self, until: float) -> None:
        """Note what was given up since the last time, of whoever published it."""
        subject = f"{DEAD_LETTER_PREFIX}.*.{self._messages}"
        with suppress(nats.js.errors.NotFoundError):
            while True:
                letter = await self._first(STREAM_DEAD_LETTERS, self._since + 1, subject, until)
                headers = letter.headers or {}
                if (origin := headers.get(DEAD_LETTER_SEQUENCE, "")).isdigit():
                    self._refused[int(origin)] = ": ".join(dead_letter_reason(headers))
                self._since = letter.seq or self._since + 1

    async def _taken_out(self, waiting: list[int], patience: float, until: float) -> None:
        """Wait until none of `waiting`, ascending, is in the stream, which keeps what nobody is done with."""
        clock = asyncio.get_running_loop()
        pause, deadline = _FIRST_PAUSE_S, clock.time() + patience
        left, trouble = len(waiting), ""
        while left:
            before = left
            try:
                left -= await self._gone(waiting[-left:], until)
                trouble = ""
            except (Timeout, Unavailable) as error:  # JetStream may come back: what it holds is safe
                trouble = f" ({error.message})"
            now = clock.time()
            if left < before:
                pause, deadline = _FIRST_PAUSE_S, now + patience
            if left and now >= min(deadline, until):
                raise Timeout(
                    f"{left} of {len(waiting)} messages were not taken in for {patience:g} s{trouble}; they "
                    "are safe and wait: do the workers run? `ricordo doctor` tells"
                )
            if left:
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_S)

    async def _gone(self, waiting: Sequence[int], until: float) -> int:
        """Return how many of `waiting`, ascending, come before the first that the stream still holds."""
        try:
            held = await self._first(STREAM_IN, waiting[0], self._messages, until)
        except nats.js.errors.NotFoundError:
            return len(waiting)
        return bisect_left(waiting, held.seq or 0)

    async def _first(self, stream: str, sequence: int, subject: str, until: float) -> RawStreamMsg:
        """Return the first message of a subject that has `sequence` or a later one.

        Raises:
            NotFoundError: there is none.
            Timeout: it was not told in time.
            Unavailable: JetStream does not answer.
        """
        with stream_errors(stream):
            async with asyncio.timeout_at(until):
                found = await self._streams.get_msg(stream, sequence, subject=subject, next=True)
                if being_cancelled():  # `wait_for` of Python 3.11 drops it if the reply comes at that moment
                    raise asyncio.CancelledError
                return found


@contextmanager
def stream_errors(stream: str) -> Iterator[None]:
    """Translate errors of reading a stream to `RicordoError`.

    Raises:
        NotFoundError: there is no such message, which is an answer too.
        Timeout: JetStream is slow, or the credentials do not allow to ask it.
        Unavailable: it does not answer.
    """
    try:
        yield
    except nats.js.errors.NotFoundError:
        raise
    except TimeoutError:
        raise Timeout(f"JetStream did not tell what {stream} holds in time") from None
    except (nats.errors.Error, OSError) as error:
        raise Unavailable(f"{stream} cannot be read: {str(error) or type(error).__name__}") from None
