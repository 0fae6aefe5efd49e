"""The loop of a worker: take free slots, fetch at most that many, work, keep alive, stop cleanly.

What is done with the fetched messages is not its business: it calls `work` with them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import structlog

from ricordo.bus.port import BusUnavailable, Delivery, Subscription, Subscriptions
from ricordo.clock import Clock
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.consumer_breaker import ConsumerBreaker
from ricordo.runtime.gates import Gate, OpenGate, invalidate, is_throttled, reason
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
        batch: messages handed over at once at most, 1 to 200.
        concurrency: batches in work at once, from 1.
        slots: messages in hand at most, those in work and those fetched ahead; 0 stands for one batch more
            than are in work.
        linger: seconds to wait for a batch to fill up after its first message.
        fetch_timeout: seconds for which an empty fetch waits; a stop waits that long at most for it.
        grace: seconds that a stop leaves to what is in hand; then it is left to be delivered again.
        outage: pauses between tries while the bus is away.
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
            raise ValueError(f"a batch holds 1 to 200 messages, not {self.batch}")
        if self.concurrency < 1 or self.slots < 0:
            raise ValueError("at least one batch must be in work, in at least one slot")

    @property
    def buffer(self) -> int:
        """How many messages are in hand at most."""
        return self.slots or self.batch * (self.concurrency + 1)


class WatchedGate:
    """A gate whose waits show in a worker's health and, where they are long, in its log.

    Args:
        gate: what is waited for.
        health: of the worker that waits.
        log_after: seconds after which a wait is worth a line; shorter ones are for those who debug.
    """

    def __init__(self, gate: Gate, health: Health, log_after: float = 30.0) -> None:
        self._gate = gate
        self._health = health
        self._told_after = log_after
        self._told = False
        health.gate_reason = lambda: reason(gate)
        health.is_throttled = lambda: is_throttled(gate)

    def invalidate(self) -> None:
        """Have the gate ask anew: something has just failed that it may be about."""
        invalidate(self._gate)

    async def wait_open(self) -> bool:
        """Wait until the gate is open.

        Returns:
            Whether it was closed: whether the wait was noticeable.
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
                self._tell()
            await waiting
            self._show(is_open=True)
            return True
        finally:
            await cancel_and_wait(waiting)

    def _tell(self) -> None:
        if self._told:
            return
        self._told = True
        worker, why = self._health.worker, reason(self._gate) or "it is slow to answer"
        if is_throttled(self._gate):
            _log.info("others go first, nothing is fetched meanwhile", worker=worker, reason=why)
        else:
            _log.warning("gate stays closed, nothing is fetched", worker=worker, reason=why)

    def _show(self, *, is_open: bool) -> None:
        worker = self._health.worker
        if is_open and self._told:
            self._told = False
            _log.info("gate opened, fetching goes on", worker=worker)
        elif self._health.gate_open is not is_open:
            _log.debug("gate opened" if is_open else "gate closed", worker=worker, reason=reason(self._gate))
        self._health.gate_open = is_open
        self._health.set_state(
            WorkerState.READY if is_open else WorkerState.DEGRADED,
            "" if is_open else "waiting for its gate to open",
        )


