"""Waiting for what another process or another task brings about."""

import asyncio
from collections.abc import Awaitable, Callable


async def eventually(holds: Callable[[], Awaitable[bool] | bool], within: float = 10.0) -> None:
    """Return as soon as `holds` says so.

    Args:
        holds: asked again and again; may be a coroutine function.
        within: seconds after which this is given up.

    Raises:
        AssertionError: it never did.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + within
    while True:
        answer = holds()
        if answer if isinstance(answer, bool) else await answer:
            return
        if loop.time() > deadline:
            raise AssertionError(f"it did not come to pass within {within:g} seconds")
        await asyncio.sleep(0.02)
