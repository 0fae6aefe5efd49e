"""Calls a handler and turns its results and errors into one outcome per event."""

import asyncio
from collections.abc import Sequence
from typing import Any

import structlog

from ricordo.clock import Clock
from ricordo.messages.message_types import Message
from ricordo.runtime.consumption import WatchedGate
from ricordo.runtime.decoding import log_fields
from ricordo.runtime.handling import Done, Envelope, Handler, Outcome, Reject, Retry
from ricordo.runtime.measures import HandlerMeasures
from ricordo.runtime.tasks import being_cancelled, run_until
from ricordo.runtime.tracing import TraceContext, bind_log_context

_log = structlog.stdlib.get_logger(__name__)


class HandlerFault(Exception):
    """A handler broke its contract: not one outcome per event, or it cancelled itself."""


class HandlerInvoker:
    """Calls a handler with a timeout; retries while a gate is closed, then event by event.

    Args:
        gate: tells whether a failure was that of a dependency which is down.
        time_limit: seconds per call.
        local_retries: how often a batch that failed while the gate closed is handled again before its events
            are returned.
    """

    def __init__(
        self,
        handler: Handler[Any],
        *,
        gate: WatchedGate,
        stop_requested: asyncio.Event,
        time_limit: float,
        local_retries: int,
        clock: Clock,
        measures: HandlerMeasures,
    ) -> None:
        self._handler = handler
        self._gate = gate
        self._stop_requested = stop_requested
        self._time_limit = time_limit
        self._local_retries = local_retries
        self._clock = clock
        self._measures = measures

    async def outcomes(self, tenant: str, events: Sequence[Envelope[Message]]) -> Sequence[Outcome]:
        """Return one outcome per event, in order.

        A failed batch is handled again event by event, so that one event cannot fail the others. If the gate
        has closed, the batch stays in flight until it opens, as returning events would cost each a delivery.
        """
        result = await self._attempt(tenant, events)
        for _ in range(self._local_retries):
            if not isinstance(result, Exception):
                break
            self._gate.invalidate()
            was_closed = await run_until(self._stop_requested, self._gate.wait_open())
            if was_closed is None:
                return [Retry.because(result)] * len(events)
            if not was_closed:
                break
            result = await self._attempt(tenant, events)
        if not isinstance(result, Exception):
            return result
        if len(events) == 1:
            return [Retry.because(result)]
        return [outcome for event in events for outcome in await self.outcomes(tenant, [event])]

    async def _attempt(
        self, tenant: str, events: Sequence[Envelope[Message]]
    ) -> Sequence[Outcome] | Exception:
        names = log_fields(events[0]) if len(events) == 1 else {"tenant": tenant}
        trace = TraceContext.parse(events[0].traceparent) if len(events) == 1 else None
        with bind_log_context(trace, **names):
            try:
                return await self._call(tenant, events)
            except Exception as error:  # noqa: BLE001 - whatever a handler raises is transient by contract
                _log.warning("handler failed", events=len(events), exc_info=len(events) == 1)
                return error

    async def _call(self, tenant: str, events: Sequence[Envelope[Message]]) -> Sequence[Outcome]:
        began = self._clock.monotonic()
        try:
            async with asyncio.timeout(self._time_limit):
                outcomes = await self._handler(tenant, events)
        except asyncio.CancelledError:
            if being_cancelled():
                raise
            raise HandlerFault("the handler was cancelled from within") from None
        finally:
            self._measures.record(len(events), self._clock.monotonic() - began)
        if len(outcomes) != len(events):
            raise HandlerFault(f"the handler returned {len(outcomes)} outcomes for {len(events)} events")
        for outcome in outcomes:
            if not isinstance(outcome, Done | Reject | Retry):
                raise HandlerFault(f"the handler returned {type(outcome).__name__} as an outcome")
        return outcomes
