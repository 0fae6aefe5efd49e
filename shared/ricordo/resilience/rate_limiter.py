"""How many requests a server is asked for."""

from typing import Protocol

from aiolimiter import AsyncLimiter


class RateLimiter(Protocol):
    """What limits the rate of requests."""

    async def acquire(self) -> None:
        """Wait until one more request may be made."""
        ...


class Unlimited:
    """A bucket that is never empty: for a model in the same process, which the cores limit."""

    async def acquire(self) -> None:
        """Return at once."""


def evenly_spaced(requests: int, period: float = 1.0) -> AsyncLimiter:
    """Return a bucket for one event loop that lets one request through each `period / requests` seconds.

    It holds a single request: a full bucket and what leaks from it meanwhile would let through up to twice as
    many requests in a period as there may be.

    Args:
        requests: in any period, wherever it begins, at least 1.
        period: seconds, above 0, by the time of the event loop.
    """
    return AsyncLimiter(1, period / requests)
