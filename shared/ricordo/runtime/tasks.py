"""Runs and cancels asyncio tasks."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


async def run_until(stop: asyncio.Event, work: Coroutine[object, object, T]) -> T | None:
    """Await `work`, but cancel it as soon as `stop` is set.

    Returns:
        The result of `work`, or None if it was cancelled.
    """
    task = asyncio.ensure_future(work)
    stopping = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({task, stopping}, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        await cancel_and_wait(stopping)
        await cancel_and_wait(task)


async def cancel_and_wait(*tasks: asyncio.Future[T]) -> None:
    """Cancel `tasks` and wait until all have ended; their errors are dropped."""
    for task in tasks:
        task.cancel()
    pending = [task for task in tasks if not task.done()]
    if pending:
        await asyncio.wait(pending)


@asynccontextmanager
async def in_background(work: Coroutine[object, object, object]) -> AsyncIterator[None]:
    """Run `work` beside the context, and cancel it at its end."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        await cancel_and_wait(task)


def being_cancelled() -> bool:
    """Return whether the current task is being cancelled, even if a callee raised another error for it."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


@contextmanager
def unwrap_exception_group() -> Iterator[None]:
    """Raise the first exception of an exception group instead of the group.

    Callers distinguish an unavailable store from a defect by the type of the exception.

    Raises:
        Exception: the first of the group.
    """
    try:
        yield
    except ExceptionGroup as group:
        first: Exception = group
        while isinstance(first, ExceptionGroup):
            first = first.exceptions[0]
        raise first from first.__cause__


async def together(work: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Run coroutines concurrently, and return their results in order.

    Raises:
        Exception: of the first that failed; the others are cancelled.
    """
    if len(work) == 1:
        return [await work[0]]
    with unwrap_exception_group():
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one) for one in work]
    return [task.result() for task in tasks]
