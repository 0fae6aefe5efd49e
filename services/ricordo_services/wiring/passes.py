"""The table of passes: what the worker of lifecycle and `ricordo lifecycle run` go by."""

import math
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from ricordo.memory.retention import LITE
from ricordo.runtime.emitting import Emitter
from ricordo.runtime.periodic import Periodic
from ricordo.settings import LifecycleSettings, Settings
from ricordo.store.compressing import PostgresCompressing
from ricordo.store.life import PostgresLife
from ricordo.store.passes import PostgresPassLocks, PostgresPassRuns
from ricordo.store.reflecting import PostgresReflecting
from ricordo.store.retention import PostgresRetention
from ricordo.store.sessions import PostgresSessions
from ricordo.system_clock import SystemClock
from ricordo_services.lifecycle.passes import Archive, Compress, Decay, Expire, Pass, Retain, Work
from ricordo_services.lifecycle.reflecting import Reflect
from ricordo_services.lifecycle.summarizing import Alone, Summarize
from ricordo_services.progress.passes import PassSummary, Report, silent
from ricordo_services.resources import Resources
from ricordo_services.wiring.condensing import condenser
from ricordo_services.wiring.insights import insight_model

_HOUR: Final = 3600.0
_LOOKS: Final = 24  # times per interval that it is looked whether a pass is due: an hour late at most


@dataclass(frozen=True, slots=True)
class Planned:
    """A pass in the table.

    Attributes:
        work: makes what it does.
        every_s: seconds from one to the next, by the settings; None where no clock calls for it.
        waited_for: whether that is how often it is looked whether anything waits for it, instead.
    """

    work: Callable[[Resources], Awaitable[Work]]
    every_s: Callable[[LifecycleSettings], float] | None = None
    waited_for: bool = False


def nightly(settings: LifecycleSettings) -> float:
    """Return the interval of what is done once a day."""
    return settings.decay_every_h * _HOUR


async def _compress(resources: Resources) -> Work:
    return Compress(
        await resources.store(PostgresCompressing),
        await _emitter(resources),
        resources.clock,
        await resources.beside(),
        resources.model_names[0],
        resources.settings.lifecycle.compress_alike,
        await condenser(resources),
    )


async def _decay(resources: Resources) -> Work:
    return Decay(
        await resources.store(PostgresLife),
        await resources.store(PostgresRetention),
        await _emitter(resources),
        resources.settings.lifecycle.floors,
    )


async def _archive(resources: Resources) -> Work:
    return Archive(await resources.store(PostgresLife), await _emitter(resources), resources.clock)


async def _emitter(resources: Resources) -> Emitter:
    return Emitter(await resources.bus(), resources.clock, "lifecycle")


async def _summarize(resources: Resources) -> Work:
    return Summarize(
        sessions=await resources.store(PostgresSessions),
        emitter=await _emitter(resources),
        clock=resources.clock,
        beside=await resources.beside(),
        model=resources.model_names[0],
        silence=timedelta(minutes=resources.settings.lifecycle.session_silence_min),
        condensing=await condenser(resources) or Alone(),
    )


async def _expire(resources: Resources) -> Work:
    return Expire(
        await resources.store(PostgresRetention),
        await _emitter(resources),
        timedelta(hours=resources.settings.lifecycle.expired_kept_h),
    )


async def _retain(resources: Resources) -> Work:
    settings = resources.settings.lifecycle
    return Retain(
        await resources.store(PostgresRetention),
        await _emitter(resources),
        _limits(settings),
        settings.retain_by,
    )


def _limits(settings: LifecycleSettings) -> tuple[int | None, int | None]:
    observations, reflections = LITE if settings.lite else (None, None)
    return settings.retain_observations or observations, settings.retain_reflections or reflections


async def _reflect(resources: Resources) -> Work:
    settings = resources.settings.lifecycle
    return Reflect(
        store=await resources.store(PostgresReflecting),
        emitter=await _emitter(resources),
        clock=resources.clock,
        beside=await resources.beside(),
        threshold=settings.reflect_threshold if settings.reflect and not settings.lite else math.inf,
        model=await insight_model(resources),
    )


PASSES: Final[Mapping[str, Planned]] = {
    "summarize": Planned(_summarize, lambda settings: settings.summarize_every_s, waited_for=True),
    "reflect": Planned(_reflect, lambda settings: settings.reflect_every_s, waited_for=True),
    "expire": Planned(_expire, lambda settings: settings.expire_every_s, waited_for=True),
    "compress": Planned(_compress, nightly),
    "decay": Planned(_decay, nightly),
    "retain": Planned(_retain, nightly),
    "archive": Planned(_archive),
}
"""By name, in the order of `progress.passes.ORDER`."""


async def make_pass(resources: Resources, name: str) -> Pass:
    """Return the pass of a name in the table."""
    dsn = resources.settings.stores.postgres_dsn.get_secret_value()
    return Pass(
        work=await PASSES[name].work(resources),
        life=await resources.store(PostgresLife),
        runs=await resources.store(PostgresPassRuns),
        locks=PostgresPassLocks(dsn),
        clock=resources.clock,
    )


async def by_the_clock(resources: Resources) -> list[Periodic]:
    """Return what makes each pass that is due, at the start and from then on."""
    services = []
    for name, planned in PASSES.items():
        if planned.every_s is not None:
            every = planned.every_s(resources.settings.lifecycle)
            periodic = _attending if planned.waited_for else _periodic
            services.append(periodic(await make_pass(resources, name), every, resources))
    return services


def _periodic(one: Pass, every_s: float, resources: Resources) -> Periodic:
    clock, every = resources.clock, timedelta(seconds=every_s)

    async def catch_up() -> None:
        await one.catch_up(clock.now(), every)

    # More often than a pass is due: one that another process made before this one began is due earlier.
    return Periodic(name=one.name, job=catch_up, interval=every_s / _LOOKS, clock=clock)


def _attending(one: Pass, every_s: float, resources: Resources) -> Periodic:
    async def attend() -> None:
        await one.attend(resources.clock.now())

    return Periodic(name=one.name, job=attend, interval=every_s, clock=resources.clock)


async def run_pass(
    settings: Settings,
    name: str,
    *,
    now: datetime | None = None,
    user_id: str | None = None,
    tenant: str | None = None,
    report: Report = silent,
) -> PassSummary:
    """Make a pass once, whenever it was made last; see `Pass.run`.

    Args:
        settings: name the servers.
        name: of the pass, one of `PASSES`.
        now: the moment it is made for, aware; None for the present.
        user_id: for this user's memories only.
        tenant: for this tenant only.
        report: told how far it is.

    Raises:
        RunsElsewhere: another process makes it at this moment.
    """
    async with AsyncExitStack() as exits:
        resources = Resources(settings, SystemClock(), exits)
        made = await make_pass(resources, name)
        return await made.run(now or resources.clock.now(), user_id, report, tenant=tenant)
