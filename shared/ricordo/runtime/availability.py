"""Whether a server answers, for those who go on without it and wait for nobody."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from ricordo.ports.clock import Clock
from ricordo.ports.unavailable import Unavailable

_log = structlog.stdlib.get_logger(__name__)


class Availability:
    """Knows whether a server answered when it was last asked, and asks it beside whoever wants to know.

    Args:
        name: of the server, for the log.
        ask: returns when it answers; raises `Unavailable` while it does not.
        clock: measures.
        patience: seconds for which an answer is good.
    """

    def __init__(
        self, name: str, ask: Callable[[], Awaitable[object]], clock: Clock, *, patience: float
    ) -> None:
        self._name = name
        self._ask = ask
        self._clock = clock
        self._patience = patience
        self._up, self._asked, self._defect = True, float("-inf"), ""
        self._asking: asyncio.Task[None] | None = None

    async def answers(self) -> bool:
        """Return whether it answered when it was last asked; True before that."""
        now = self._clock.monotonic()
        if now - self._asked > self._patience and (self._asking is None or self._asking.done()):
            self._asked = now
            self._asking = asyncio.create_task(self._ask_quietly())
        return self._up

    async def close(self) -> None:
        """Ask no more."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait([self._asking])

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
