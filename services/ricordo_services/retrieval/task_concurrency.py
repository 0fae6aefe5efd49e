"""Runs coroutines concurrently, and raises the exception of the first that fails without its group."""

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


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
