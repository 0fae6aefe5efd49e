"""The table of workers, and the process that runs some of them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Final

from ricordo.clock import Clock
from ricordo.runtime.garbage import what_stands_stays
from ricordo.runtime.health import Health
from ricordo.runtime.health_service import HealthPage, HealthService
from ricordo.runtime.metrics import METRICS_PATH
from ricordo.runtime.periodic import Periodic
from ricordo.runtime.process import Service, run_services
from ricordo.runtime.queries import QueryServer
from ricordo.runtime.query_priority import quick_turns
from ricordo.runtime.sweeper import Sweeper
from ricordo.runtime.worker import EventWorker
from ricordo.settings import Settings
from ricordo.store.ledger import PostgresFactLedger
from ricordo.store.projection import PostgresEncodings, PostgresIndexing
from ricordo.system_clock import SystemClock
from ricordo_services.embedding.encode import Encode
from ricordo_services.embedding.index import Index, IndexChanges
from ricordo_services.embedding.projection import Projection
from ricordo_services.knowledge.handlers import Learn
from ricordo_services.models import works_by
from ricordo_services.resources import Resources
from ricordo_services.wiring.commands import commands_on_facts
from ricordo_services.wiring.consuming import USE_LINGERS_S, event_worker
from ricordo_services.wiring.enriching import enriching
from ricordo_services.wiring.former import warn_of_former
from ricordo_services.wiring.identity import can_be_asked, identifying
from ricordo_services.wiring.ingest import ingest
from ricordo_services.wiring.lifecycle import lifecycle
from ricordo_services.wiring.projecting import following
from ricordo_services.wiring.rebuilding import rebuilding
from ricordo_services.wiring.retrieval import retrieval
from ricordo_services.wiring.stating import open_statement_reader, show


class UnknownWorker(Exception):
    """No worker goes by that name."""


async def _encode(resources: Resources) -> list[Service]:
    batcher, models = await resources.batcher(), await resources.models()
    resources.metrics.add_batcher(batcher)
    model = resources.model_names[0]
    handler = Encode(await resources.store(PostgresEncodings), batcher, model, resources.clock)
    # Two batches feed the model and have it choose among them, while the vectors of a third are written.
    slots = 2 * resources.settings.worker.slots
    worker = await event_worker(resources, "encode", handler, slots=slots, concurrency=3, gates=(batcher,))
    worker.health.figures = lambda: {"encoded": batcher.encoded, **models.figures}
    worker.health.works_by = works_by(resources.settings.embedding)
    worker.health.trouble = lambda: models.trouble or batcher.reason or silence()

    def silence() -> str:
        # the model in process is silent where the machine has much to do, a server where something is wrong
        return batcher.silence if models.served else ""

    database = resources.probe("postgres", resources.ask_database)
    worker.health.prepares = lambda: models.pulls and not database.reason
    return [worker]


async def _index(resources: Resources) -> list[Service]:
    indexing = await resources.store(PostgresIndexing)
    vectors, beside = await resources.known_vectors(), await resources.beside()
    projection = Projection(indexing, vectors, await resources.known_models(), beside)
    gate = resources.probe("vectors", resources.ask_vectors_to_write)
    index = await event_worker(
        resources, "index", Index(projection, indexing, resources.clock), gates=(gate,)
    )
    changes = await event_worker(
        resources, "index-changes", IndexChanges(projection), linger=USE_LINGERS_S, gates=(gate,)
    )
    if (own := await resources.own_index()) is None:
        return [index, changes]
    index.health.trouble = lambda: own.problem
    index.health.figures = lambda: {"failed_flushes": own.failed_flushes}
    return [index, changes, await rebuilding(resources, own)]


async def _embedding(resources: Resources) -> list[Service]:
    return [*await _encode(resources), *await _index(resources)]


async def _enrichment(resources: Resources) -> list[Service]:
    handler = await enriching(resources, await resources.describer())
    return [await event_worker(resources, "enrichment", handler)]


async def _knowledge(resources: Resources) -> list[Service]:
    await (await resources.graph()).prepare()
    beside = await resources.beside()
    settings = resources.settings.knowledge
    ledger = PostgresFactLedger(await resources.database(), beside, doubting=can_be_asked(settings))
    opening = open_statement_reader(settings, resources.clock, beside)
    reader = await resources.opened("statements", opening)
    handler = Learn(ledger, await following(resources), resources.clock, reader)
    gate = resources.probe("graph", resources.ask_graph)
    worker = await event_worker(resources, "knowledge", handler, gates=(gate,))
    show(reader, settings, worker.health)
    return [worker, *await commands_on_facts(resources, ledger), *await identifying(resources, ledger)]


_WIRED: Final[Mapping[str, Callable[[Resources], Awaitable[list[Service]]]]] = {
    "ingest": ingest,
    "enrichment": _enrichment,
    "embedding": _embedding,
    "encode": _encode,
    "index": _index,
    "knowledge": _knowledge,
    "retrieval": retrieval,
    "lifecycle": lifecycle,
}
WORKERS: Final = tuple(_WIRED)
"""The names of workers; `encode` and `index` are the two halves of `embedding`."""


async def run_workers(
    settings: Settings,
    names: Sequence[str],
    *,
    stopping: asyncio.Event,
    on_ready: Callable[[], None] = lambda: None,
    clock: Clock | None = None,
) -> None:
    """Open what the workers need, run them until `stopping` is set, and close it.

    Raises:
        UnknownWorker: one of `names` is none; the message lists those there are.
        BusUnavailable, StoreUnavailable, GraphUnavailable, IndexUnavailable: a server does not answer.
        CheckpointMissing: the embedding model is not installed.
        ExceptionGroup: of what stopped the workers while they ran.
    """
    if strangers := [name for name in names if name not in _WIRED]:
        raise UnknownWorker(f"no worker is called {', '.join(strangers)}; there are {', '.join(WORKERS)}")
    async with AsyncExitStack() as exits:
        resources = Resources(settings, clock or SystemClock(), exits)
        services = [service for name in dict.fromkeys(names) for service in await _WIRED[name](resources)]
        await warn_of_former(resources, names)
        healths = [service.health for service in services if isinstance(service, _REPORTING)]
        services.append(HealthService(healths, await resources.bus(), resources.clock))
        if settings.worker.health_port is not None:
            services.append(_page(resources, services, healths, settings.worker.health_port))
        with what_stands_stays(), quick_turns():
            await run_services(services, stopping=stopping, on_ready=on_ready)


def _page(
    resources: Resources, services: Sequence[Service], healths: Sequence[Health], port: int
) -> HealthPage:
    """Return what shows over HTTP how the workers are and what they have done."""
    metrics = resources.metrics
    metrics.add_workers(healths)
    metrics.add_handlers({one.name: one.measures for one in services if isinstance(one, EventWorker)})
    metrics.add_queries({one.name: one.measures for one in services if isinstance(one, QueryServer)})
    return HealthPage(healths, resources.settings.worker.health_host, port, {METRICS_PATH: metrics.page})


_REPORTING: Final = (EventWorker, QueryServer, Periodic, Sweeper)
