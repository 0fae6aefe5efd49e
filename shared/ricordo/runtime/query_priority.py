"""Whoever waits for an answer goes first: what nobody waits for steps aside for a moment, and never for ever.

The loop, and Python's lock behind it, are shared by the questions of a process and all that its workers do.
A question changes hands some forty times until it is answered, and would queue behind that work each time.
"""

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

_STEP_S: Final = 0.003
_BATCH_S: Final = 0.05
_TURN_S: Final = 0.0005


class QueryPriority:
    """What the questions and the other work of one process know of each other."""

    def __init__(self) -> None:
        self._questions = 0
        self._nobody = asyncio.Event()
        self._nobody_for_threads = threading.Event()
        self._mark()

    @contextmanager
    def interactive(self) -> Iterator[None]:
        """Go first until the end of the context: somebody waits for it."""
        self._questions += 1
        self._mark()
        try:
            yield
        finally:
            self._questions -= 1
            self._mark()

    def thread_yielder(self) -> Callable[[], None]:
        """Return what a thread calls before each item of a batch, to let who goes first have Python's lock.

        It waits for three milliseconds at a time, and a twentieth of a second in all.
        """
        left = _BATCH_S

        def step_aside() -> None:
            nonlocal left
            if left > 0 and not self._nobody_for_threads.is_set():
                began = time.monotonic()
                self._nobody_for_threads.wait(min(_STEP_S, left))
                left -= time.monotonic() - began

        return step_aside

    async def yield_to_interactive(self) -> None:
        """Let who goes first have the loop, for a twentieth of a second at most."""
        if self._nobody.is_set():
            return
        try:
            async with asyncio.timeout(_BATCH_S):
                await self._nobody.wait()
        except TimeoutError:
            return

    def _mark(self) -> None:
        for event in (self._nobody, self._nobody_for_threads):
            if self._questions:
                event.clear()
            else:
                event.set()


@contextmanager
def gil_switch_interval() -> Iterator[None]:
    """Have threads hand on Python's lock after half a millisecond in place of five.

    Who computes on a thread would keep the loop waiting that long each time that the loop has slept.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(_TURN_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
