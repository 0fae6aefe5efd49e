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
        ttl: seconds for which an answer is good.
        timeout: seconds for which a new one is waited for: a server that takes longer cannot be asked now.
    """

    def __init__(
        self,
        name: str,
        ask: Callable[[], Awaitable[object]],
        clock: Clock,
        *,
        ttl: float,
        timeout: float = 0.25,
    ) -> None:
        self._name = name
        self._ask = ask
        self._clock = clock
        self._ttl = ttl
        self._timeout = timeout
        self._up, self._asked, self._defect = True, float("-inf"), ""
        self._probing: asyncio.Task[None] | None = None

    async def is_available(self) -> bool:
        """Return whether it answers; of one that was away, whether it did when it was last asked."""
        now = self._clock.monotonic()
        if now - self._asked > self._ttl and (self._probing is None or self._probing.done()):
            self._asked = now
            self._probing = asyncio.create_task(self._probe())
        if self._up and self._probing is not None:
            await self._wait_for(self._probing, self._asked + self._timeout - now)
            if not self._probing.done():
                return False
        return self._up

    async def close(self) -> None:
        """Ask no more."""
        if self._probing is not None:
            self._probing.cancel()
            await asyncio.wait([self._probing])

    async def _wait_for(self, probing: asyncio.Task[None], seconds: float) -> None:
        if probing.done() or seconds <= 0:
            return
        passing = asyncio.create_task(self._clock.sleep(seconds))
        try:
            await asyncio.wait((probing, passing), return_when=asyncio.FIRST_COMPLETED)
        finally:
            passing.cancel()

    async def _probe(self) -> None:
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
