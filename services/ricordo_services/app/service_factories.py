"""Makes event workers and query servers from what the workers of a process share."""

from collections.abc import Mapping, Sequence

from ricordo.messages.routing import answered_elsewhere, bulk_consumer
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.gates import Gate
from ricordo.runtime.handling import Handler, QueryRoute
from ricordo.runtime.query_server import QueryServer, ServerSettings
from ricordo.runtime.worker.breaker import ConsumerBreakerSettings
from ricordo.runtime.worker.event_worker import EventWorker
from ricordo.runtime.worker.state import ConsumptionSettings
from ricordo_services.app.resources import Resources
from ricordo_services.backpressure import BulkLane


async def event_worker(
    resources: Resources,
    consumer: str,
    handler: Handler,
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
    consumption = ConsumptionSettings(
        batch=batch or settings.batch,
        concurrency=concurrency,
        slots=slots or settings.slots,
        linger=linger,
        grace=settings.grace_s,
        breaker=ConsumerBreakerSettings(
            window=settings.breaker_window,
            share=settings.breaker_threshold,
            pauses=Backoff(first=1.0, longest=settings.breaker_max_pause_s, jitter=0.0),
        ),
    )
    return EventWorker(
        consumer=consumer,
        handler=handler,
        bus=bus,
        clock=resources.clock,
        settings=consumption,
        gates=(resources.database_gate, *gates),
        lane=lane,
        record_dead_letter=resources.record_dead_letter,
        priority=resources.priority,
    )


async def bulk_worker(
    resources: Resources,
    live: EventWorker,
    handler: Handler,
    gates: Sequence[Gate] = (),
    *,
    batch: int | None = None,
    concurrency: int = 1,
) -> EventWorker:
    """Return the worker of the bulk lane beside that of the live lane, which goes first."""
    return await event_worker(
        resources,
        bulk_consumer(live.name),
        handler,
        gates,
        lane=BulkLane(live, resources.clock),
        batch=batch,
        slots=None if batch is None else 3 * batch,
        concurrency=concurrency,
    )


async def both_lanes(
    resources: Resources, name: str, handler: Handler, gates: Sequence[Gate] = ()
) -> list[EventWorker]:
    """Return the workers of the live and the bulk lane."""
    live = await event_worker(resources, name, handler, gates)
    return [live, await bulk_worker(resources, live, handler, gates)]


async def query_server(
    resources: Resources,
    name: str,
    routes: Mapping[str, QueryRoute],
    *,
    concurrency: int | None = None,
    exclusive: bool = False,
) -> QueryServer:
    """Return the server of the queries or commands that `routes` name.

    Args:
        concurrency: requests in work at once; None for the server's default.
        exclusive: whether it answers no other names of that kind.
    """
    limit = {} if concurrency is None else {"concurrency": concurrency}
    settings = ServerSettings(
        deadline=resources.settings.bus.query_timeout_s, **limit, grace=resources.settings.worker.grace_s
    )
    return QueryServer(
        name=name,
        kind=next(iter(routes)).partition(".")[0],
        routes=routes,
        bus=await resources.bus(),
        clock=resources.clock,
        settings=settings,
        priority=resources.priority,
        exclusive=exclusive,
        excluded=answered_elsewhere(name),
    )
