"""Rate limiter for requests to a server."""

from aiolimiter import AsyncLimiter


def evenly_spaced(requests: int, period: float = 1.0) -> AsyncLimiter:
    """Return a limiter that admits one request per `period / requests` seconds, for one event loop.

    Its capacity is one request: with a larger one, a burst and the leak together would admit up to twice
    `requests` in a period.

    Args:
        requests: maximum in any period, at least 1.
        period: seconds, above 0, by the time of the event loop.
    """
    return AsyncLimiter(1, period / requests)
