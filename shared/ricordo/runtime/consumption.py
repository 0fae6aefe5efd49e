"""The loop of a worker: reserve slots, fetch, handle, send heartbeats, stop."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import structlog

from ricordo.bus.port import BusUnavailable, Delivery, Subscription, Subscriptions
from ricordo.clock import Clock
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.consumer_breaker import ConsumerBreaker
from ricordo.runtime.gates import Gate
from ricordo.runtime.health import Health, WorkerState
from ricordo.runtime.in_flight import InFlightBuffer, InFlightMessage, needs_isolation
from ricordo.runtime.tasks import cancel_and_wait, run_until

_log = structlog.stdlib.get_logger(__name__)

Work = Callable[[Sequence[InFlightMessage]], Awaitable[None]]

_GATE_IS_CLOSED_AFTER = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopSettings:
    """How a worker consumes.

    Attributes:
        batch: maximum number of messages per batch, 1 to 200.
        concurrency: number of batches handled at once, from 1.
        slots: maximum number of in-flight messages, those fetched ahead included; 0 for one batch more than
            are handled at once.
        linger: seconds to wait for a batch to fill up after its first message.
        fetch_timeout: seconds that an empty fetch waits; a stop waits for it.
        grace: seconds that a stop leaves to in-flight messages; then they are redelivered.
        outage: pauses between retries while the bus is down.
    """

    batch: int = 32
    concurrency: int = 1
    slots: int = 0
    linger: float = 0.0
    fetch_timeout: float = 1.0
    grace: float = 4.0
    outage: Backoff = field(default_factory=lambda: Backoff(first=0.1, longest=2.0))

    def __post_init__(self) -> None:
        if not 1 <= self.batch <= 200:
            raise ValueError(f"a batch has 1 to 200 messages, not {self.batch}")
        if self.concurrency < 1 or self.slots < 0:
            raise ValueError("concurrency must be at least 1 and slots at least 0")

    @property
    def buffer(self) -> int:
        """Maximum number of in-flight messages."""
        return self.slots or self.batch * (self.concurrency + 1)


class WatchedGate:
    """A gate whose waits are shown in a worker's health and, if long, in its log.

    Args:
        log_after: seconds after which a wait is logged; shorter ones only at debug level.
    """

    def __init__(self, gate: Gate, health: Health, log_after: float = 30.0) -> None:
        self._gate = gate
        self._health = health
        self._told_after = log_after
        self._logged = False
        health.gate_reason = lambda: gate.reason
        health.is_throttled = lambda: gate.is_throttled

    def invalidate(self) -> None:
        """Invalidate the gate, as a call has just failed."""
        self._gate.invalidate()

    async def wait_open(self) -> bool:
        """Wait until the gate is open.

        Returns:
            Whether it was closed, that is, whether the wait was noticeable.
        """
        waiting = asyncio.ensure_future(self._gate.wait_open())
        try:
            done, _ = await asyncio.wait({waiting}, timeout=_GATE_IS_CLOSED_AFTER)
            if done:
                waiting.result()
                return False
            self._show(is_open=False)
            done, _ = await asyncio.wait({waiting}, timeout=self._told_after)
            if not done:
                self._log_closed()
            await waiting
            self._show(is_open=True)
            return True
        finally:
            await cancel_and_wait(waiting)

    def _log_closed(self) -> None:
        if self._logged:
            return
        self._logged = True
        worker, why = self._health.worker, self._gate.reason or "slow to answer"
        if self._gate.is_throttled:
            _log.info("fetching is paused for work with priority", worker=worker, reason=why)
        else:
            _log.warning("fetching is paused: gate closed", worker=worker, reason=why)

    def _show(self, *, is_open: bool) -> None:
        worker = self._health.worker
        if is_open and self._logged:
            self._logged = False
            _log.info("fetching is resumed: gate open", worker=worker)
        elif self._health.gate_open is not is_open:
            _log.debug("gate opened" if is_open else "gate closed", worker=worker, reason=self._gate.reason)
        self._health.gate_open = is_open
        self._health.set_state(
            WorkerState.READY if is_open else WorkerState.DEGRADED,
            "" if is_open else "waiting for its gate to open",
        )


class Consumption:
    """Fetches from a durable consumer and passes batches to workers until it is stopped.

    Args:
        breaker: while it is open, only probes are fetched and handled.
    """

    def __init__(
        self,
        *,
        name: str,
        consumer: str,
        subscriptions: Subscriptions,
        health: Health,
        clock: Clock,
        settings: LoopSettings,
        gate: Gate | None = None,
        breaker: ConsumerBreaker | None = None,
    ) -> None:
        self._name = name
        self._consumer = consumer
        self._subscriptions = subscriptions
        self._health = health
        self._clock = clock
        self._settings = settings
        self.gate = WatchedGate(gate or Gate(), health)
        self.breaker = breaker or ConsumerBreaker(name, clock)
        self.stop_requested = asyncio.Event()
        self.buffer = InFlightBuffer(settings.buffer)
        health.halt_reason = lambda: self.breaker.reason
        self._failures = 0

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
        watch = asyncio.ensure_future(self._halt_with(stopping))
        heartbeats = asyncio.ensure_future(self._keep_alive(subscription))
        fetching = asyncio.ensure_future(self._fetch_all(subscription))
        working = [
            asyncio.ensure_future(self._work_on(work(subscription)))
            for _ in range(self._settings.concurrency)
        ]
        self._health.set_state(WorkerState.READY)
        ready()
        try:
            await asyncio.wait({fetching, heartbeats, *working}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._health.set_state(WorkerState.STOPPING)
            self.stop_requested.set()
            try:
                await self._finish(fetching, working)
            finally:
                await cancel_and_wait(watch, heartbeats, fetching, *working)
                await subscription.close()
                self._health.set_state(WorkerState.STOPPED)
        _raise_first(fetching, heartbeats, *working)

    async def _halt_with(self, stopping: asyncio.Event) -> None:
        await stopping.wait()
        self.stop_requested.set()

    async def _finish(self, fetching: asyncio.Future[None], working: Sequence[asyncio.Future[None]]) -> None:
        try:
            async with asyncio.timeout(self._settings.grace + self._settings.fetch_timeout):
                await asyncio.wait({fetching})
                await self.buffer.close()
                await asyncio.wait(set(working))
        except TimeoutError:
            left = len(self.buffer.messages)
            _log.warning(
                "stopped with messages in flight; they will be redelivered", worker=self._name, left=left
            )

    async def _subscribe(self) -> Subscription:
        while True:
            try:
                return await self._subscriptions.subscribe(self._consumer)
            except BusUnavailable as error:
                await self._pause(error)

    async def _fetch_all(self, subscription: Subscription) -> None:
        probes = self.breaker.probes
        while not self.stop_requested.is_set():
            if waits := bool(self.buffer.messages):  # without a message in flight no probe could begin
                await run_until(self.stop_requested, self.breaker.wait_for_probe_after(probes))
            await run_until(self.stop_requested, self.gate.wait_open())
            halted = self.breaker.is_open and (self.breaker.probes > probes or not waits)
            probes = self.breaker.probes
            if halted and not self.buffer.has_room:
                continue
            limit = partial(self._limit, probing=halted)
            reserved = await run_until(self.stop_requested, self.buffer.reserve(limit)) or 0
            fetched = await self._fetch(subscription, reserved)
            self._health.in_flight += len(fetched or ())
            await self.buffer.receive(fetched or (), reserved, subscription.max_deliver)
            if halted and fetched is not None and not fetched and self.buffer.all_attempted:
                self.breaker.found_no_other()

    def _limit(self, *, probing: bool) -> int:
        """Return how many messages may be fetched or handled now.

        Args:
            probing: a probe is due, should the breaker be open. While stopping, no probe is needed.
        """
        return int(probing or self.stop_requested.is_set()) if self.breaker.is_open else self._settings.batch

    async def _fetch(self, subscription: Subscription, limit: int) -> Sequence[Delivery] | None:
        """Fetch up to `limit` messages; None if nothing was asked, or the bus did not answer."""
        if limit == 0 or self.stop_requested.is_set():
            return None
        try:
            fetched = await self._fetch_isolated_first(subscription, limit)
        except BusUnavailable as error:
            await run_until(self.stop_requested, self._pause(error))
            return None
        if self._failures:
            self._failures = 0
            _log.info("bus is up again", worker=self._name)
            self._health.set_state(WorkerState.READY)
        return fetched

    async def _fetch_isolated_first(self, subscription: Subscription, limit: int) -> Sequence[Delivery]:
        """Fetch one message and then the rest, unless the first needs isolation.

        Redeliveries come first, so a message that may have killed workers is alone in flight.
        """
        first = await subscription.fetch(1, self._settings.fetch_timeout)
        if limit == 1 or not first or needs_isolation(first[0]) or self.breaker.is_open:
            return first
        try:
            return [*first, *await subscription.fetch(limit - 1, 0.0)]
        except BusUnavailable:
            return first

    async def _pause(self, error: BusUnavailable) -> None:
        self._failures += 1
        if self._failures == 1:
            _log.warning("bus is down", worker=self._name, error=str(error))
        self._health.set_state(WorkerState.DEGRADED, str(error))
        await self._clock.sleep(self._settings.outage.delay(self._failures))

    async def _work_on(self, work: Work) -> None:
        while batch := await self._next():
            try:
                await work(batch)
            except Exception:  # noqa: BLE001 - the messages are redelivered
                _log.exception("batch failed and will be redelivered", worker=self._name, messages=len(batch))
            finally:
                self._health.in_flight -= await self.buffer.release(batch)

    async def _next(self) -> Sequence[InFlightMessage]:
        while True:
            probing = await run_until(self.stop_requested, self.breaker.wait_for_probe())
            limit = partial(self._limit, probing=bool(probing))
            batch = await self.buffer.take(limit, self._settings.linger)
            if batch or self.buffer.is_over:  # else the breaker has opened meanwhile
                return batch

    async def _keep_alive(self, subscription: Subscription) -> None:
        """Send heartbeats for messages that were in flight at the last one; most are settled before."""
        known = set[InFlightMessage]()
        while True:
            await self._clock.sleep(subscription.ack_wait / 3)
            here = set(self.buffer.messages)
            for message in here & known:
                try:
                    await message.delivery.in_progress()
                except BusUnavailable:
                    break
            known = here


def _raise_first(*tasks: asyncio.Future[None]) -> None:
    for task in tasks:
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error
