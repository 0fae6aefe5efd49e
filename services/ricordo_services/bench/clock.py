"""The time of day and of this process, for what is measured outside of the workers."""

import asyncio
import time
from datetime import UTC, datetime


class Present:
    """The clock of this machine."""

    def now(self) -> datetime:
        """Return the present, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds that only grow."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait that long."""
        await asyncio.sleep(seconds)
