"""Backpressure: the backlog of workers, the bulk lane, and waiting for room."""

import asyncio
from dataclasses import dataclass
from typing import Final

from ricordo.bus.nats.nats_bus import NatsBus
from ricordo.clock import Clock
from ricordo.runtime.gates import Gate
from ricordo.runtime.worker.event_worker import EventWorker

_AHEAD: Final = 32  # events, of up to 64 points, that may have yet to follow before the index gets more to do
_LOOK_EVERY_S: Final = 0.2
_STUCK_AFTER_S: Final = 60.0
_LIVE_BATCHES: Final = 9  # batches of the live lane for one of the bulk lane
_LANE_PAUSE_S: Final = 0.02  # in a longer one the workers would run out of work


class IndexStuck(Exception):
    """The points do not follow: whoever writes them is not at work."""


@dataclass(frozen=True, slots=True)
class Backlog:
    """How much some durable consumers have before them."""

    bus: NatsBus
    consumers: tuple[str, ...]

    async def waiting(self) -> int:
        """Return the events that are not settled yet, over all of the consumers.

        Raises:
            BusUnavailable: the bus does not answer.
        """
        return sum(await asyncio.gather(*map(self.bus.waiting, self.consumers)))


class BulkLane(Gate):
    """A gate for the bulk lane of a worker, whose live lane goes first.

    It is open while this process has no live event in hand, and for one batch in ten otherwise. Whatever else
    waits in the stream would be in hand: the live lane is always fetched.

    Args:
        live: the worker of the live lane, in the same process.
    """

    def __init__(self, live: EventWorker, clock: Clock) -> None:
        self._live = live
        self._clock = clock
        self._last = 0

    @property
    def reason(self) -> str:
        """What goes first."""
        return "" if self._is_open else f"{self._live.health.in_flight} live events go first"

    @property
    def is_throttled(self) -> bool:
        """Whether live events go first."""
        return not self._is_open

    @property
    def is_known_open(self) -> bool:
        """Whether nothing goes first; a turn is taken by `wait_open` alone, which counts it."""
        return not self._live.health.in_flight

    async def wait_open(self) -> None:
        """Return once a batch of the bulk lane may be fetched."""
        while not self._is_open:
            await self._clock.sleep(_LANE_PAUSE_S)
        self._last = self._live.measures.calls

    @property
    def _is_open(self) -> bool:
        # What a halted worker has in hand waits for probes, and is no work.
        is_turn = self._live.measures.calls - self._last >= _LIVE_BATCHES
        return self.is_known_open or is_turn or bool(self._live.health.halt_reason())


async def wait_for_room(index: Backlog, clock: Clock) -> None:
    """Wait until the index has little before it: what is said meanwhile waits behind it.

    Raises:
        IndexStuck: the points did not follow for a minute.
    """
    least, since = await index.waiting(), clock.monotonic()
    waiting = least
    while waiting > _AHEAD:
        if clock.monotonic() - since > _STUCK_AFTER_S:
            raise IndexStuck(f"{waiting} events have yet to be indexed, and none has been for a minute")
        await clock.sleep(_LOOK_EVERY_S)
        waiting = await index.waiting()
        if waiting < least:
            least, since = waiting, clock.monotonic()
