"""What wraps a handler: functions from handler to handler, composed in one place by `wrapped`.

A wrapped handler returns one outcome per event and raises nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import structlog

from ricordo.clock import Clock
from ricordo.runtime.decoding import log_fields
from ricordo.runtime.gates import WatchedGate
from ricordo.runtime.handling import Done, Envelope, Handler, Outcome, Reject, Retry
from ricordo.runtime.measures import HandlerMeasures
from ricordo.runtime.tasks import being_cancelled, run_until
from ricordo.runtime.tracing import TraceContext, bind_log_context

_log = structlog.stdlib.get_logger(__name__)

Events = Sequence[Envelope[Any]]
Handle = Callable[[str, Events], Awaitable[Sequence[Outcome]]]
Middleware = Callable[[Handle], Handle]


class HandlerFault(Exception):
    """A handler broke its contract: not one outcome per event, or it cancelled itself."""


def wrapped(
    handler: Handler[Any],
    *,
    gate: WatchedGate,
    stop_requested: asyncio.Event,
    time_limit: float,
    local_retries: int,
    clock: Clock,
    measures: HandlerMeasures,
) -> Handle:
    """Return `handler` within all middleware, the outermost first.

    Args:
        gate: tells whether a failure was that of a dependency which is down.
        time_limit: seconds per call.
        local_retries: how often a batch that failed while the gate closed is handled again before its events
            are returned.
    """
    middleware: Sequence[Middleware] = (
        one_by_one,
        while_gate_closes(gate, stop_requested, local_retries),
        traced,
        measured(measures, clock),
        limited(time_limit),
        checked,
    )
    handle: Handle = handler
    for wrap in reversed(middleware):
        handle = wrap(handle)
    return handle


def one_by_one(inner: Handle) -> Handle:
    """Handle a failed batch again event by event, so that one event cannot fail the others."""

    async def handle(tenant: str, events: Events) -> Sequence[Outcome]:
        try:
            return await inner(tenant, events)
        except Exception as error:  # noqa: BLE001 - whatever a handler raises is transient by contract
            if len(events) == 1:
                return [Retry.because(error)]
            return [outcome for event in events for outcome in await handle(tenant, [event])]

    return handle


def while_gate_closes(gate: WatchedGate, stop_requested: asyncio.Event, retries: int) -> Middleware:
    """Keep a batch in flight that failed as a dependency went down: returning costs a delivery."""

    def middleware(inner: Handle) -> Handle:
        async def handle(tenant: str, events: Events) -> Sequence[Outcome]:
            for _ in range(retries):
                try:
                    return await inner(tenant, events)
                except Exception as error:
                    gate.invalidate()
                    was_closed = await run_until(stop_requested, gate.wait_for_dependencies())
                    if was_closed is None:
                        return [Retry.because(error)] * len(events)
                    if not was_closed:
                        raise
            return await inner(tenant, events)

        return handle

    return middleware


def traced(inner: Handle) -> Handle:
    """Bind the ids of a single event, or the tenant, to all log lines of a call, and log its failure."""

    async def handle(tenant: str, events: Events) -> Sequence[Outcome]:
        names = log_fields(events[0]) if len(events) == 1 else {"tenant": tenant}
        trace = TraceContext.parse(events[0].traceparent) if len(events) == 1 else None
        with bind_log_context(trace, **names):
            try:
                return await inner(tenant, events)
            except Exception:
                _log.warning("handler failed", events=len(events), exc_info=len(events) == 1)
                raise

    return handle


def measured(measures: HandlerMeasures, clock: Clock) -> Middleware:
    """Record size and duration of each call."""

    def middleware(inner: Handle) -> Handle:
        async def handle(tenant: str, events: Events) -> Sequence[Outcome]:
            began = clock.monotonic()
            try:
                return await inner(tenant, events)
            finally:
                measures.record(len(events), clock.monotonic() - began)

        return handle

    return middleware


def limited(seconds: float) -> Middleware:
    """Cancel a call after some seconds."""

    def middleware(inner: Handle) -> Handle:
        async def handle(tenant: str, events: Events) -> Sequence[Outcome]:
            async with asyncio.timeout(seconds):
                return await inner(tenant, events)

        return handle

    return middleware


def checked(inner: Handle) -> Handle:
    """Raise `HandlerFault` if the handler breaks its contract."""

    async def handle(tenant: str, events: Events) -> Sequence[Outcome]:
        try:
            outcomes = await inner(tenant, events)
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

    return handle
