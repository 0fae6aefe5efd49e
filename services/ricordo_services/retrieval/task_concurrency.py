"""What is done at the same time fails as if it were done alone."""

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


@contextmanager
def ungrouped() -> Iterator[None]:
    """Raise what failed first in a task group as what it is, and not as a group.

    Whoever asked tells a store that is away from a defect by the exception, and knows nothing of tasks.

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
    """Do several things at the same time, and return what comes of them, in their order.

    Raises:
        Exception: what failed first; the others are given up.
    """
    if len(work) == 1:
        return [await work[0]]
    with ungrouped():
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one) for one in work]
    return [task.result() for task in tasks]