class Consumption:
    """Consumes one durable consumer until it is told to stop.

    Args:
        name: of the worker.
        consumer: the durable consumer to bind to.
        subscriptions: where to bind.
        health: where its figures go.
        clock: measures heartbeats and pauses.
        settings: see there.
        gate: fetching pauses while it is closed.
        brake: while it is on, one message is tried now and then.
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
        self.gate = WatchedGate(gate or OpenGate(), health)
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
            work: given the bound subscription, returns what to do with a batch.
            stopping: set by whoever wants this to end.
            ready: called once, when messages are being fetched.
        """
        subscription = await run_until(stopping, self._bound())
        if subscription is None:
            self._health.set_state(WorkerState.STOPPED)
            return
        watching = asyncio.ensure_future(self._halt_with(stopping))
        beating = asyncio.ensure_future(self._keep_alive(subscription))
        fetching = asyncio.ensure_future(self._fetch_all(subscription))
        working = [
            asyncio.ensure_future(self._work_on(work(subscription)))
            for _ in range(self._settings.concurrency)
        ]
        self._health.set_state(WorkerState.READY)
        ready()
        try:
            await asyncio.wait({fetching, beating, *working}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._health.set_state(WorkerState.STOPPING)
            self.stop_requested.set()
            try:
                await self._finish(fetching, working)
            finally:
                await cancel_and_wait(watching, beating, fetching, *working)
                await subscription.close()
                self._health.set_state(WorkerState.STOPPED)
        _raise_first(fetching, beating, *working)

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
                "stopped with work in hand; it will be delivered again", worker=self._name, left=left
            )

    async def _bound(self) -> Subscription:
        while True:
            try:
                return await self._subscriptions.subscribe(self._consumer)
            except BusUnavailable as error:
                await self._pause(error)

    async def _fetch_all(self, subscription: Subscription) -> None:
        probes = self.breaker.probes
        while not self.stop_requested.is_set():
            if waits := bool(self.buffer.messages):  # with empty hands no trial could begin
                await run_until(self.stop_requested, self.breaker.wait_for_probe_after(probes))
            await run_until(self.stop_requested, self.gate.wait_open())
            halts = self.breaker.is_open and (self.breaker.probes > probes or not waits)
            probes = self.breaker.probes
            if halts and not self.buffer.has_room:
                continue
            limit = partial(self._limit, probing=halts)
            reserved = await run_until(self.stop_requested, self.buffer.reserve(limit)) or 0
            fetched = await self._fetch(subscription, reserved)
            self._health.in_flight += len(fetched or ())
            await self.buffer.receive(fetched or (), reserved, subscription.max_deliver)
            if halts and fetched is not None and not fetched and self.buffer.all_attempted:
                self.breaker.found_no_other()

    def _limit(self, *, probing: bool) -> int:
        """How many messages may be fetched or handled now.

        Args:
            in_turn: whether it is time for a trial, should the worker have halted. A stop waits for none.
        """
        return int(probing or self.stop_requested.is_set()) if self.breaker.is_open else self._settings.batch

    async def _fetch(self, subscription: Subscription, limit: int) -> Sequence[Delivery] | None:
        """Fetch up to `limit`; None where nobody was asked, or the bus did not answer."""
        if limit == 0 or self.stop_requested.is_set():
            return None
        try:
            fetched = await self._cautiously(subscription, limit)
        except BusUnavailable as error:
            await run_until(self.stop_requested, self._pause(error))
            return None
        if self._failures:
            self._failures = 0
            _log.info("bus is back", worker=self._name)
            self._health.set_state(WorkerState.READY)
        return fetched

    async def _cautiously(self, subscription: Subscription, limit: int) -> Sequence[Delivery]:
        """Fetch one, and then what else is there, unless the first is suspect.

        Redeliveries come first: so who may have killed workers comes alone, and nothing dies with it.
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
            _log.warning("bus is away", worker=self._name, error=str(error))
        self._health.set_state(WorkerState.DEGRADED, str(error))
        await self._clock.sleep(self._settings.outage.delay(self._failures))

    async def _work_on(self, work: Work) -> None:
        while batch := await self._next():
            try:
                await work(batch)
            except Exception:  # noqa: BLE001 - the messages come again, the loop goes on
                _log.exception("batch was left to be delivered again", worker=self._name, messages=len(batch))
            finally:
                self._health.in_flight -= await self.buffer.release(batch)

    async def _next(self) -> Sequence[InFlightMessage]:
        while True:
            probing = await run_until(self.stop_requested, self.breaker.wait_for_probe())
            limit = partial(self._limit, probing=bool(probing))
            batch = await self.buffer.take(limit, self._settings.linger)
            if batch or self.buffer.is_over:  # else the worker has halted meanwhile
                return batch

    async def _keep_alive(self, subscription: Subscription) -> None:
        """Beat for what was here at the last beat already: nearly all is settled before its first."""
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
