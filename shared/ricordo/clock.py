"""Time as a port: whoever needs the present is given a clock, so that tests can move it."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The present, and waiting for it to pass."""

    def now(self) -> datetime:
        """Return the current instant, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never go backwards, for measuring and for deadlines."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait for `seconds` (0 yields once to the event loop)."""
        ...
