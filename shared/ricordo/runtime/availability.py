"""Caches whether a server answers, for callers that can do without it."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from ricordo.clock import Clock, wait_for_event
from ricordo.unavailable import DependencyUnavailable

_log = structlog.stdlib.get_logger(__name__)


class Availability:
    """Whether a server answers, by a probe that callers share.

    Args:
        probe: returns when the server answers; raises `DependencyUnavailable` while it does not.
        ttl: seconds for which a result is valid.
        timeout: seconds to wait for a new result; a slower server counts as down.
    """

    def __init__(
        self,
        name: str,
        probe: Callable[[], Awaitable[object]],
        clock: Clock,
        *,
        ttl: float,
        timeout: float = 0.25,
    ) -> None:
        self._name = name
        self._probe = probe
        self._clock = clock
        self._ttl = ttl
        self._timeout = timeout
        self._up, self._probed_at, self._defect = True, float("-inf"), ""
        self._probing: asyncio.Task[None] | None = None

    async def is_available(self) -> bool:
        """Return whether the server answers; for one that was down, the result of the last probe."""
        now = self._clock.monotonic()
        if now - self._probed_at > self._ttl and (self._probing is None or self._probing.done()):
            self._probed_at = now
            self._probing = asyncio.create_task(self._run_probe())
        if self._up and self._probing is not None:
            await self._wait_for(self._probing, self._probed_at + self._timeout - now)
            if not self._probing.done():
                return False
        return self._up

    async def close(self) -> None:
        """Cancel a running probe."""
        if self._probing is not None:
            self._probing.cancel()
            await asyncio.wait([self._probing])

    async def _wait_for(self, probing: asyncio.Task[None], seconds: float) -> None:
        ended = asyncio.Event()
        probing.add_done_callback(lambda _: ended.set())
        if not probing.done():
            await wait_for_event(ended, seconds, self._clock)

    async def _run_probe(self) -> None:
        try:
            await self._probe()
        except DependencyUnavailable:
            self._up = False
        except Exception as error:  # noqa: BLE001 - nobody awaits this task
            self._up = False
            if repr(error) != self._defect:  # logged once, although the probe repeats
                self._defect = repr(error)
                _log.exception("server cannot be probed", server=self._name)
        else:
            self._up, self._defect = True, ""
