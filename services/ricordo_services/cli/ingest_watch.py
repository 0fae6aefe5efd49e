"""What becomes of published messages before they are memories: taken in by ingest, or given up.

The state of an id cannot tell it: of two messages under one id, the first stays remembered and the second is
refused. The stream's numbers can: a dead letter carries the one that the publisher was given with the ack.
"""

import asyncio
from bisect import bisect_left
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import nats.errors
import nats.js.errors
from nats.js import JetStreamContext

from ricordo.client import Timeout, Unavailable
from ricordo.messages.subjects import DEAD_LETTER_PREFIX, PREFIX, STREAM_IN
from ricordo_services.cli.client_calls import SECONDS, ServerTarget
from ricordo_services.cli.dead_letter_commands import Letters, stream_errors

_FIRST_PAUSE_S: Final = 0.02
_LONGEST_PAUSE_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class IngestWatch:
    """Looks after messages that are published from now on; made by `open_ingest_watch`."""

    _stream: JetStreamContext
    _letters: Letters
    _tenant: str
    _since: int

    async def refusals(
        self, sequences: Collection[int], patience: float, *, repeated: bool = False
    ) -> dict[int, str]:
        """Wait until ingest is done with messages, and return why it gave up which.

        Args:
            patience: seconds without any progress after which it is given up.
            repeated: whether any was published a short time before, and may have been given up by then.

        Raises:
            Timeout: ingest does not get on, or it cannot be seen whether it does.
            Unavailable: the dead letters cannot be read now.
        """
        await self._taken_out(sorted(sequences), patience)
        subject = f"{DEAD_LETTER_PREFIX}.*.{PREFIX}.{self._tenant}.message.*"
        wanted = set(sequences)
        return {
            letter.origin: f"{letter.code}: {letter.reason}"
            async for letter in self._letters.after(0 if repeated else self._since, subject)
            if letter.origin in wanted
        }

    async def _taken_out(self, waiting: list[int], patience: float) -> None:
        """Wait until none of `waiting`, ascending, is in the stream, which keeps what nobody is done with."""
        clock = asyncio.get_running_loop()
        pause, deadline = _FIRST_PAUSE_S, clock.time() + patience
        done, trouble = 0, ""
        while done < len(waiting):
            before = done
            try:
                done += await self._gone(waiting[done:])
                trouble = ""
            except (Timeout, Unavailable) as error:  # JetStream may come back: what it holds is safe
                trouble = f" ({error.message})"
            if done > before:
                pause, deadline = _FIRST_PAUSE_S, clock.time() + patience
            elif clock.time() > deadline:
                left = len(waiting) - done
                raise Timeout(
                    f"{left} of {len(waiting)} messages were not taken in for {patience:g} s{trouble}; they "
                    "are safe and wait: do the workers run? `ricordo doctor` tells"
                )
            else:
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_S)

    async def _gone(self, waiting: Sequence[int]) -> int:
        """Return how many of `waiting`, ascending, come before the first that the stream still holds."""
        try:
            with stream_errors(STREAM_IN):
                held = await self._stream.get_msg(STREAM_IN, waiting[0], subject=">", next=True)
        except nats.js.errors.NotFoundError:
            return len(waiting)
        return bisect_left(waiting, held.seq or 0)


@asynccontextmanager
async def open_ingest_watch(target: ServerTarget) -> AsyncIterator[IngestWatch | None]:
    """Look at the streams for the length of an `async with`; None where the credentials do not allow it.

    Raises:
        RicordoError: NATS does not answer.
    """
    async with target.connection() as connection:
        stream = connection.client.jetstream(timeout=SECONDS)
        letters = Letters(stream)
        try:
            since = await letters.last()
        except (nats.errors.Error, nats.js.errors.Error, TimeoutError):
            yield None
        else:
            yield IngestWatch(stream, letters, target.tenant, since)
