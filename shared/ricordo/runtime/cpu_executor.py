"""Work that computes, beside the event loop: a long text must not keep queries and heartbeats waiting."""

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self, TypeVar

from ricordo.runtime.query_priority import QueryPriority

A = TypeVar("A")
B = TypeVar("B")


class CpuExecutor:
    """One thread of a process, for what reads texts.

    Only one: Python lets one thread compute at a time, and each more of them that wants to would be one more
    that the event loop has to wait for. What runs here must not rely on the loop, and must end.

    Args:
        precedence: what others have over this work.
    """

    def __init__(self, precedence: QueryPriority | None = None) -> None:
        self._precedence = precedence or QueryPriority()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="beside")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def each(self, work: Callable[[A], B], items: Iterable[A]) -> list[B]:
        """Return what `work` makes of each of `items`, in their order.

        A call that is cancelled makes no more than the item in hand.

        Raises:
            Exception: the first that `work` raised.
        """
        loop = asyncio.get_running_loop()
        abandoned = False

        def all_of_them() -> list[B]:
            made: list[B] = []
            step_aside = self._precedence.thread_yielder()
            for item in items:
                if abandoned:
                    break
                step_aside()
                made.append(work(item))
            return made

        try:
            return await loop.run_in_executor(self._thread, all_of_them)
        finally:
            abandoned = True
