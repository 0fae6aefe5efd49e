"""How many requests a server is asked for."""

import asyncio
from collections import deque
from typing import Protocol

from ricordo.ports.clock import Clock


class Bucket(Protocol):
    """What limits the rate of requests."""

    async def take(self) -> None:
        """Wait until one more request may be made."""
        ...


class TokenBucket:
    """Holds a few tokens, one for each request; a token is back one period after it was taken.

    So a burst may use all tokens at once, and no period, wherever it begins, sees more requests than there
    are tokens. Whoever comes first is served first.

    Args:
        clock: tells when a period has passed.
        tokens: requests in a period, at least 1.
        period: seconds, above 0.

    Raises:
        ValueError: there are no tokens, or the period is not positive.
    """

    def __init__(self, clock: Clock, tokens: int, period: float = 1.0) -> None:
        if tokens < 1 or period <= 0:
            raise ValueError(f"{tokens} requests in {period} s let nothing through")
        self._clock = clock
        self._period = period
        self._tokens = tokens
        self._taken: deque[float] = deque()
        self._turn = asyncio.Lock()

    async def take(self) -> None:
        """Wait for a token and take it; cancelled while it waits, it takes none."""
        async with self._turn:
            while len(self._taken) == self._tokens:
                await self._wait_for_the_oldest()
            self._taken.append(self._clock.monotonic())

    async def _wait_for_the_oldest(self) -> None:
        back = self._taken[0] + self._period
        if (rest := back - self._clock.monotonic()) > 0:
            await self._clock.sleep(rest)
        if self._clock.monotonic() >= back:
            self._taken.popleft()


class Unlimited:
    """A bucket that is never empty: for a model in the same process, which the cores limit."""

    async def take(self) -> None:
        """Return at once."""
