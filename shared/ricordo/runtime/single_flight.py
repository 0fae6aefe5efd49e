"""Runs at most one task per key; callers share it, and it goes on when a caller stops waiting."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import structlog

from ricordo.runtime.cancellation import cancel_and_wait

_log = structlog.stdlib.get_logger(__name__)

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


class WaitTimeout(Exception):
    """The task takes longer than the caller may wait, and goes on."""


class Stopped(Exception):
    """The process ends before the task does; what it has written stays."""


class SingleFlight(Generic[Key, Result]):
    """Running tasks by key; an async context manager that cancels the rest at its end."""

    def __init__(self, failing: str) -> None:
        """Log `failing` when a task fails, whether or not a caller waits."""
        self._failing = failing
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
        """Wait for the task of `key`, started unless it runs. Cancelling a caller does not cancel the task.

        Args:
            key: of the task.
            begin: returns the coroutine to run.
            until: when to stop waiting, by the time of the event loop; None to wait for the end.

        Raises:
            StillGoing: it takes longer.
            Stopped: the process ends.
            Exception: whatever the work raised.
        """
        task = self._running.get(key) or self._begin(key, begin)
        left = None if until is None else max(0.0, until - asyncio.get_running_loop().time())
        await asyncio.wait({task}, timeout=left)
        if not task.done():
            raise WaitTimeout
        if task.cancelled():
            raise Stopped
        return task.result()

    def _begin(self, key: Key, begin: Callable[[], Coroutine[Any, Any, Result]]) -> asyncio.Task[Result]:
        task = self._running[key] = asyncio.get_running_loop().create_task(begin())
        task.add_done_callback(lambda ended: self._end(key, ended))
        return task

    def _end(self, key: Key, task: asyncio.Task[Result]) -> None:
        del self._running[key]
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.warning(self._failing, of=repr(key), exc_info=error)
