"""The circuit breaker: after some failures in a row nobody calls for a while, then one call finds out.

The pattern is Michael Nygard's (Release It!, 2007). Time comes from the clock port, so that an outage of
minutes is tested in milliseconds and a step of the wall clock opens and closes nothing.
"""

import asyncio
import math
from collections.abc import Callable
from enum import StrEnum
from types import TracebackType
from typing import Self

from ricordo.ports.clock import Clock
from ricordo.runtime.resilience.waiting import happens_within


class BreakerState(StrEnum):
    """Closed: calls pass. Open: none does. Half-open: one does, the probe, and its outcome decides."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class CircuitBreaker:
    """Counts failures in a row, and decides who may call.

    A call that was admitted before the last change of state no longer counts: neither the stragglers of an
    outage nor a late success can open or close anything. A cancelled call says nothing about the server.

    Args:
        clock: tells how long the breaker has been open.
        failures: so many in a row open it.
        open_seconds: so long it stays open before a probe may go.
        counted: the exceptions that mean failure; others pass as if the call had been cancelled.
    """

    def __init__(
        self,
        clock: Clock,
        failures: int = 3,
        open_seconds: float = 15.0,
        counted: type[Exception] | tuple[type[Exception], ...] = Exception,
    ) -> None:
        self.counted = counted
        self._clock = clock
        self._threshold = failures
        self._open_seconds = open_seconds
        self._failures = 0
        self._opened_at: float | None = None
        self._down_since: float | None = None
        self._probe: Admission | None = None
        self._epoch = 0
        self._changed = asyncio.Event()

    @property
    def state(self) -> BreakerState:
        """The state at this moment; an open breaker is half-open as soon as its time is over."""
        if self._opened_at is None:
            return BreakerState.CLOSED
        return BreakerState.OPEN if self._rest() > 0 else BreakerState.HALF_OPEN

    @property
    def down_for(self) -> float:
        """Seconds since it opened without having closed again; 0 when closed."""
        return 0.0 if self._down_since is None else self._clock.monotonic() - self._down_since

    @property
    def admits(self) -> bool:
        """Whether `admit` would let a call through now."""
        return self.state is not BreakerState.OPEN and self._probe is None

    def admit(self) -> "Admission | None":
        """Return leave for one call, or None: `with admission: await call()` reports how it ended."""
        if not self.admits:
            return None
        admission = Admission(self, self._epoch, is_probe=self.state is BreakerState.HALF_OPEN)
        if admission.is_probe:
            self._probe = admission
        return admission

    async def wait_admitting(self, at_most: float = math.inf) -> bool:
        """Wait until a call would be admitted, as the probe if need be, or `at_most` seconds have passed.

        Returns:
            Whether a call would be admitted now.
        """
        return await self._wait(lambda: self.admits, at_most)

    async def wait_closed(self) -> None:
        """Wait until it is closed."""
        await self._wait(lambda: self.state is BreakerState.CLOSED)

    async def wait_probing(self) -> None:
        """Wait until a call would be admitted as the probe."""
        await self._wait(lambda: self.admits and self.state is BreakerState.HALF_OPEN)

    async def _wait(self, reached: Callable[[], bool], at_most: float = math.inf) -> bool:
        deadline = self._clock.monotonic() + at_most
        while not reached() and (left := deadline - self._clock.monotonic()) > 0:
            rest = self._rest()
            await happens_within(self._changed, min(left, rest if rest > 0 else math.inf), self._clock)
        return reached()

    def settle(self, admission: "Admission", *, failed: bool | None) -> None:
        """Take note of how an admitted call ended; `failed` is None when that tells nothing."""
        was_probe = self._probe is admission
        if was_probe:
            self._probe = None
        if failed is None or admission.epoch != self._epoch:
            self._announce()
        elif failed:
            self._failures += 1
            if was_probe or self._failures >= self._threshold:
                self._open()
        else:
            self._failures = 0
            if was_probe:
                self._close()

    def _open(self) -> None:
        self._opened_at = self._clock.monotonic()
        if self._down_since is None:
            self._down_since = self._opened_at
        self._enter()

    def _close(self) -> None:
        self._opened_at = self._down_since = None
        self._enter()

    def _enter(self) -> None:
        self._failures = 0
        self._epoch += 1
        self._announce()

    def _announce(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _rest(self) -> float:
        """Seconds until a probe may go; 0 or less when it may, or when the breaker is closed."""
        if self._opened_at is None:
            return 0.0
        return self._opened_at + self._open_seconds - self._clock.monotonic()


class Admission:
    """Leave for one call. As a context manager it reports the outcome by itself.

    Attributes:
        epoch: how often the breaker had changed its state when the leave was given.
        is_probe: the call is the one that a half-open breaker lets through.
    """

    def __init__(self, breaker: CircuitBreaker, epoch: int, *, is_probe: bool) -> None:
        self.epoch = epoch
        self.is_probe = is_probe
        self._breaker = breaker

    def succeeded(self) -> None:
        """The server answered."""
        self._breaker.settle(self, failed=False)

    def failed(self) -> None:
        """The server did not answer, or answered nonsense."""
        self._breaker.settle(self, failed=True)

    def withdrawn(self) -> None:
        """The call was not made or was cancelled; a probe's place is free again."""
        self._breaker.settle(self, failed=None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if error is None:
            self.succeeded()
        elif isinstance(error, self._breaker.counted):
            self.failed()
        else:
            self.withdrawn()
