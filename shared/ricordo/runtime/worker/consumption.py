"""The loop of a worker: fetch, handle, send heartbeats, stop. What is next is decided by `LoopState`."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

import structlog

from ricordo.bus.port import Bus, BusUnavailable, Delivery, Subscription
from ricordo.clock import Clock, wait_for_event
from ricordo.runtime.decoding import items_of
from ricordo.runtime.gates import Gate, WatchedGate
from ricordo.runtime.health import Health, WorkerState
from ricordo.runtime.tasks import cancel_and_wait, run_until
from ricordo.runtime.worker.breaker import ConsumerBreaker
from ricordo.runtime.worker.state import InFlightMessage, LoopSettings, LoopState, needs_isolation

_log = structlog.stdlib.get_logger(__name__)

Work = Callable[[Sequence[InFlightMessage]], Awaitable[None]]


class Consumption:
    """Fetches from a durable consumer and passes batches on until it is stopped.

    Args:
        breaker: while it is open, only probes are fetched and handled.
    """

    def __init__(
        self,
        *,
        consumer: str,
        subscriptions: Bus,
        health: Health,
        clock: Clock,
        settings: LoopSettings,
        gates: Sequence[Gate] = (),
        lane: Gate | None = None,
        breaker: ConsumerBreaker | None = None,
    ) -> None:
        self._consumer = consumer
        self._subscriptions = subscriptions
        self._health = health
        self._clock = clock
        self._settings = settings
        self.gate = WatchedGate(gates, health, lane=lane)
        self.breaker = breaker or ConsumerBreaker(consumer, clock)
        self.stop_requested = asyncio.Event()
        self._state = LoopState(settings, self.breaker)
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self._failures = 0
        health.halt_reason = lambda: self.breaker.reason

    async def run(
        self, work: Callable[[Subscription], Work], stopping: asyncio.Event, ready: Callable[[], None]
    ) -> None:
        """Consume until `stopping` is set or the task is cancelled; both end in the same order of steps.

        Args:
            work: returns the function that handles a batch, given the subscription.
            ready: called once, when messages are being fetched.
        """
        subscription = await run_until(stopping, self._subscribe())
        if subscription is None:
            self._health.set_state(WorkerState.STOPPED)
            return
        watch = asyncio.ensure_future(self._stop_with(stopping))
        heartbeats = asyncio.ensure_future(self._keep_alive(subscription))
        loop = asyncio.ensure_future(self._loop(subscription, work(subscription)))
        self._health.set_state(WorkerState.READY)
        ready()
        try:
            await asyncio.wait({loop, heartbeats, watch}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._health.set_state(WorkerState.STOPPING)
            self._stop()
            try:
                await self._finish(loop)
            finally:
                await cancel_and_wait(watch, heartbeats, loop, *self._tasks)
                await subscription.close()
                self._health.set_state(WorkerState.STOPPED)
        for task in (loop, heartbeats):
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error

    def _stop(self) -> None:
        self.stop_requested.set()
        self._state.is_stopping = True
        self._changed.set()

    async def _stop_with(self, stopping: asyncio.Event) -> None:
        await stopping.wait()
        self._stop()

    async def _finish(self, loop: asyncio.Future[None]) -> None:
        grace = self._settings.grace + self._settings.fetch_timeout
        if not (await asyncio.wait({loop}, timeout=grace))[0]:
            left = len(self._state.messages)
            _log.warning(
                "stopped with messages in flight; they will be redelivered", worker=self._consumer, left=left
            )

    async def _subscribe(self) -> Subscription:
        while True:
            try:
                return await self._subscriptions.subscribe(self._consumer)
            except BusUnavailable as error:
                await self._pause(error)

    async def _loop(self, subscription: Subscription, work: Work) -> None:
        state = self._state
        while not state.is_over:
            self._changed.clear()
            now = self._clock.monotonic()
            while batch := state.begin_batch(now):
                self._start(self._handle(batch, work))
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

    async def _handle(self, batch: Sequence[InFlightMessage], work: Work) -> None:
        try:
            await work(batch)
        except Exception:  # noqa: BLE001 - the messages are redelivered
            _log.exception("batch failed and will be redelivered", worker=self._consumer, messages=len(batch))
        finally:
            self._health.in_flight -= self._state.end_batch(batch)

    async def _fetch(self, subscription: Subscription) -> None:
        fetched: Sequence[Delivery] | None = None
        try:
            if not self.gate.is_known_open:
                await run_until(self.stop_requested, self.gate.wait_open())
            fetched = await self._fetch_some(subscription)
        finally:
            self._health.in_flight += len(fetched or ())
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
            await run_until(self.stop_requested, self._pause(error))
            return None
        if self._failures:
            self._failures = 0
            _log.info("bus is up again", worker=self._consumer)
            self._health.set_state(WorkerState.READY)
        return fetched

    async def _fetch_isolated_first(self, subscription: Subscription, limit: int) -> Sequence[Delivery]:
        """Fetch one message and then the rest, unless the first needs isolation.

        Redeliveries come first, so a message that may have killed workers is alone in flight.
        """
        waiting = subscription.fetch(1, self._settings.fetch_timeout)
        # A stop does not wait: what still comes is returned when the subscription is closed.
        first = await run_until(self.stop_requested, waiting) or ()
        if limit == 1 or not first or needs_isolation(first[0]) or self.breaker.is_open:
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
            _log.warning("bus is down", worker=self._consumer, error=str(error))
        self._health.set_state(WorkerState.DEGRADED, str(error))
        await self._clock.sleep(self._settings.outage.delay(self._failures))

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
