"""The table of lifecycle's passes, which its worker and `ricordo lifecycle run` use."""

import math
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from ricordo.clock import SystemClock
from ricordo.runtime.periodic import Periodic
from ricordo.settings import LifecycleSettings, Settings
from ricordo.store.consolidation import CompressionStore, ReflectionStore
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.pass_store import LITE, PassLocks, PassRuns, RetentionStore
from ricordo.store.session_store import SessionStore
from ricordo_services.app.resources import Resources
from ricordo_services.job_progress import PassSummary, Report
from ricordo_services.lifecycle.passes.archiving_passes import (
    ArchivePass,
    DecayPass,
    ExpiryPass,
    RetentionPass,
)
from ricordo_services.lifecycle.passes.condensing_passes import (
    CompressionPass,
    ReflectionPass,
    SessionSummaries,
)
from ricordo_services.lifecycle.passes.pass_runner import IsolatedItems, PassRunner, PassWork

_HOUR: Final = 3600.0
_CHECKS: Final = 24  # per interval, whether a pass is due: an hour late at most


def nightly(settings: LifecycleSettings) -> float:
    """Return the interval of daily work, in seconds."""
    return settings.decay_every_h * _HOUR


async def _summarize(resources: Resources) -> PassWork:
    return SessionSummaries(
        sessions=await resources.store(SessionStore),
        emitter=await resources.emitter("lifecycle"),
        clock=resources.clock,
        executor=await resources.cpu_executor(),
        model=resources.model_names[0],
        silence=timedelta(minutes=resources.settings.lifecycle.session_silence_min),
        condenser=await resources.condenser(),
    )


async def _reflect(resources: Resources) -> PassWork:
    settings = resources.settings.lifecycle
    return ReflectionPass(
        store=await resources.store(ReflectionStore),
        emitter=await resources.emitter("lifecycle"),
        clock=resources.clock,
        executor=await resources.cpu_executor(),
        threshold=settings.reflect_threshold if settings.reflect and not settings.lite else math.inf,
        model=await resources.insight_model(),
    )


async def _expire(resources: Resources) -> PassWork:
    keep = timedelta(hours=resources.settings.lifecycle.expired_return_h)
    return ExpiryPass(await resources.store(RetentionStore), await resources.emitter("lifecycle"), keep)


async def _compress(resources: Resources) -> PassWork:
    return CompressionPass(
        await resources.store(CompressionStore),
        await resources.emitter("lifecycle"),
        resources.clock,
        await resources.cpu_executor(),
        resources.model_names[0],
        resources.settings.lifecycle.compress_similarity,
        await resources.condenser(),
    )


async def _decay(resources: Resources) -> PassWork:
    return DecayPass(
        await resources.store(LifecycleStore),
        await resources.store(RetentionStore),
        await resources.emitter("lifecycle"),
    )


async def _retain(resources: Resources) -> PassWork:
    settings = resources.settings.lifecycle
    observations, reflections = LITE if settings.lite else (None, None)
    return RetentionPass(
        await resources.store(RetentionStore),
        await resources.emitter("lifecycle"),
        (settings.retain_observations or observations, settings.retain_reflections or reflections),
        settings.retain_by,
    )


async def _archive(resources: Resources) -> PassWork:
    life = await resources.store(LifecycleStore)
    return ArchivePass(life, await resources.emitter("lifecycle"), resources.clock)


@dataclass(frozen=True, slots=True)
class PassSpec:
    """A pass in the table.

    Attributes:
        every_s: seconds between two runs, by the settings; None where it only runs on request.
        on_demand: whether `every_s` is instead how often it is checked whether work is waiting.
    """

    work: Callable[[Resources], Awaitable[PassWork]]
    every_s: Callable[[LifecycleSettings], float] | None = None
    on_demand: bool = False


PASSES: Final[Mapping[str, PassSpec]] = {
    "summarize": PassSpec(_summarize, lambda settings: settings.summarize_every_s, on_demand=True),
    "reflect": PassSpec(_reflect, lambda settings: settings.reflect_every_s, on_demand=True),
    "expire": PassSpec(_expire, lambda settings: settings.expire_every_s, on_demand=True),
    "compress": PassSpec(_compress, nightly),
    "decay": PassSpec(_decay, nightly),
    "retain": PassSpec(_retain, nightly),
    "archive": PassSpec(_archive),
}
"""The passes by name, in the order of `progress.ORDER`."""


async def make_pass(resources: Resources, name: str) -> PassRunner:
    """Return the pass called `name`, one of `PASSES`."""
    return PassRunner(
        name=name,
        work=await PASSES[name].work(resources),
        items=IsolatedItems(name),
        tenants=(await resources.store(LifecycleStore)).tenants,
        runs=await resources.store(PassRuns),
        locks=PassLocks(resources.settings.stores.postgres_dsn.get_secret_value()),
        clock=resources.clock,
    )


async def scheduled_passes(resources: Resources) -> list[Periodic]:
    """Return the jobs that run each scheduled pass when it is due, and once at the start."""
    settings = resources.settings.lifecycle
    return [
        _scheduled(await make_pass(resources, name), spec.every_s(settings), spec, resources)
        for name, spec in PASSES.items()
        if spec.every_s is not None
    ]


def _scheduled(one: PassRunner, every_s: float, spec: PassSpec, resources: Resources) -> Periodic:
    async def run() -> None:
        if spec.on_demand:
            await one.run_pending(resources.clock.now())
        else:
            await one.run_if_due(resources.clock.now(), timedelta(seconds=every_s))

    # Checked more often than a pass is due: where another process ran it before, it is due earlier.
    return Periodic(one.name, run, every_s if spec.on_demand else every_s / _CHECKS, resources.clock)


async def run_pass(
    settings: Settings,
    name: str,
    *,
    now: datetime | None = None,
    user_id: str | None = None,
    tenant: str | None = None,
    report: Report[PassSummary] = lambda _: None,
) -> PassSummary:
    """Run the pass called `name` once, whether or not it is due, as of `now`, aware; by default the present.

    Raises:
        RunsElsewhere: another process runs it at this moment.
    """
    async with AsyncExitStack() as exits:
        resources = Resources(settings, SystemClock(), exits)
        one = await make_pass(resources, name)
        return await one.run(now or resources.clock.now(), user_id, report, tenant=tenant)
