"""Backpressure: how much workers have before them, and waiting until they have little."""

import asyncio
import math
from collections import deque
from dataclasses import dataclass, field
from typing import Final, Protocol

from ricordo.bus.port import ConsumerLag
from ricordo.clock import Clock

_AHEAD: Final = 512  # points that may have yet to follow before there is more work for the index
_LOOK_EVERY_S: Final = 0.2
_STUCK_AFTER_S: Final = 60.0
_WINDOW_S: Final = 3.0  # over which a pace is measured: some batches of a slow model
_SHORTEST_S: Final = 0.5
_APART_S: Final = 0.1
_FRESH_S: Final = 0.05
_BUSY: Final = 8  # waiting at every look: with fewer, what was done is what there was to do


class IndexStuck(Exception):
    """The points do not follow: whoever writes them is not at work."""


class Consumers(Protocol):
    """What knows how far durable consumers are."""

    async def lag(self, consumer: str) -> ConsumerLag:
        """Return how much the consumer has before it, and how much it has done."""
        ...


class Backlog(Protocol):
    """How much workers still have before them."""

    async def waiting(self) -> int:
        """Return how many events are not settled yet."""
        ...


@dataclass(frozen=True, slots=True)
class StreamBacklog:
    """How much some durable consumers have before them."""

    bus: Consumers
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


@dataclass(slots=True)
class Pace:
    """How much may wait for workers so that what comes then waits for so many seconds only.

    What is before the workers, divided by what they do in a second, is how long it takes to come through
    (Little's law). So the limit follows the machine, the model and whatever else goes on.

    Attributes:
        delay: seconds, > 0.
    """

    backlog: StreamBacklog
    clock: Clock
    delay: float
    most: int
    least: int = 16
    dispensable: frozenset[str] = frozenset()
    _looks: deque[tuple[float, list[ConsumerLag]]] = field(default_factory=deque)
    _found: tuple[int, int] | None = None
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def waiting(self) -> int:
        """Look how far the workers are, and return the events that wait longest: those before the slowest.

        They work side by side, so what comes now is through when the slowest is. A look that found too
        much is good for a moment, for all who wait.

        Raises:
            BusUnavailable: the bus does not answer.
        """
        async with self._turn:
            closed = self._found is not None and self._found[0] >= self._found[1]
            if self._found and closed and self.clock.monotonic() - self._looks[-1][0] < _FRESH_S:
                return self._found[0]
            lags, now = await self.backlog.lags(), self.clock.monotonic()
            self._keep(now, lags)
            self._found = self._slowest()
            return self._found[0]

    def limit(self) -> int:
        """Return how many events may wait before the slowest, as of the last look."""
        return min(self.least, self.most) if self._found is None else self._found[1]

    def _slowest(self) -> tuple[int, int]:
        """Return how many events are before the slowest consumer, and how many may be.

        The slowest takes longest for what it has before it, of those that had work at every look; where
        none had, it is the one with the most before it.
        """
        (began, first), (ended, last) = self._looks[0], self._looks[-1]
        seconds = ended - began
        every: list[tuple[bool, float, int, int]] = []
        for place, consumer in enumerate(self.backlog.consumers):
            waiting, done = last[place].waiting, last[place].settled - first[place].settled
            if consumer in self.dispensable and done <= 0:
                continue
            busy = all(look[place].waiting >= _BUSY for _, look in self._looks)
            takes = (waiting / done if done > 0 else math.inf) if busy else 0.0
            every.append((busy, takes, waiting, done))
        if not every:
            return 0, min(self.least, self.most)
        _, _, waiting, done = max(every)
        room = round(self.delay * done / seconds) if seconds >= _SHORTEST_S else 0
        return waiting, min(max(room, self.least), self.most)

    def _keep(self, now: float, lags: list[ConsumerLag]) -> None:
        if self._looks and now - self._looks[-1][0] > _WINDOW_S:
            self._looks.clear()  # nobody has looked for a while: it was another time
        if len(self._looks) > 1 and now - self._looks[-2][0] < _APART_S:
            self._looks.pop()
        self._looks.append((now, lags))
        while len(self._looks) > 1 and now - self._looks[1][0] >= _WINDOW_S:
            self._looks.popleft()


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
