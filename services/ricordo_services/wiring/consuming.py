"""What every worker of events is made with."""

from collections.abc import Sequence
from typing import Any, Final

from ricordo.runtime.backoff import Backoff
from ricordo.runtime.consumer_breaker import BrakeSettings
from ricordo.runtime.consumption import LoopSettings
from ricordo.runtime.gates import AllGates, Gate
from ricordo.runtime.handling import Handler
from ricordo.runtime.worker import Bus, EventWorker, WorkerSettings
from ricordo_services.resources import Resources

USE_LINGERS_S: Final = 0.25
"""Seconds for which what recalls leave behind is gathered, so that it is not in the next one's way."""
SETS_A_STAGE: Final = ("encode", "enrichment", "index", "knowledge")
"""The consumers which bring a message on its way to being remembered."""


async def event_worker(
    resources: Resources,
    consumer: str,
    handler: Handler[Any],
    *,
    slots: int | None = None,
    batch: int | None = None,
    concurrency: int = 1,
    linger: float = 0.0,
    gates: Sequence[Gate] = (),
) -> EventWorker:
    """Return the worker that hands the events of `consumer` to `handler`.

    Args:
        resources: what workers share.
        consumer: the durable one that it fetches from; also the worker's name.
        handler: takes the events.
        slots: events at hand at once; None for what the settings say.
        batch: events handed over together at the most; None for what the settings say.
        concurrency: batches in work at once.
        linger: seconds to gather more events for, once one is there.
        gates: what must be open besides the database.
    """
    settings, bus = resources.settings.worker, await resources.bus()
    loop = LoopSettings(
        batch=batch or settings.batch,
        concurrency=concurrency,
        slots=slots or settings.slots,
        linger=linger,
        grace=settings.grace_s,
    )
    brake = BrakeSettings(
        messages=settings.brake_messages,
        share=settings.brake_share,
        pauses=Backoff(first=1.0, longest=settings.brake_longest_s, jitter=0.0),
    )
    database = resources.probe("postgres", resources.ask_database)
    return EventWorker(
        name=consumer,
        consumer=consumer,
        handler=handler,
        bus=Bus(subscriptions=bus, publisher=bus),
        clock=resources.clock,
        settings=WorkerSettings(loop=loop, brake=brake),
        gate=AllGates((database, *gates)),
        on_dead_letter=resources.bury,
        precedence=resources.precedence,
    )
