"""Cancels and awaits tasks."""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")


async def run_until(halted: asyncio.Event, work: Coroutine[object, object, T]) -> T | None:
    """Await `work`, but cancel it as soon as `halted` is set.

    Returns:
        The result of `work`, or None when it was cancelled.
    """
    task = asyncio.ensure_future(work)
    halting = asyncio.ensure_future(halted.wait())
    try:
        await asyncio.wait({task, halting}, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        await cancel_and_wait(halting)
        await cancel_and_wait(task)


async def cancel_and_wait(*tasks: asyncio.Future[T]) -> None:
    """Cancel the running `tasks`, and wait until all have ended; their errors are dropped."""
    for task in tasks:
        task.cancel()
    pending = [task for task in tasks if not task.done()]
    if pending:
        await asyncio.wait(pending)


def being_cancelled() -> bool:
    """Whether the running task is being cancelled, even if a callee raised another error for it."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
