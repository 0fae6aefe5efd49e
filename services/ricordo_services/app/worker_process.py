"""The table of workers, and the process that runs some of them."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo

import structlog

from ricordo.clock import SystemClock
from ricordo.language.data_files import LANGUAGES
from ricordo.language.document import Document
from ricordo.language.event_times.extraction import event_times
from ricordo.language.facts.message_words import MessageWords
from ricordo.memory.enrichment import enrich
from ricordo.models.query_analyser import Question, by_rules
from ricordo.runtime.health import Health
from ricordo.runtime.health_service import HealthPage, HealthService
from ricordo.runtime.metrics import METRICS_PATH
from ricordo.runtime.periodic import Periodic
from ricordo.runtime.process import Service, freeze_gc, run_services
from ricordo.runtime.query_server import QueryServer
from ricordo.runtime.scheduling import gil_switch_interval
from ricordo.runtime.worker.consumption import Consumption
from ricordo.runtime.worker.event_worker import EventWorker
from ricordo.settings import Settings
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.reprocessing import ReembeddingStore
from ricordo_services.app import worker_builders
from ricordo_services.app.resources import Resources
from ricordo_services.gateway.service import Gateway

_BUILDERS: Final[Mapping[str, Callable[[Resources], Awaitable[list[Service]]]]] = {
    "ingest": worker_builders.ingest,
    "enrichment": worker_builders.enrichment,
    "embedding": worker_builders.embedding,
    "encode": worker_builders.encode,
    "index": worker_builders.index,
    "knowledge": worker_builders.knowledge,
    "retrieval": worker_builders.retrieval,
    "lifecycle": worker_builders.lifecycle,
    "gateway": worker_builders.gateway,
}
WORKERS: Final = tuple(_BUILDERS)
"""The names of workers; `encode` and `index` are the two halves of `embedding`."""

_REPORTING: Final = (Consumption, QueryServer, Periodic, Gateway)
_USE_VECTORS: Final = ("embedding", "encode", "retrieval")
_ADVICE: Final = "`ricordo backfill --only vectors` encodes them by the present model, beside the workers"

_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
_ZONE = ZoneInfo("UTC")
_TEXT = "My father died yesterday, e ieri sono andato a Roma con Anna."

_log = structlog.stdlib.get_logger(__name__)


@cache
def load_rules(worker: str) -> None:
    """Load what a worker reads from files, so that no message waits for it: a tenth of a second."""
    for language in LANGUAGES:
        document = Document(_TEXT, language)
        if worker == "enrichment":
            enrich(document)
            event_times(document, _MOMENT, _ZONE)
        elif worker == "knowledge":
            MessageWords(document)
        elif worker == "retrieval":
            by_rules(Question(text=_TEXT, now=_MOMENT, zone=_ZONE, language=language))


class UnknownWorker(Exception):
    """No worker has this name."""


async def run_workers(
    settings: Settings,
    names: Sequence[str],
    *,
    stopping: asyncio.Event,
    on_ready: Callable[[], None] = lambda: None,
) -> None:
    """Open what the workers need, run them until `stopping` is set, and close it.

    Raises:
        UnknownWorker: one of `names` is none; the message lists those there are.
        BusUnavailable, StoreUnavailable, GraphUnavailable, IndexUnavailable: a server does not answer.
        CheckpointMissing: the embedding model is not installed.
        ExceptionGroup: of what stopped the workers while they ran.
    """
    if unknown := [name for name in names if name not in _BUILDERS]:
        raise UnknownWorker(f"no worker is called {', '.join(unknown)}; there are {', '.join(WORKERS)}")
    async with AsyncExitStack() as exits:
        resources = Resources(settings, SystemClock(), exits)
        services = [one for name in dict.fromkeys(names) for one in await _BUILDERS[name](resources)]
        await _warn_of_former_models(resources, names)
        healths = [service.health for service in services if isinstance(service, _REPORTING)]
        services.append(HealthService(healths, await resources.bus(), resources.clock))
        if settings.worker.health_port is not None:
            services.append(_health_page(resources, services, healths, settings.worker.health_port))
        for name in names:
            load_rules(name)
        with freeze_gc(), gil_switch_interval():
            await run_services(services, stopping=stopping, on_ready=on_ready)


def _health_page(
    resources: Resources, services: Sequence[Service], healths: Sequence[Health], port: int
) -> HealthPage:
    """Return the HTTP server of health and metrics."""
    metrics = resources.metrics
    metrics.add_workers(healths)
    measured = [one for one in services if isinstance(one, EventWorker | QueryServer)]
    metrics.add_measures({one.name: one.measures for one in measured})
    return HealthPage(healths, resources.settings.worker.health_host, port, {METRICS_PATH: metrics.page})


async def _warn_of_former_models(resources: Resources, names: Collection[str]) -> None:
    """Log for each former embedding model how many memories it has encoded, and how they are found."""
    if not set(_USE_VECTORS).intersection(names):
        return
    former = await resources.former_models()
    if not former:
        return
    lifecycle_store, vectors = await resources.store(LifecycleStore), await resources.store(ReembeddingStore)
    counted = Counter[str]()
    for tenant in await lifecycle_store.tenants():
        counted.update(await vectors.count_vectors(tenant, list(former)))
    present = resources.model_names[0]
    encoders = await resources.secondary_encoders() if "retrieval" in names else {}
    for model, number in sorted(counted.items()):
        away = model in encoders and encoders[model] is None
        found = (
            "words alone: that model cannot be asked" if away else "meaning while it can be asked, else words"
        )
        _log.warning(
            "memories are of a former embedding model",
            memories=number,
            model=model,
            present=present,
            found_by=found,
            advice=_ADVICE,
        )
