"""Runs CPU-bound work in a thread, so that it does not block queries and heartbeats on the event loop."""

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self, TypeVar

from ricordo.runtime.query_priority import QueryPriority

A = TypeVar("A")
B = TypeVar("B")


class CpuExecutor:
    """One thread for CPU-bound work; more would only contend for the interpreter lock with the event loop.

    Args:
        precedence: pauses this work while queries run.
    """

    def __init__(self, precedence: QueryPriority | None = None) -> None:
        self._precedence = precedence or QueryPriority()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="cpu")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def map(self, work: Callable[[A], B], items: Iterable[A]) -> list[B]:
        """Return `work(item)` for each item, in order. A cancelled call ends after the current item.

        Raises:
            Exception: the first that `work` raised.
        """
        loop = asyncio.get_running_loop()
        abandoned = False

        def run() -> list[B]:
            made: list[B] = []
            yield_to_queries = self._precedence.thread_yielder()
            for item in items:
                if abandoned:
                    break
                yield_to_queries()
                made.append(work(item))
            return made

        try:
            return await loop.run_in_executor(self._thread, run)
        finally:
            abandoned = True
