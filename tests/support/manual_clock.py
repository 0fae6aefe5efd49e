"""A clock that stands still until it is moved, so that a test of minutes or months runs in milliseconds."""

import asyncio
import heapq
import itertools
import math
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(2026, 2, 1, 12, 0, tzinfo=UTC)
_SETTLING_TURNS = 50


async def settle(turns: int = _SETTLING_TURNS) -> None:
    """Give every ready task `turns` turns of the event loop, so that it reaches its next wait."""
    for _ in range(turns):
        await asyncio.sleep(0)


class ManualClock:
    """A clock moved by hand: whoever sleeps on it wakes when it is advanced past the deadline."""

    def __init__(self, start: datetime = _EPOCH) -> None:
        if start.tzinfo is None:
            raise ValueError("the clock needs an aware instant")
        self._start = start.astimezone(UTC)
        self._elapsed = 0.0
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now(self) -> datetime:
        """Return the instant that the clock shows, aware, in UTC."""
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """Return the seconds that the clock was advanced by since it was made."""
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock was advanced by `seconds` (0 or less yields once to the event loop)."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken = asyncio.get_running_loop().create_future()
        # The shortest sleep moves the clock by the smallest step of a float, or a loop over it would never
        # end.
        deadline = max(self._elapsed + seconds, math.nextafter(self._elapsed, math.inf))
        heapq.heappush(self._sleepers, (deadline, next(self._order), woken))
        await woken

    @property
    def sleeping(self) -> int:
        """How many callers sleep at this moment."""
        return sum(not woken.done() for _, _, woken in self._sleepers)

    async def advance(self, seconds: float) -> None:
        """Move the clock by `seconds`, waking sleepers in order, each at its own deadline, and again."""
        if seconds < 0:
            raise ValueError("a clock does not go backwards")
        target = self._elapsed + seconds
        await settle()
        while self._sleepers and self._sleepers[0][0] <= target:
            deadline, _, woken = heapq.heappop(self._sleepers)
            self._elapsed = max(self._elapsed, deadline)
            if not woken.done():
                woken.set_result(None)
                await settle()
        self._elapsed = target
        await settle()
