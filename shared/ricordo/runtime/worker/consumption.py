"""The loop of a worker: fetch, handle, send heartbeats, stop. What is next is decided by `LoopState`."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final

import structlog

from ricordo.bus.port import Bus, BusUnavailable, Delivery, Subscription
from ricordo.clock import Clock, wait_for_event
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.decoding import items_of
from ricordo.runtime.gates import Gate, WatchedGate
from ricordo.runtime.health import Health, WorkerState
from ricordo.runtime.tasks import cancel_and_wait, run_until
from ricordo.runtime.tracing import bind_log_context
from ricordo.runtime.worker.breaker import ConsumerBreaker
from ricordo.runtime.worker.state import ConsumptionSettings, InFlightMessage, LoopState, needs_isolation

_log = structlog.stdlib.get_logger(__name__)

_OUTAGE: Final = Backoff(first=0.1, longest=2.0)


class Consumption(ABC):
    """Fetches from a durable consumer and handles batches until it is stopped; a subclass says how.

    While its breaker is open, only probes are fetched and handled.

    Args:
        consumer: also the name of the worker, in logs, health and as the source of its events.
        gates: are open while the dependencies of the handler are up.
        lane: a gate for fetching only.
    """

    def __init__(
        self,
        *,
        consumer: str,
        bus: Bus,
        clock: Clock,
        settings: ConsumptionSettings,
        gates: Sequence[Gate] = (),
        lane: Gate | None = None,
    ) -> None:
        self.name = consumer
        self.health = Health(worker=consumer, clock=clock)
        self._bus = bus
        self._clock = clock
        self._settings = settings
        self._gate = WatchedGate(gates, self.health, lane=lane)
        self._breaker = ConsumerBreaker(consumer, clock, settings.breaker)
        self._stop_requested = asyncio.Event()
        self._state = LoopState(settings, self._breaker)
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self._failures = 0
        self.health.halt_reason = lambda: self._breaker.reason

    @abstractmethod
    async def _work(self, batch: Sequence[InFlightMessage]) -> None:
        """Handle a batch, and settle or retain each of its messages."""

    async def run(self, stopping: asyncio.Event, ready: Callable[[], None]) -> None:
        """Work until `stopping` is set or the task is cancelled; both finish the messages in flight.

        Args:
            ready: called once, when messages are being fetched.
        """
        with bind_log_context(None, worker=self.name):
            subscription = await run_until(stopping, self._subscribe())
            if subscription is None:
                self.health.set_state(WorkerState.STOPPED)
            else:
                await self._consume(subscription, stopping, ready)

    async def _consume(
        self, subscription: Subscription, stopping: asyncio.Event, ready: Callable[[], None]
    ) -> None:
        watch = asyncio.ensure_future(self._stop_with(stopping))
        heartbeats = asyncio.ensure_future(self._keep_alive(subscription))
        loop = asyncio.ensure_future(self._loop(subscription))
        self.health.set_state(WorkerState.READY)
        ready()
        try:
            await asyncio.wait({loop, heartbeats, watch}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.health.set_state(WorkerState.STOPPING)
            self._stop()
            try:
                await self._finish(loop)
            finally:
                await cancel_and_wait(watch, heartbeats, loop, *self._tasks)
                await subscription.close()
                self.health.set_state(WorkerState.STOPPED)
        for task in (loop, heartbeats):
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error

    def _stop(self) -> None:
        self._stop_requested.set()
        self._state.is_stopping = True
        self._changed.set()

    async def _stop_with(self, stopping: asyncio.Event) -> None:
        await stopping.wait()
        self._stop()

    async def _finish(self, loop: asyncio.Future[None]) -> None:
        grace = self._settings.grace + self._settings.fetch_timeout
        if not (await asyncio.wait({loop}, timeout=grace))[0]:
            left = len(self._state.messages)
            _log.warning("stopped with messages in flight; they will be redelivered", left=left)

    async def _subscribe(self) -> Subscription:
        while True:
            try:
                return await self._bus.subscribe(self.name)
            except BusUnavailable as error:
                await self._pause(error)

    async def _loop(self, subscription: Subscription) -> None:
        state = self._state
        while not state.is_over:
            self._changed.clear()
            now = self._clock.monotonic()
            while batch := state.begin_batch(now):
                self._start(self._handle(batch))
            if state.begin_fetch():
                self._start(self._fetch(subscription))
            await wait_for_event(self._changed, state.seconds_to_wait(now), self._clock)
            for task in [one for one in self._tasks if one.done()]:
                self._tasks.discard(task)
                task.result()

    def _start(self, step: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(step)
        self._tasks.add(task)
        task.add_done_callback(lambda _: self._changed.set())

    async def _handle(self, batch: Sequence[InFlightMessage]) -> None:
        try:
            await self._work(batch)
        except Exception:  # noqa: BLE001 - the messages are redelivered
            _log.exception("batch failed and will be redelivered", messages=len(batch))
        finally:
            self.health.in_flight -= self._state.end_batch(batch)

    async def _fetch(self, subscription: Subscription) -> None:
        fetched: Sequence[Delivery] | None = None
        try:
            if not self._gate.is_known_open:
                await run_until(self._stop_requested, self._gate.wait_open())
            fetched = await self._fetch_some(subscription)
        finally:
            self.health.in_flight += len(fetched or ())
            self._state.end_fetch(fetched, subscription.max_deliver, self._clock.monotonic())

    async def _fetch_some(self, subscription: Subscription) -> Sequence[Delivery] | None:
        """Fetch what may be fetched by now; None if nothing may be, or the bus did not answer."""
        limit = self._state.fetch_size()
        if limit == 0:
            return None
        self._state.note_probe()
        try:
            fetched = await self._fetch_isolated_first(subscription, limit)
        except BusUnavailable as error:
            await run_until(self._stop_requested, self._pause(error))
            return None
        if self._failures:
            self._failures = 0
            _log.info("bus is up again")
            self.health.set_state(WorkerState.READY)
        return fetched

    async def _fetch_isolated_first(self, subscription: Subscription, limit: int) -> Sequence[Delivery]:
        """Fetch one message and then the rest, unless the first needs isolation.

        Redeliveries come first, so a message that may have killed workers is alone in flight.
        """
        waiting = subscription.fetch(1, self._settings.fetch_timeout)
        # A stop does not wait: what still comes is returned when the subscription is closed.
        first = await run_until(self._stop_requested, waiting) or ()
        if limit == 1 or not first or needs_isolation(first[0]) or self._breaker.is_open:
            return first
        rest = min(limit, self._settings.buffer // items_of(first[0])) - 1  # the next may be as large
        if rest <= 0:
            return first
        try:
            return [*first, *await subscription.fetch(rest, 0.0)]
        except BusUnavailable:
            return first

    async def _pause(self, error: BusUnavailable) -> None:
        self._failures += 1
        if self._failures == 1:
            _log.warning("bus is down", error=str(error))
        self.health.set_state(WorkerState.DEGRADED, str(error))
        await self._clock.sleep(_OUTAGE.delay(self._failures))

    async def _keep_alive(self, subscription: Subscription) -> None:
        """Send heartbeats for messages that were in flight at the last one; most are settled before."""
        known = set[InFlightMessage]()
        while True:
            await self._clock.sleep(subscription.ack_wait / 3)
            here = set(self._state.messages)
            for message in here & known:
                try:
                    await message.delivery.in_progress()
                except BusUnavailable:
                    break
            known = here
