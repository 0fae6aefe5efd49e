"""Runs jobs periodically: at the start, then after every interval."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from ricordo.clock import Clock
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.health import Health, WorkerState
from ricordo.runtime.tasks import being_cancelled, run_until
from ricordo.runtime.tracing import TraceContext, bind_log_context

_log = structlog.stdlib.get_logger(__name__)

_JITTER: Final = 0.1
"""The share by which an interval is shortened at most, so that replicas spread."""


class Periodic:
    """Runs one job periodically.

    Args:
        name: of the job, in logs and health.
        job: the job; an error is logged, and it runs again after the backoff.
        interval: seconds from the end of a run to the next, > 0.
        backoff: pauses after failed runs; by default up to the interval, at least a second.
        woken: ends a pause early, when there is work; cleared by the job.
    """

    def __init__(
        self,
        name: str,
        job: Callable[[], Awaitable[object]],
        interval: float,
        clock: Clock,
        *,
        backoff: Backoff | None = None,
        woken: asyncio.Event | None = None,
    ) -> None:
        self.name = name
        self.health = Health(worker=name, clock=clock)
        self._job = job
        self._interval = interval
        self._clock = clock
        self._backoff = backoff or Backoff(first=min(1.0, interval), longest=max(1.0, interval))
        self._woken = woken or asyncio.Event()
        self._failures = 0

    async def run(self, stopping: asyncio.Event, ready: Callable[[], None]) -> None:
        """Run the job until `stopping` is set or the task is cancelled; both cancel a running job."""
        self.health.set_state(WorkerState.READY)
        ready()
        try:
            await run_until(stopping, self._run_for_ever())
        finally:
            self.health.set_state(WorkerState.STOPPING)
            self.health.set_state(WorkerState.STOPPED)

    async def _run_for_ever(self) -> None:
        while True:
            await self._run_once()
            if being_cancelled():  # a driver may have raised another error for the cancellation
                return
            await self._rest()

    async def _rest(self) -> None:
        if self._failures:  # a failed job keeps its backoff, also when it is woken
            await self._clock.sleep(self._backoff.delay(self._failures))
        else:
            pause = self._interval * (1 - _JITTER * random.random())
            await run_until(self._woken, self._clock.sleep(pause))

    async def _run_once(self) -> None:
        with bind_log_context(TraceContext.begin(), worker=self.name):
            self.health.in_flight = 1
            try:
                await self._job()
            except Exception as error:  # noqa: BLE001 - the next run may succeed
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
