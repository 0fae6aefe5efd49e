"""A worker: passes the events of a durable consumer to a handler, and settles each by its outcome."""

import asyncio
from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Any, Final

import structlog

from ricordo.bus.port import Bus
from ricordo.clock import Clock
from ricordo.messages.subjects import REPLAYED_FOR, STREAM_IN
from ricordo.runtime.dead_letter_queue import DeadLetterQueue, DeadLetterRecorder
from ricordo.runtime.decoding import decode_message, log_fields
from ricordo.runtime.gates import Gate
from ricordo.runtime.handling import Done, Envelope, Handler, Outcome, Reject, Retry
from ricordo.runtime.measures import HandlerMeasures
from ricordo.runtime.scheduling import QueryPriority
from ricordo.runtime.tasks import being_cancelled, run_until
from ricordo.runtime.tracing import bind_log_context
from ricordo.runtime.worker.consumption import Consumption
from ricordo.runtime.worker.settlement import Settlement
from ricordo.runtime.worker.state import ConsumptionSettings, InFlightMessage

_log = structlog.stdlib.get_logger(__name__)

_LOCAL_RETRIES: Final = 4  # of a batch that failed while the gate closed, once it is open

Events = Sequence[Envelope[Any]]


class HandlerFault(Exception):
    """A handler broke its contract: not one outcome per event, or it cancelled itself."""


class EventWorker(Consumption):
    """Passes the events of one durable consumer to a handler, and settles each by its outcome.

    What happens around a call of the handler is a list of middleware, from the outermost to the innermost.

    Args:
        record_dead_letter: decides whether a dead letter is published, and records it.
        priority: pauses between batches while a query runs.
    """

    def __init__(
        self,
        *,
        consumer: str,
        handler: Handler,
        bus: Bus,
        clock: Clock,
        record_dead_letter: DeadLetterRecorder,
        settings: ConsumptionSettings,
        priority: QueryPriority,
        gates: Sequence[Gate] = (),
        lane: Gate | None = None,
    ) -> None:
        super().__init__(consumer=consumer, bus=bus, clock=clock, settings=settings, gates=gates, lane=lane)
        self.measures = HandlerMeasures()
        middleware = (self._isolate, self._outlast_outages, self._trace, self._measure, self._check)
        self._handle_batch: Handler = handler
        for step in reversed(middleware):
            self._handle_batch = partial(step, self._handle_batch)
        self._priority = priority
        self._settlement = Settlement(
            consumer=consumer,
            bus=bus,
            dead_letters=DeadLetterQueue(bus, record_dead_letter, clock, self.health),
            clock=clock,
            health=self.health,
            backoff=settings.backoff,
            breaker=self._breaker,
        )

    async def _work(self, batch: Sequence[InFlightMessage]) -> None:
        settlement = self._settlement
        if self._stop_requested.is_set() and self._breaker.is_open:
            for message in batch:
                await settlement.release(message)
            return
        by_tenant: dict[str, list[InFlightMessage]] = {}
        unread: list[tuple[InFlightMessage, Reject]] = []
        for message in batch:
            if self._is_for_another(message):
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
                await self._handle_items(tenant, messages)
            if self._stop_requested.is_set():
                messages = await settlement.release_undone(messages)  # noqa: PLW2901 - those that are left
            await settlement.settle(tenant, messages)

    def _is_for_another(self, message: InFlightMessage) -> bool:
        """Return whether it is a replay for another consumer; in the input stream a subject has one."""
        delivery = message.delivery
        return delivery.stream != STREAM_IN and delivery.headers.get(REPLAYED_FOR, self.name) != self.name

    async def _handle_items(self, tenant: str, messages: Sequence[InFlightMessage]) -> None:
        """Set the outcomes of messages; their items are handled in batches, as a message may have several."""
        events = [envelope for message in messages for envelope in message.envelopes]
        outcomes: list[Outcome] = []
        for start in range(0, len(events), self._settings.batch):
            await self._priority.yield_to_interactive()
            outcomes += await self._handle_batch(tenant, events[start : start + self._settings.batch])
        in_order = iter(outcomes)
        for message in messages:
            message.outcomes = list(islice(in_order, len(message.envelopes)))

    async def _isolate(self, call: Handler, tenant: str, events: Events) -> Sequence[Outcome]:
        """Handle a batch that fails event by event, so that one event cannot fail the others.

        Each item of an event of several is an event of its own here.

        Raises nothing.
        """
        try:
            return await call(tenant, events)
        except Exception as error:  # noqa: BLE001 - whatever a handler raises is transient by contract
            if len(events) == 1:
                return [Retry.because(error)]
            return [outcome for event in events for outcome in await self._isolate(call, tenant, [event])]

    async def _outlast_outages(self, call: Handler, tenant: str, events: Events) -> Sequence[Outcome]:
        """Keep a batch in flight that failed as a dependency went down: returning costs a delivery."""
        for _ in range(_LOCAL_RETRIES):
            try:
                return await call(tenant, events)
            except Exception as error:
                self._gate.invalidate()
                was_closed = await run_until(self._stop_requested, self._gate.wait_for_dependencies())
                if was_closed is None:
                    return [Retry.because(error)] * len(events)
                if not was_closed:
                    raise
        return await call(tenant, events)

    async def _trace(self, call: Handler, tenant: str, events: Events) -> Sequence[Outcome]:
        """Give log lines the ids of a single event, or the tenant, and log failures."""
        is_single = len(events) == 1
        names = log_fields(events[0]) if is_single else {"tenant": tenant}
        with bind_log_context(events[0].trace if is_single else None, **names):
            try:
                return await call(tenant, events)
            except Exception:
                _log.warning("handler failed", events=len(events), exc_info=is_single)
                raise

    async def _measure(self, call: Handler, tenant: str, events: Events) -> Sequence[Outcome]:
        """Measure a call, and end it at its time limit."""
        began = self._clock.monotonic()
        try:
            async with asyncio.timeout(self._settings.time_limit):
                return await call(tenant, events)
        finally:
            self.measures.record(len(events), self._clock.monotonic() - began)

    async def _check(self, call: Handler, tenant: str, events: Events) -> Sequence[Outcome]:
        """Raise `HandlerFault` if the handler breaks its contract."""
        try:
            outcomes = await call(tenant, events)
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
