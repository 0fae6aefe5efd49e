"""Threads that run a model, and how texts are distributed over them."""

import asyncio
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from ricordo.models.encoder import ModelUnavailable

_T = TypeVar("_T")

_BACKGROUND_NICENESS = 10
# Beyond 16 short texts a run gains nothing; 1,024 padded tokens are a tenth of a second or two on one core.
MOST_TEXTS = 16
FEWEST_TEXTS = 4
MOST_TOKENS = 1024


def usable_cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


class Lanes:
    """A thread pool for one purpose.

    Args:
        name: part of the names of the threads.
        background: whether the threads have a low priority (on Linux, where a thread has its own).
    """

    def __init__(self, name: str, count: int, *, background: bool = False) -> None:
        self.count = count
        self._threads = ThreadPoolExecutor(
            count, thread_name_prefix=f"minilm-{name}", initializer=_lower_priority if background else None
        )

    def submit(self, call: Callable[[], _T]) -> Awaitable[_T]:
        """Queue `call`; cancelling the result drops it unless it has begun.

        Raises:
            ModelUnavailable: the lanes are closed.
        """
        try:
            future: Future[_T] = self._threads.submit(call)
        except RuntimeError as error:
            raise ModelUnavailable("MiniLM is closed") from error
        return asyncio.wrap_future(future)

    async def close(self) -> None:
        """Drop calls that have not begun, and wait for the others."""
        await asyncio.to_thread(self._threads.shutdown, wait=True, cancel_futures=True)


def _lower_priority() -> None:
    if sys.platform == "linux":
        thread = threading.get_native_id()
        niceness = max(_BACKGROUND_NICENESS, os.getpriority(os.PRIO_PROCESS, thread))
        # A sandbox may forbid the call; the threads then keep the normal priority.
        with suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, thread, niceness)


def plan_runs(lengths: Sequence[int], lanes: int) -> list[list[int]]:
    """Group texts of similar length, longest first, so that little is computed for padding.

    Args:
        lengths: tokens of each text, at least 1.
        lanes: number of concurrent runs; few texts are split finer, so that each has work.

    Returns:
        Indices into `lengths`, each once; a run has at most `MOST_TEXTS`, and at most `MOST_TOKENS` with
        padding unless it is a single text.
    """
    fair_share = -(-len(lengths) // (2 * lanes))
    most_texts = min(MOST_TEXTS, max(FEWEST_TEXTS, fair_share))
    runs: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if runs and len(runs[-1]) < most_texts:
            width = lengths[runs[-1][0]]
            if width * (len(runs[-1]) + 1) <= MOST_TOKENS:
                runs[-1].append(index)
                continue
        runs.append([index])
    return runs
