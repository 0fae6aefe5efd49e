"""Waiting for something to happen, but not longer than a clock allows."""

import asyncio
import math

from ricordo.clock import Clock


async def happens_within(event: asyncio.Event, seconds: float, clock: Clock) -> bool:
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
