"""The composition root: settings become resources (`resources`), resources become workers (here)."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from functools import partial
from typing import Any, Final

from ricordo.adapters.clock import SystemClock
from ricordo.adapters.nats import open_bus
from ricordo.adapters.postgres.migrate import migrate
from ricordo.domain.fusion import Minimums
from ricordo.domain.topics import topic_key
from ricordo.ports.clock import Clock
from ricordo.runtime.consumption import LoopSettings
from ricordo.runtime.emitting import Emitter
from ricordo.runtime.garbage import what_stands_stays
from ricordo.runtime.gates import AllGates, BacklogGate, Gate
from ricordo.runtime.handling import Handler
from ricordo.runtime.health_service import HealthPage, HealthService
from ricordo.runtime.periodic import Periodic
from ricordo.runtime.process import Service, run_services
from ricordo.runtime.queries import QueryServer, ServerSettings
from ricordo.runtime.replies import QueryRoute
from ricordo.runtime.sweeper import Sweeper
from ricordo.runtime.worker import Bus, EventWorker, WorkerSettings
from ricordo.settings import Settings
from ricordo_services.backfilled import Backfilled, BackfillOrder
from ricordo_services.embedding.encode import Encode
from ricordo_services.embedding.index import Index, IndexChanges, Projection
from ricordo_services.enrichment.backfill import Backfill
from ricordo_services.enrichment.handlers import Enrich
from ricordo_services.enrichment.linking import Linking, RememberedNeighbourhoods
from ricordo_services.ingest.handlers import Ingest
from ricordo_services.knowledge.handlers import Learn
from ricordo_services.lifecycle.handlers import Reinforce, Sessions
from ricordo_services.lifecycle.passes import Decay, Reconcile, Summary, tidy
from ricordo_services.resources import SWEEPER, SWEPT, Resources, bus_settings, topology
from ricordo_services.retrieval.context import AtHand, Context, Working
from ricordo_services.retrieval.fitting import fit_context, fit_history, fit_recall, fit_timeline
from ricordo_services.retrieval.key_topics import KeyTopics
from ricordo_services.retrieval.lookups import Expand, Facts, History, Stats, Status, Timeline
from ricordo_services.retrieval.profiles import profiles_for
from ricordo_services.retrieval.ranking import Rank
from ricordo_services.retrieval.recall import Recall, Remember
from ricordo_services.retrieval.search import Search

_HOUR: Final = 3600.0
_USE_LINGERS_S: Final = 0.25  # what recalls leave behind is gathered, so that it is not in the next one's way
_SETS_A_STAGE: Final = ("encode", "enrichment", "index", "knowledge")


class UnknownWorker(Exception):
    """No worker goes by that name."""


async def _ingest(resources: Resources) -> list[Service]:
    intake, worker = await resources.intake(), resources.settings.worker
    handler = Ingest(intake, resources.clock)
    bulk = Ingest(intake, resources.clock, source="import")
    backlog = await resources.backlog(_SETS_A_STAGE)  # one queue for all: an import must not fill it
    gate = BacklogGate(backlog.waiting, worker.import_backlog, resources.clock)
    return [
        await _worker(resources, "ingest", handler, slots=worker.slots, concurrency=2),
        await _worker(resources, "ingest-bulk", bulk, slots=worker.import_slots, gates=(gate,)),
    ]


async def _encode(resources: Resources) -> list[Service]:
    batcher = await resources.batcher()
    model = resources.model_names[0]
    handler = Encode(await resources.encodings(), batcher, model, resources.clock)
    worker = await _worker(resources, "encode", handler, concurrency=2, gates=(batcher,))
    worker.health.figures = lambda: {"encoded": batcher.encoded}
    return [worker]


async def _index(resources: Resources) -> list[Service]:
    indexing = await resources.indexing()
    vectors, beside = await resources.vectors(), await resources.beside()
    projection = Projection(indexing, vectors, resources.model_names, beside)
    gate = resources.probe("vectors", resources.ask_vectors)
    return [
        await _worker(resources, "index", Index(projection, indexing, resources.clock), gates=(gate,)),
        await _worker(
            resources, "index-changes", IndexChanges(projection), linger=_USE_LINGERS_S, gates=(gate,)
        ),
    ]


async def _embedding(resources: Resources) -> list[Service]:
    return [*await _encode(resources), *await _index(resources)]


async def _enrichment(resources: Resources) -> list[Service]:
    return [await _worker(resources, "enrichment", await _enrich(resources))]


async def _enrich(resources: Resources, *, patient: bool = False) -> Enrich:
    return Enrich(
        await resources.enrichments(),
        await resources.tokens(),
        resources.clock,
        await resources.beside(),
        await _linking(resources),
        await resources.describer(patient=patient),
        await resources.feeling(),
    )


async def _linking(resources: Resources) -> Linking:
    links, beside, settings = await resources.links(), await resources.beside(), resources.settings.links
    remembered = RememberedNeighbourhoods(settings.cache_mb * 1024**2)
    return Linking(links, beside, resources.model_names, settings.threshold, remembered)


async def _knowledge(resources: Resources) -> list[Service]:
    graph = await resources.graph()
    await graph.prepare()
    handler = Learn(await resources.ledger(), graph, resources.clock, await resources.beside())
    gate = resources.probe("graph", resources.ask_graph)
    return [await _worker(resources, "knowledge", handler, gates=(gate,))]


async def _retrieval(resources: Resources) -> list[Service]:
    settings, bus = resources.settings, await resources.bus()
    await resources.graph()
    recollection, ledger = await resources.recollection(), await resources.ledger()
    beside, ranking = await resources.beside(), settings.ranking
    # Dictionary forms take half a second to load: not while the first question about a topic waits for them.
    warming = beside.each(partial(topic_key, language="en"), ["topic"])
    models, _ = await asyncio.gather(resources.models(), warming)
    remember = Remember(
        recollection=recollection,
        ledger=ledger,
        search=Search(await resources.vectors(), resources.model_names[0], ranking.fusion, ranking.hybrid),
        rank=Rank(recollection, KeyTopics(models.query)),
        encoder=models.query,
        graph_answers=resources.graph_answers,
        clock=resources.clock,
        analyser=await resources.analyser(),
        profile=ranking.profile,
        profiles=profiles_for(resources.model_names[0], ranking.weights),
        minimums=Minimums(
            idf=ranking.min_idf,
            semantic_score=ranking.min_semantic_score,
            similarity=ranking.min_similarity,
        ),
        fact_confidence=ranking.fact_confidence,
    )
    at_hand = AtHand(recollection, models.tokens, resources.clock)
    deadline = settings.bus.query_timeout_s
    routes = {
        "query.recall": QueryRoute(handler=Recall(remember), deadline=deadline, fit=fit_recall),
        "query.context": QueryRoute(handler=Context(remember, at_hand), deadline=deadline, fit=fit_context),
        "query.working": QueryRoute(handler=Working(at_hand), deadline=deadline),
        "query.history": QueryRoute(handler=History(recollection), deadline=deadline, fit=fit_history),
        "query.facts": QueryRoute(handler=Facts(ledger), deadline=deadline),
        "query.timeline": QueryRoute(handler=Timeline(recollection), deadline=deadline, fit=fit_timeline),
        "query.status": QueryRoute(handler=Status(recollection), deadline=deadline),
        "query.stats": QueryRoute(handler=Stats(recollection), deadline=deadline),
        "query.expand": QueryRoute(handler=Expand(recollection), deadline=deadline, fit=fit_timeline),
    }
    return [
        QueryServer(
            name="retrieval",
            kind="query",
            routes=routes,
            responder=bus,
            publisher=bus,
            clock=resources.clock,
            settings=ServerSettings(
                concurrency=settings.bus.concurrent_queries, grace=settings.worker.grace_s
            ),
        )
    ]


async def _lifecycle(resources: Resources) -> list[Service]:
    settings, bus, life = resources.settings.lifecycle, await resources.bus(), await resources.life()
    clock = resources.clock
    emitter = Emitter(bus, clock, "lifecycle")
    decay = Decay(life, emitter, clock, settings.floors)

    async def daily() -> None:
        await decay.run(clock.now())
        await tidy(life, clock.now())

    reconcile = Reconcile(
        life,
        emitter,
        await resources.backlog(_SETS_A_STAGE),
        clock,
        resources.model_names[0],
        timedelta(seconds=settings.reconcile_after_s),
    )
    return [
        await _worker(resources, "reinforce", Reinforce(life), linger=_USE_LINGERS_S),
        await _worker(resources, "sessions", Sessions()),
        Periodic(
            name="decay",
            job=daily,
            interval=settings.decay_every_h * _HOUR,
            clock=clock,
        ),
        Periodic(name="reconcile", job=reconcile.run, interval=settings.reconcile_every_s, clock=clock),
        QueryServer(
            name="commands", kind="command", routes={}, responder=bus, publisher=bus, clock=clock
        ),  # each command is answered with `unavailable` until its own work is done
        Sweeper(
            consumer=SWEEPER,
            bus=Bus(subscriptions=bus, publisher=bus),
            streams=bus,
            sweeps=SWEPT,
            work_queues=bus.topology.work_queues,
            clock=clock,
            on_dead_letter=resources.bury,
        ),
    ]


async def _worker(
    resources: Resources,
    consumer: str,
    handler: Handler[Any],
    *,
    slots: int | None = None,
    concurrency: int = 1,
    linger: float = 0.0,
    gates: Sequence[Gate] = (),
) -> EventWorker:
    settings, bus = resources.settings.worker, await resources.bus()
    loop = LoopSettings(
        batch=settings.batch,
        concurrency=concurrency,
        slots=slots or settings.slots,
        linger=linger,
        grace=settings.grace_s,
    )
    database = resources.probe("postgres", resources.ask_database)
    return EventWorker(
        name=consumer,
        consumer=consumer,
        handler=handler,
        bus=Bus(subscriptions=bus, publisher=bus),
        clock=resources.clock,
        settings=WorkerSettings(loop=loop),
        gate=AllGates((database, *gates)),
        on_dead_letter=resources.bury,
    )


_WIRED: Final[Mapping[str, Callable[[Resources], Awaitable[list[Service]]]]] = {
    "ingest": _ingest,
    "enrichment": _enrichment,
    "embedding": _embedding,
    "encode": _encode,
    "index": _index,
    "knowledge": _knowledge,
    "retrieval": _retrieval,
    "lifecycle": _lifecycle,
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
        healths = [service.health for service in services if isinstance(service, _REPORTING)]
        services.append(HealthService(healths, await resources.bus(), resources.clock))
        if settings.worker.health_port is not None:
            services.append(HealthPage(healths, settings.worker.health_host, settings.worker.health_port))
        with what_stands_stays():
            await run_services(services, stopping=stopping, on_ready=on_ready)


_REPORTING: Final = (EventWorker, QueryServer, Periodic, Sweeper)


async def prepare(settings: Settings) -> list[str]:
    """Bring the database's schema and the bus's streams to this version; say what was done.

    Safe to call from any number of processes at once, and again.

    Raises:
        SchemaTooNew: a newer version has been here.
        TopologyDrift: a stream differs in a way that no update can mend; the message says what to run.
        BusUnavailable, StoreUnavailable: a server does not answer.
    """
    done: list[str] = []
    admin = settings.stores.postgres_admin_dsn
    if admin is not None:
        done += [f"migrated {name}" for name in await migrate(admin.get_secret_value())]
    async with open_bus(bus_settings(settings), topology(settings)) as bus:
        done += await bus.provision()
    return done


async def run_decay(settings: Settings, user_id: str | None = None, clock: Clock | None = None) -> Summary:
    """Let memories fade once, as of the clock's present; see `Decay.run`."""
    async with AsyncExitStack() as exits:
        resources = Resources(settings, clock or SystemClock(), exits)
        emitter = Emitter(await resources.bus(), resources.clock, "lifecycle")
        decay = Decay(await resources.life(), emitter, resources.clock, settings.lifecycle.floors)
        return await decay.run(resources.clock.now(), user_id)


async def run_backfill(
    settings: Settings, order: BackfillOrder, report: Callable[[Backfilled], None] = lambda _: None
) -> Backfilled:
    """Derive again what former versions have derived; see `Backfill.run`."""
    async with AsyncExitStack() as exits:
        resources = Resources(settings, SystemClock(), exits)
        enrich = await _enrich(resources, patient=not order.dry)
        backfill = Backfill(
            deriving=enrich,
            linking=enrich.linking,
            outdated=await resources.outdated(),
            life=await resources.life(),
            emitter=Emitter(await resources.bus(), resources.clock, "enrichment"),
            index=await resources.backlog(("index",)),
            clock=resources.clock,
            models=resources.model_names,
            batch=settings.enrichment.batch,
        )
        return await backfill.run(order, report)
