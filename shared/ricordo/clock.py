"""The clock as a port, so that tests can move time; and the machine's own."""

import asyncio
import math
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """The present time, and waiting."""

    def now(self) -> datetime:
        """Return the current instant, aware, in UTC."""

    def monotonic(self) -> float:
        """Return seconds that never go backwards, for measuring and for deadlines."""

    async def sleep(self, seconds: float) -> None:
        """Wait for `seconds` (0 yields once to the event loop)."""


async def wait_for_event(event: asyncio.Event, seconds: float, clock: Clock) -> bool:
    """Wait until `event` is set or `seconds` have passed on `clock`; `math.inf` waits for the event alone.

    Returns:
        Whether the event is set.
    """
    if event.is_set() or seconds <= 0:
        return event.is_set()
    waits: list[asyncio.Task[object]] = [asyncio.create_task(event.wait())]
    if seconds < math.inf:
        waits.append(asyncio.create_task(clock.sleep(seconds)))
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
    return event.is_set()


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
