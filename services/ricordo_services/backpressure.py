"""Backpressure: the backlog of workers, the bulk lane, and waiting for room."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ricordo.bus.nats.nats_bus import NatsBus
from ricordo.bus.port import ConsumerLag
from ricordo.clock import Clock
from ricordo.runtime.gates import Gate
from ricordo.unavailable import DependencyUnavailable

_AHEAD: Final = 512  # points that may have yet to follow before there is more work for the index
_LOOK_EVERY_S: Final = 0.2
_STUCK_AFTER_S: Final = 60.0
_MOST_WAITING: Final = 500
_LIVE_BATCHES: Final = 9  # batches of the live lane for one of the bulk lane
_LANE_PAUSE_S: Final = 0.05  # in a longer one the workers would run out of work
_EMPTY_LANE_PAUSE_S: Final = 0.25  # while nothing waits in the bulk lane


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
        return sum(one.waiting for one in await self.lags())

    async def lags(self) -> list[ConsumerLag]:
        """Return how far each of the consumers is.

        Raises:
            BusUnavailable: the bus does not answer.
        """
        return await asyncio.gather(*(self.bus.lag(consumer) for consumer in self.consumers))


class BulkLane(Gate):
    """A gate for the bulk lane of a worker, whose live lane goes first.

    It is open while no live event waits to be delivered, and for one batch in ten otherwise; and only while
    neither the workers behind nor ingest, where others' messages may wait, have much to do.

    Args:
        live: the durable consumer of the live lane; that of the bulk lane has `-bulk` behind its name.
        live_batches: returns the number of batches of the live lane that this process has handled.
        first: other durable consumers that go first while many events wait for them.
    """

    def __init__(
        self,
        bus: NatsBus,
        clock: Clock,
        *,
        live: str,
        live_batches: Callable[[], int],
        first: Sequence[str] = (),
    ) -> None:
        self._backlog = Backlog(bus, (f"{live}-bulk", live, *first))
        self._live_batches = live_batches
        self._clock = clock
        self._last = 0
        self._pause = _LANE_PAUSE_S
        self._reason = ""
        self._is_throttled = False

    @property
    def reason(self) -> str:
        """What goes first, or why it could not be counted."""
        return self._reason

    @property
    def is_throttled(self) -> bool:
        """Whether other work goes first; False if it could not be counted."""
        return self._is_throttled

    async def wait_open(self) -> None:
        """Return once a batch of the bulk lane may be fetched."""
        while not await self._is_open():
            await self._clock.sleep(self._pause)
        self._last = self._live_batches()

    async def _is_open(self) -> bool:
        try:
            lags = await self._backlog.lags()
        except DependencyUnavailable as error:
            self._is_throttled = False
            self._reason = f"the backlog of other work cannot be counted ({error})"
            return False
        bulk, live, others = lags[0].pending, lags[1].pending, sum(lag.pending for lag in lags[2:])
        self._pause = _LANE_PAUSE_S if bulk else _EMPTY_LANE_PAUSE_S
        if others > _MOST_WAITING:
            self._reason = f"{others} events of other workers go first"
        elif live and self._live_batches() - self._last < _LIVE_BATCHES:
            self._reason = f"{live} live events go first"
        else:
            self._reason = ""
        self._is_throttled = bool(self._reason)
        return not self._reason


async def wait_for_room(index: Backlog, clock: Clock) -> None:
    """Wait until the index has little before it: what is said meanwhile waits behind it.

    Raises:
        IndexStuck: the points did not follow for a minute.
    """
    least, since = await index.waiting(), clock.monotonic()
    waiting = least
    while waiting > _AHEAD:
        if clock.monotonic() - since > _STUCK_AFTER_S:
            raise IndexStuck(f"{waiting} points have yet to follow, and none has for a minute")
        await clock.sleep(_LOOK_EVERY_S)
        waiting = await index.waiting()
        if waiting < least:
            least, since = waiting, clock.monotonic()
