"""The table of lifecycle's passes, which its worker and `ricordo lifecycle run` use."""

import math
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from typing import Final

from ricordo.clock import SystemClock
from ricordo.models.llm_condenser import LlmCondenser
from ricordo.models.llm_insights import LlmInsights
from ricordo.runtime.backoff import ItemBackoff
from ricordo.runtime.periodic import Periodic
from ricordo.settings import LifecycleSettings, Settings
from ricordo.store.consolidation import CompressionStore, ReflectionStore
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.pass_store import LITE, PassLocks, PassRuns, RetentionStore
from ricordo.store.session_store import SessionStore
from ricordo_services.app.resources import Resources
from ricordo_services.job_progress import PassSummary, Report
from ricordo_services.lifecycle.archiving_passes import (
    ArchivePass,
    DecayPass,
    ExpiryPass,
    RetentionPass,
)
from ricordo_services.lifecycle.condensing_passes import (
    CompressionPass,
    ReflectionPass,
    SessionSummaries,
)
from ricordo_services.lifecycle.pass_runner import PassRunner, PassWork

_HOUR: Final = 3600.0
_CHECKS: Final = 24  # per interval, whether a pass is due: an hour late at most


def nightly(settings: LifecycleSettings) -> float:
    """Return the interval of daily work, in seconds."""
    return settings.decay_every_h * _HOUR


_WAITED_FOR: Final[Mapping[str, Callable[[LifecycleSettings], float]]] = {
    "summarize": lambda settings: settings.summarize_every_s,
    "reflect": lambda settings: settings.reflect_every_s,
    "expire": lambda settings: settings.expire_every_s,
}
"""How often it is checked, in seconds, whether there is work for these passes."""
_DAILY: Final = ("compress", "decay", "retain")
"""Passes that run once in `nightly`; `archive` only runs on request."""


async def _work(resources: Resources, name: str) -> PassWork:
    """Return the work of a pass. A language model is connected only for the passes that use it."""
    settings, clock, model = resources.settings.lifecycle, resources.clock, resources.model_names[0]
    emitter, executor = await resources.emitter("lifecycle"), await resources.cpu_executor()
    lifecycle_store, retention = await resources.store(LifecycleStore), await resources.store(RetentionStore)
    sessions, reflections = await resources.store(SessionStore), await resources.store(ReflectionStore)
    similar = await resources.store(CompressionStore)
    uses_model = name in ("summarize", "reflect", "compress")
    llm = await resources.condensing_model() if uses_model else None
    condenser = llm and LlmCondenser(llm)
    insights = llm and LlmInsights(llm, settings.reflect_questions, settings.reflect_memories)
    silence = timedelta(minutes=settings.session_silence_min)
    threshold = settings.reflect_threshold if settings.reflect and not settings.lite else math.inf
    importance = (settings.reflect_importance - 1) / 9
    most, most_reflections = LITE if settings.lite else (None, None)
    limits = (settings.retain_observations or most, settings.retain_reflections or most_reflections)
    works: Mapping[str, PassWork] = {
        "summarize": SessionSummaries(sessions, emitter, clock, executor, model, silence, condenser),
        "reflect": ReflectionPass(reflections, emitter, clock, executor, threshold, importance, insights),
        "expire": ExpiryPass(retention, emitter, timedelta(hours=settings.expired_return_h)),
        "compress": CompressionPass(
            similar, emitter, clock, executor, model, settings.compress_similarity, condenser
        ),
        "decay": DecayPass(lifecycle_store, retention, emitter),
        "retain": RetentionPass(retention, emitter, limits, settings.retain_by),
        "archive": ArchivePass(lifecycle_store, emitter, clock),
    }
    return works[name]


async def make_pass(resources: Resources, name: str) -> PassRunner:
    """Return the pass called `name`, one of `job_progress.ORDER`."""
    return PassRunner(
        name=name,
        work=await _work(resources, name),
        items=ItemBackoff(name),
        tenants=(await resources.store(LifecycleStore)).tenants,
        runs=await resources.store(PassRuns),
        locks=PassLocks(resources.settings.stores.postgres_dsn.get_secret_value()),
        clock=resources.clock,
    )


async def scheduled_passes(resources: Resources) -> list[Periodic]:
    """Return the jobs that run each scheduled pass when it is due, and once at the start."""
    return [_scheduled(await make_pass(resources, name), resources) for name in (*_WAITED_FOR, *_DAILY)]


def _scheduled(one: PassRunner, resources: Resources) -> Periodic:
    settings, clock = resources.settings.lifecycle, resources.clock
    if one.name in _WAITED_FOR:
        every_s = _WAITED_FOR[one.name](settings)
        return Periodic(one.name, lambda: one.run_pending(clock.now()), every_s, clock)
    every = timedelta(seconds=nightly(settings))
    # Checked more often than a pass is due: where another process ran it before, it is due earlier.
    return Periodic(one.name, lambda: one.run_if_due(clock.now(), every), nightly(settings) / _CHECKS, clock)


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
