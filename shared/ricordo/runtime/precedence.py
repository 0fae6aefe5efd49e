"""Whoever waits for an answer goes first: what nobody waits for steps aside for a moment, and never for ever.

The loop, and Python's lock behind it, are shared by the questions of a process and all that its workers do.
A question changes hands some forty times until it is answered, and would queue behind that work each time.
"""

import asyncio
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from ricordo.runtime.handling import Envelope, Handler, Outcome

_STEP_S: Final = 0.003
_BATCH_S: Final = 0.05
_TURN_S: Final = 0.0005


class Precedence:
    """What the questions and the other work of one process know of each other."""

    def __init__(self) -> None:
        self._questions = 0
        self._nobody = asyncio.Event()
        self._nobody_for_threads = threading.Event()
        self._mark()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Go first until the end of the context: somebody waits for it."""
        self._questions += 1
        self._mark()
        try:
            yield
        finally:
            self._questions -= 1
            self._mark()

    def step_aside(self) -> None:
        """Let who goes first have Python's lock, for three milliseconds at most; called on a thread."""
        self._nobody_for_threads.wait(_STEP_S)

    async def given(self) -> None:
        """Let who goes first have the loop, for a twentieth of a second at most."""
        if self._nobody.is_set():
            return
        try:
            async with asyncio.timeout(_BATCH_S):
                await self._nobody.wait()
        except TimeoutError:
            return

    def before(self, handler: Handler[Any]) -> Handler[Any]:
        """Return `handler`, which gives precedence before each batch."""

        async def following(tenant: str, events: Sequence[Envelope[Any]], /) -> Sequence[Outcome]:
            await self.given()
            return await handler(tenant, events)

        return following

    def _mark(self) -> None:
        for event in (self._nobody, self._nobody_for_threads):
            if self._questions:
                event.clear()
            else:
                event.set()


@contextmanager
def quick_turns() -> Iterator[None]:
    """Have threads hand on Python's lock after half a millisecond in place of five.

    Who computes on a thread would keep the loop waiting that long each time that the loop has slept.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(_TURN_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
