"""Jobs that run again and again: at the start, then at every interval."""

import asyncio
import random
from collections.abc import Awaitable, Callable

import structlog

from ricordo.clock import Clock
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.health import Health, WorkerState
from ricordo.runtime.tasks import being_cancelled, run_until
from ricordo.runtime.tracing import TraceContext, bind_log_context

_log = structlog.stdlib.get_logger(__name__)


class Periodic:
    """Runs one job by the clock.

    Args:
        name: of the job, in logs and health.
        job: what is run; whatever it raises is logged, and it is run again, sooner or later.
        interval: seconds from the end of a run to the next, > 0.
        clock: measures them, so that a simulated year may pass in a second.
        jitter: share in [0, 1] of the interval by which a pause is shortened at most: replicas spread.
        at_start: whether the first run comes at once or after an interval.
        backoff: pauses after failing runs; by default the interval at most, or a second.
        woken: ends a pause, where something else than the clock tells that there is work; the job clears it.
        rng: where jitter comes from: a number in [0, 1).
    """

    def __init__(
        self,
        *,
        name: str,
        job: Callable[[], Awaitable[object]],
        interval: float,
        clock: Clock,
        jitter: float = 0.1,
        at_start: bool = True,
        backoff: Backoff | None = None,
        woken: asyncio.Event | None = None,
        rng: Callable[[], float] = random.random,
    ) -> None:
        if interval <= 0 or not 0 <= jitter <= 1:
            raise ValueError(f"no sensible interval: {interval} seconds, jitter {jitter}")
        self.name = name
        self.health = Health(worker=name, clock=clock)
        self._job = job
        self._interval = interval
        self._clock = clock
        self._jitter = jitter
        self._at_start = at_start
        self._backoff = backoff or Backoff(first=min(1.0, interval), longest=max(1.0, interval))
        self._woken = woken
        self._rng = rng
        self._failures = 0

    async def run(self, stopping: asyncio.Event, ready: Callable[[], None]) -> None:
        """Run the job until `stopping` is set or the task is cancelled, either of which cancels a run midway.

        Args:
            stopping: set by whoever wants this to end.
            ready: called once, before the first run.
        """
        self.health.set_state(WorkerState.READY)
        ready()
        try:
            await run_until(stopping, self._run_for_ever())
        finally:
            self.health.set_state(WorkerState.STOPPING)
            self.health.set_state(WorkerState.STOPPED)

    async def _run_for_ever(self) -> None:
        if not self._at_start:
            await self._clock.sleep(self._pause())
        while True:
            await self._run_once()
            if being_cancelled():  # a driver told the job of a session that was cut, instead
                return
            await self._rest()

    async def _rest(self) -> None:
        pause = self._clock.sleep(self._pause())
        if self._woken is None or self._failures:  # who failed a moment ago is in no hurry
            await pause
        else:
            await run_until(self._woken, pause)

    async def _run_once(self) -> None:
        with bind_log_context(TraceContext.begin(), worker=self.name):
            self.health.in_flight = 1
            try:
                await self._job()
            except Exception as error:  # noqa: BLE001 - the next run may fare better
                self._failures += 1
                self.health.failed += 1
                self.health.set_state(WorkerState.DEGRADED, f"{type(error).__name__} in its last run")
                _log.warning("periodic job failed", failures=self._failures, exc_info=self._failures == 1)
            else:
                self._failures = 0
                self.health.set_state(WorkerState.READY)
                self.health.succeeded()
            finally:
                self.health.in_flight = 0

    def _pause(self) -> float:
        if self._failures:
            return self._backoff.delay(self._failures)
        return self._interval * (1 - self._jitter * self._rng())
