"""Whether a server answers, for those who go on without it and hardly wait."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from ricordo.clock import Clock
from ricordo.unavailable import Unavailable

_log = structlog.stdlib.get_logger(__name__)


class Availability:
    """Knows whether a server answers: asked a little while ago, or just now, for whoever wants to know.

    Args:
        name: of the server, for the log.
        ask: returns when it answers; raises `Unavailable` while it does not.
        clock: measures.
        patience: seconds for which an answer is good.
        within: seconds for which a new one is waited for: a server that takes longer cannot be asked now.
    """

    def __init__(
        self,
        name: str,
        ask: Callable[[], Awaitable[object]],
        clock: Clock,
        *,
        patience: float,
        within: float = 0.25,
    ) -> None:
        self._name = name
        self._ask = ask
        self._clock = clock
        self._patience = patience
        self._within = within
        self._up, self._asked, self._defect = True, float("-inf"), ""
        self._asking: asyncio.Task[None] | None = None

    async def answers(self) -> bool:
        """Return whether it answers; of one that was away, whether it did when it was last asked."""
        now = self._clock.monotonic()
        if now - self._asked > self._patience and (self._asking is None or self._asking.done()):
            self._asked = now
            self._asking = asyncio.create_task(self._ask_quietly())
        if self._up and self._asking is not None:
            await self._wait_for(self._asking, self._asked + self._within - now)
            if not self._asking.done():
                return False
        return self._up

    async def close(self) -> None:
        """Ask no more."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait([self._asking])

    async def _wait_for(self, asking: asyncio.Task[None], seconds: float) -> None:
        if asking.done() or seconds <= 0:
            return
        passing = asyncio.create_task(self._clock.sleep(seconds))
        try:
            await asyncio.wait((asking, passing), return_when=asyncio.FIRST_COMPLETED)
        finally:
            passing.cancel()

    async def _ask_quietly(self) -> None:
        try:
            await self._ask()
        except Unavailable:
            self._up = False
        except Exception as error:  # noqa: BLE001 - nobody awaits this; what cannot be asked is away
            self._up = False
            if repr(error) != self._defect:  # it is asked again and again, and told once
                self._defect = repr(error)
                _log.exception("server cannot be asked", server=self._name)
        else:
            self._up, self._defect = True, ""
