"""Gives queries priority over background work: a CPU thread, pauses while a query runs, thread switches.

Queries share the event loop and the interpreter lock with the workers of their process. A query crosses the
loop some forty times, and would queue behind background work each time.
"""

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, Self, TypeVar

_STEP_S: Final = 0.003
_BATCH_S: Final = 0.05
_SWITCH_S: Final = 0.0005


class QueryPriority:
    """Counts the running queries of a process, and pauses other work meanwhile."""

    def __init__(self) -> None:
        self._queries = 0
        self._idle = asyncio.Event()
        self._idle_for_threads = threading.Event()
        self._mark()

    @contextmanager
    def interactive(self) -> Iterator[None]:
        """Mark the context as a running query."""
        self._queries += 1
        self._mark()
        try:
            yield
        finally:
            self._queries -= 1
            self._mark()

    def thread_yielder(self) -> Callable[[], None]:
        """Return a function for a thread to call before each item: it waits while a query runs.

        It waits at most 3 ms per call and 50 ms in all.
        """
        left = _BATCH_S

        def yield_to_queries() -> None:
            nonlocal left
            if left > 0 and not self._idle_for_threads.is_set():
                began = time.monotonic()
                self._idle_for_threads.wait(min(_STEP_S, left))
                left -= time.monotonic() - began

        return yield_to_queries

    async def yield_to_interactive(self) -> None:
        """Wait until no query runs, at most 50 ms."""
        if self._idle.is_set():
            return
        try:
            async with asyncio.timeout(_BATCH_S):
                await self._idle.wait()
        except TimeoutError:
            return

    def _mark(self) -> None:
        for event in (self._idle, self._idle_for_threads):
            if self._queries:
                event.clear()
            else:
                event.set()


@contextmanager
def gil_switch_interval() -> Iterator[None]:
    """Set Python's thread switch interval to 0.5 ms (default 5 ms): busy threads delay the loop less."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


A = TypeVar("A")
B = TypeVar("B")


class CpuExecutor:
    """One thread for CPU-bound work; more would only compete for the interpreter lock with the event loop."""

    def __init__(self, priority: QueryPriority | None = None) -> None:
        self._priority = priority or QueryPriority()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="cpu")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def map(self, work: Callable[[A], B], items: Iterable[A]) -> list[B]:
        """Return `work(item)` for each item, in order. A cancelled call ends after the current item.

        Raises:
            Exception: the first that `work` raised.
        """
        loop = asyncio.get_running_loop()
        abandoned = False

        def run() -> list[B]:
            results: list[B] = []
            yield_to_queries = self._priority.thread_yielder()
            for item in items:
                if abandoned:
                    break
                yield_to_queries()
                results.append(work(item))
            return results

        try:
            return await loop.run_in_executor(self._thread, run)
        finally:
            abandoned = True
