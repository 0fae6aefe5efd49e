"""Makes event workers and query servers from what the workers of a process share."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ricordo.messages.routing import answered_elsewhere
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.gates import AllGates, Gate
from ricordo.runtime.handling import Handler, QueryHandler, QueryRoute
from ricordo.runtime.query_server import QueryServer, ServerSettings
from ricordo.runtime.worker.breaker import ConsumerBreakerSettings
from ricordo.runtime.worker.event_worker import EventWorker, EventWorkerSettings
from ricordo.runtime.worker.state import LoopSettings
from ricordo_services.app.resources import Resources
from ricordo_services.backpressure import BulkLane


async def event_worker(
    resources: Resources,
    consumer: str,
    handler: Handler[Any],
    gates: Sequence[Gate] = (),
    *,
    lane: Gate | None = None,
    slots: int | None = None,
    batch: int | None = None,
    concurrency: int = 1,
    linger: float = 0.0,
) -> EventWorker:
    """Return the worker that passes the events of a durable consumer to `handler`.

    Args:
        gates: open while what the handler needs, besides PostgreSQL, is up.
        lane: a gate for fetching only.
        slots: events in flight at most; None for the setting.
        batch: events in one call at most; None for the setting.
        linger: seconds to gather more events after the first.
    """
    settings, bus = resources.settings.worker, await resources.bus()
    loop = LoopSettings(
        batch=batch or settings.batch,
        concurrency=concurrency,
        slots=slots or settings.slots,
        linger=linger,
        grace=settings.grace_s,
    )
    breaker = ConsumerBreakerSettings(
        messages=settings.breaker_window,
        share=settings.breaker_threshold,
        pauses=Backoff(first=1.0, longest=settings.breaker_max_pause_s, jitter=0.0),
    )
    return EventWorker(
        name=consumer,
        consumer=consumer,
        handler=handler,
        bus=bus,
        clock=resources.clock,
        settings=EventWorkerSettings(loop=loop, breaker=breaker),
        gate=AllGates((resources.database_gate, *gates)),
        lane=lane,
        record_dead_letter=resources.record_dead_letter,
        priority=resources.priority,
    )


async def bulk_lane(resources: Resources, live: EventWorker, first: Sequence[str] = ()) -> BulkLane:
    """Return the gate of the bulk lane of a worker.

    Args:
        live: the worker of the live lane, in this process.
        first: other durable consumers that go first while many events wait for them.
    """
    return BulkLane(
        await resources.bus(),
        resources.clock,
        bulk=f"{live.name}-bulk",
        live=live.name,
        live_batches=lambda: live.measures.calls,
        first=first,
    )


async def query_server(
    resources: Resources,
    name: str,
    handlers: Mapping[str, QueryHandler[Any]],
    fits: Mapping[str, Callable[..., Any]] | None = None,
    *,
    concurrency: int | None = None,
    exclusive: bool = False,
) -> QueryServer:
    """Return the server of the queries or commands that `handlers` name.

    Args:
        concurrency: requests in work at once; None for the server's default.
        exclusive: whether it answers no other names of that kind.
    """
    bus, deadline = await resources.bus(), resources.settings.bus.query_timeout_s
    limit = {} if concurrency is None else {"concurrency": concurrency}
    return QueryServer(
        name=name,
        kind=next(iter(handlers)).partition(".")[0],
        routes={
            request: QueryRoute(handler=handler, fit=(fits or {}).get(request), deadline=deadline)
            for request, handler in handlers.items()
        },
        bus=bus,
        clock=resources.clock,
        settings=ServerSettings(**limit, grace=resources.settings.worker.grace_s),
        priority=resources.priority,
        exclusive=exclusive,
        excluded=answered_elsewhere(name),
    )
