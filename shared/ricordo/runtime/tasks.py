"""Runs, cancels and shares asyncio tasks."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import structlog

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


def being_cancelled() -> bool:
    """Return whether the current task is being cancelled, even if a callee raised another error for it."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


_log = structlog.stdlib.get_logger(__name__)

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


class WaitTimeout(Exception):
    """The task runs longer than the caller may wait, and goes on."""


class TaskStopped(Exception):
    """The process ends before the task does; what it has written stays."""


class SingleFlight(Generic[Key, Result]):
    """Runs at most one task per key; callers share it. Cancels the running tasks on exit.

    Args:
        failure: logged when a task fails, whether or not a caller waits.
    """

    def __init__(self, failure: str) -> None:
        self._failure = failure
        self._running: dict[Key, asyncio.Task[Result]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await cancel_and_wait(*self._running.values())

    async def wait(
        self, key: Key, begin: Callable[[], Coroutine[Any, Any, Result]], *, until: float | None = None
    ) -> Result:
        """Wait for the task of `key`, started unless it runs. Cancelling a caller does not cancel it.

        Args:
            until: deadline by the time of the event loop; None to wait for the end.

        Raises:
            WaitTimeout: the deadline has passed.
            TaskStopped: the process ends.
            Exception: raised by the task.
        """
        task = self._running.get(key) or self._begin(key, begin)
        left = None if until is None else max(0.0, until - asyncio.get_running_loop().time())
        await asyncio.wait({task}, timeout=left)
        if not task.done():
            raise WaitTimeout
        if task.cancelled():
            raise TaskStopped
        return task.result()

    def _begin(self, key: Key, begin: Callable[[], Coroutine[Any, Any, Result]]) -> asyncio.Task[Result]:
        task = self._running[key] = asyncio.get_running_loop().create_task(begin())
        task.add_done_callback(lambda ended: self._end(key, ended))
        return task

    def _end(self, key: Key, task: asyncio.Task[Result]) -> None:
        del self._running[key]
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.warning(self._failure, of=repr(key), exc_info=error)


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
