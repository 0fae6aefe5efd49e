"""A worker: fetches the events of a durable consumer, calls a handler, and settles each event."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import structlog

from ricordo.bus.port import Bus, Subscription
from ricordo.clock import Clock
from ricordo.messages.subjects import REPLAYED_FOR, STREAM_IN
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.dead_letter_queue import DeadLetterRecorder
from ricordo.runtime.decoding import decode_message, log_fields
from ricordo.runtime.gates import Gate
from ricordo.runtime.handling import Done, Envelope, Handler, Outcome, Reject, Retry
from ricordo.runtime.health import Health
from ricordo.runtime.measures import HandlerMeasures
from ricordo.runtime.scheduling import QueryPriority
from ricordo.runtime.tasks import being_cancelled, run_until
from ricordo.runtime.tracing import TraceContext, bind_log_context
from ricordo.runtime.worker.breaker import ConsumerBreaker, ConsumerBreakerSettings
from ricordo.runtime.worker.consumption import Consumption, Work
from ricordo.runtime.worker.settlement import Handled, Settlement
from ricordo.runtime.worker.state import InFlightMessage, LoopSettings

_log = structlog.stdlib.get_logger(__name__)

_LOCAL_RETRIES = 4  # of a batch that failed while the gate closed, once it is open

Events = Sequence[Envelope[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventWorkerSettings:
    """How a worker works.

    Attributes:
        time_limit: seconds per handler call.
        backoff: pauses before a redelivery, by attempt.
    """

    loop: LoopSettings = field(default_factory=LoopSettings)
    time_limit: float = 120.0
    backoff: Backoff = field(default_factory=Backoff)
    breaker: ConsumerBreakerSettings = field(default_factory=ConsumerBreakerSettings)


class HandlerFault(Exception):
    """A handler broke its contract: not one outcome per event, or it cancelled itself."""


class EventWorker:
    """Passes the events of one durable consumer to a handler, and settles each by its outcome.

    Args:
        consumer: also the name of the worker, in logs, health and as the source of its events.
        gates: are open while the dependencies of the handler are up.
        lane: a gate for fetching only.
        record_dead_letter: decides whether a dead letter is published, and records it.
    """

    def __init__(
        self,
        *,
        consumer: str,
        handler: Handler,
        bus: Bus,
        clock: Clock,
        record_dead_letter: DeadLetterRecorder,
        settings: EventWorkerSettings | None = None,
        gates: Sequence[Gate] = (),
        lane: Gate | None = None,
        priority: QueryPriority | None = None,
    ) -> None:
        self.name = consumer
        self.health = Health(worker=consumer, clock=clock)
        self.measures = HandlerMeasures()
        self._handler = handler
        self._bus = bus
        self._clock = clock
        self._settings = settings or EventWorkerSettings()
        self._priority = priority or QueryPriority()
        self._record_dead_letter = record_dead_letter
        self._consumption = Consumption(
            consumer=consumer,
            subscriptions=bus,
            health=self.health,
            clock=clock,
            settings=self._settings.loop,
            gates=gates,
            lane=lane,
            breaker=ConsumerBreaker(consumer, clock, self._settings.breaker),
        )

    async def run(self, stopping: asyncio.Event, ready: Callable[[], None]) -> None:
        """Work until `stopping` is set or the task is cancelled, then finish the messages in flight.

        Args:
            ready: called once, when events are being fetched.
        """
        with bind_log_context(None, worker=self.name):
            await self._consumption.run(self._dispatching, stopping, ready)

    def _dispatching(self, subscription: Subscription) -> Work:
        settlement = Settlement(
            subscription=subscription,
            bus=self._bus,
            record_dead_letter=self._record_dead_letter,
            clock=self._clock,
            health=self.health,
            backoff=self._settings.backoff,
            breaker=self._consumption.breaker,
        )

        async def dispatch(batch: Sequence[InFlightMessage]) -> None:
            if self._consumption.stop_requested.is_set() and self._consumption.breaker.is_open:
                for message in batch:
                    await settlement.release(message)
                return
            by_tenant: dict[str, list[InFlightMessage]] = {}
            unread: list[tuple[InFlightMessage, Reject]] = []
            for message in batch:
                if self._is_for_another(message, subscription):
                    await settlement.skip(message)
                    continue
                decoded = decode_message(message.delivery, message.delivery.attempt)
                if isinstance(decoded, Reject):
                    unread.append((message, decoded))
                    continue
                message.envelopes = decoded
                if len(decoded) > 1 and message.delivery.attempt > 1:
                    await settlement.take_apart(message)
                else:
                    by_tenant.setdefault(decoded[0].tenant, []).append(message)
            await settlement.reject_unreadable(unread)
            for tenant, messages in by_tenant.items():
                with bind_log_context(None, tenant=tenant):
                    handled = await self._handled(tenant, messages)
                if self._consumption.stop_requested.is_set():
                    handled = await settlement.release_undone(handled)
                await settlement.settle(handled)

        return dispatch

    @staticmethod
    def _is_for_another(message: InFlightMessage, subscription: Subscription) -> bool:
        """Return whether it is a replay for another consumer; in the input stream a subject has one."""
        named = message.delivery.headers.get(REPLAYED_FOR, subscription.consumer)
        return subscription.stream != STREAM_IN and named != subscription.consumer

    async def _handled(self, tenant: str, messages: Sequence[InFlightMessage]) -> list[Handled]:
        """Handle the items of messages, in batches, as a message may have more than one batch."""
        events = [envelope for message in messages for envelope in message.envelopes]
        outcomes: list[Outcome] = []
        for start in range(0, len(events), self._settings.loop.batch):
            await self._priority.yield_to_interactive()
            outcomes += await self._outcomes(tenant, events[start : start + self._settings.loop.batch])
        in_order = iter(outcomes)
        return [(message, list(islice(in_order, len(message.envelopes)))) for message in messages]

    async def _outcomes(self, tenant: str, events: Events) -> Sequence[Outcome]:
        """Handle a batch; where it fails, event by event, so that one event cannot fail the others.

        Raises nothing.
        """
        try:
            return await self._while_gate_closes(tenant, events)
        except Exception as error:  # noqa: BLE001 - whatever a handler raises is transient by contract
            if len(events) == 1:
                return [Retry.because(error)]
            return [outcome for event in events for outcome in await self._outcomes(tenant, [event])]

    async def _while_gate_closes(self, tenant: str, events: Events) -> Sequence[Outcome]:
        """Keep a batch in flight that failed as a dependency went down: returning costs a delivery."""
        for _ in range(_LOCAL_RETRIES):
            try:
                return await self._measured_call(tenant, events)
            except Exception as error:
                self._consumption.gate.invalidate()
                was_closed = await run_until(
                    self._consumption.stop_requested, self._consumption.gate.wait_for_dependencies()
                )
                if was_closed is None:
                    return [Retry.because(error)] * len(events)
                if not was_closed:
                    raise
        return await self._measured_call(tenant, events)

    async def _measured_call(self, tenant: str, events: Events) -> Sequence[Outcome]:
        """Call the handler; log lines carry the ids of a single event, or the tenant."""
        single = len(events) == 1
        names = log_fields(events[0]) if single else {"tenant": tenant}
        trace = TraceContext.parse(events[0].traceparent) if single else None
        with bind_log_context(trace, **names):
            began = self._clock.monotonic()
            try:
                async with asyncio.timeout(self._settings.time_limit):
                    return await self._call(tenant, events)
            except Exception:
                _log.warning("handler failed", events=len(events), exc_info=single)
                raise
            finally:
                self.measures.record(len(events), self._clock.monotonic() - began)

    async def _call(self, tenant: str, events: Events) -> Sequence[Outcome]:
        """Call the handler; raise `HandlerFault` if the handler breaks its contract."""
        try:
            outcomes = await self._handler(tenant, events)
        except asyncio.CancelledError:
            if being_cancelled():
                raise
            raise HandlerFault("the handler was cancelled from within") from None
        if len(outcomes) != len(events):
            raise HandlerFault(f"the handler returned {len(outcomes)} outcomes for {len(events)} events")
        for outcome in outcomes:
            if not isinstance(outcome, Done | Reject | Retry):
                raise HandlerFault(f"the handler returned {type(outcome).__name__} as an outcome")
        return outcomes
