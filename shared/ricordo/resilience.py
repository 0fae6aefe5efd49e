"""Circuit breaker and rate limiter for calls to servers."""

import asyncio
import math
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from types import TracebackType
from typing import Self

import pybreaker
from aiolimiter import AsyncLimiter

from ricordo.clock import Clock, wait_for_event


class BreakerState(StrEnum):
    """Closed: calls pass. Open: none does. Half-open: one does, the probe, and its outcome decides."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class CircuitBreaker:
    """Counts failures in a row, and admits calls.

    A call that was admitted before the last change of state does not count: late results of an outage neither
    open nor close the breaker. A cancelled call does not count either.

    Args:
        failures: number of failures in a row that open it.
        open_seconds: seconds until a probe is admitted.
        counted: exceptions that are failures; others count like a cancellation.
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
        self._storage = _ClockedStorage(clock)
        self._breaker = pybreaker.CircuitBreaker(
            failures, open_seconds, state_storage=self._storage, throw_new_error_on_trip=False
        )
        self._down_since: float | None = None
        self._probe: Admission | None = None
        self._epoch = 0
        self._changed = asyncio.Event()

    @property
    def state(self) -> BreakerState:
        """The state at this moment; an open breaker is half-open as soon as its time is over."""
        if self._is_closed:
            return BreakerState.CLOSED
        return BreakerState.OPEN if self._remaining() > 0 else BreakerState.HALF_OPEN

    @property
    def down_for(self) -> float:
        """Seconds since it opened without having closed again; 0 when closed."""
        return 0.0 if self._down_since is None else self._clock.monotonic() - self._down_since

    @property
    def admits(self) -> bool:
        """Whether `admit` would let a call through now."""
        return self.state is not BreakerState.OPEN and self._probe is None

    def admit(self) -> "Admission | None":
        """Return an admission for one call, or None; `with admission: await call()` reports the outcome."""
        if not self.admits:
            return None
        admission = Admission(self, self._epoch, is_probe=self.state is BreakerState.HALF_OPEN)
        if admission.is_probe:
            self._probe = admission
        return admission

    async def wait_admitting(self, at_most: float = math.inf) -> bool:
        """Wait until a call would be admitted or `at_most` seconds have passed.

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
            remaining = self._remaining()
            await wait_for_event(
                self._changed, min(left, remaining if remaining > 0 else math.inf), self._clock
            )
        return reached()

    def settle(self, admission: "Admission", *, failed: bool | None) -> None:
        """Record the outcome of an admitted call; `failed` is None if it does not count."""
        was_probe = self._probe is admission
        if was_probe:
            self._probe = None
        if failed is not None and admission.epoch == self._epoch:
            self._record(failed=failed)
            if was_probe or not self._is_closed:
                self._enter()
        self._changed.set()
        self._changed = asyncio.Event()

    def _record(self, *, failed: bool) -> None:
        """Report the outcome to the state machine, which passes through half-open by itself."""

        def outcome() -> None:
            if failed:
                raise _Failed

        # pybreaker reads the wall clock twice, and rejects a probe's outcome if it was set back in between.
        with suppress(_Failed, pybreaker.CircuitBreakerError):
            self._breaker.call(outcome)

    def _enter(self) -> None:
        self._epoch += 1
        if self._is_closed:
            self._down_since = None
        elif self._down_since is None:
            self._down_since = self._clock.monotonic()

    @property
    def _is_closed(self) -> bool:
        return self._breaker.current_state == pybreaker.STATE_CLOSED

    def _remaining(self) -> float:
        """Seconds until a probe may go; 0 or less when it may, or when the breaker is closed."""
        return 0.0 if self._is_closed else self._breaker.reset_timeout - self._storage.open_for


class _ClockedStorage(pybreaker.CircuitMemoryStorage):
    """Measures by the clock port how long the breaker has been open."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(pybreaker.STATE_CLOSED)
        self._clock = clock
        self._since = clock.monotonic()

    @property
    def open_for(self) -> float:
        """Seconds since it last opened."""
        return self._clock.monotonic() - self._since

    @property
    def opened_at(self) -> datetime | None:
        """The present time of the wall clock minus the seconds that it has been open."""
        return datetime.now(UTC) - timedelta(seconds=self.open_for)

    @opened_at.setter
    def opened_at(self, _: datetime) -> None:
        self._since = self._clock.monotonic()


class _Failed(Exception):
    """Represents a failure to the state machine."""


class Admission:
    """Permission for one call. As a context manager it reports the outcome by itself.

    Attributes:
        epoch: number of state changes of the breaker when it was given.
        is_probe: the call is the one that a half-open breaker admits.
    """

    def __init__(self, breaker: CircuitBreaker, epoch: int, *, is_probe: bool) -> None:
        self.epoch = epoch
        self.is_probe = is_probe
        self._breaker = breaker

    def withdrawn(self) -> None:
        """Report that the call was not made or was cancelled; a probe may be admitted again."""
        self._breaker.settle(self, failed=None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        counts = error is None or isinstance(error, self._breaker.counted)
        self._breaker.settle(self, failed=error is not None if counts else None)


def evenly_spaced(requests: int, period: float = 1.0) -> AsyncLimiter:
    """Return a limiter that admits one request per `period / requests` seconds, for one event loop.

    Its capacity is one request: with a larger one, a burst and the leak together would admit up to twice
    `requests` in a period.

    Args:
        requests: maximum in any period, at least 1.
        period: seconds, above 0, by the time of the event loop.
    """
    return AsyncLimiter(1, period / requests)
