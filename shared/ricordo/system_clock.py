"""The machine's own clock."""

import asyncio
import time
from datetime import UTC, datetime


class SystemClock:
    """Wall time in UTC, the monotonic counter of the machine, and the event loop's sleep."""

    def now(self) -> datetime:
        """Return the current instant, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds that never go backwards."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for `seconds` (0 or less yields once to the event loop)."""
        await asyncio.sleep(seconds)
