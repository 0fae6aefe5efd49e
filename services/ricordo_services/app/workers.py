"""Builds the services of each worker."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

import structlog

from ricordo.bus.nats.topology import SWEEPER
from ricordo.language.data_files import LANGUAGES
from ricordo.language.document import Document
from ricordo.memory.enrichment import enrich
from ricordo.messages.routing import answered_elsewhere
from ricordo.messages.subjects import STREAM_DERIVED, STREAM_IN
from ricordo.models.llm_describer import LlmDescriber
from ricordo.models.ollama import OllamaEntityMatcher
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.consumer_breaker import ConsumerBreakerSettings
from ricordo.runtime.consumption import LoopSettings
from ricordo.runtime.event_worker import Bus, EventWorker, EventWorkerSettings
from ricordo.runtime.gates import AllGates, Gate
from ricordo.runtime.handling import Handler
from ricordo.runtime.periodic import Periodic
from ricordo.runtime.process import Service
from ricordo.runtime.query_server import QueryServer
from ricordo.runtime.sweeper import Sweeper
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.link_store import LinkStore
from ricordo.store.rebuild_sources import ReindexingStore
from ricordo.store.session_store import SessionStore
from ricordo.store.stages import EncodingStore, EnrichmentStore, IndexingStore
from ricordo.store.working_memory_store import NoteStore
from ricordo.urls import bare
from ricordo_services.app.embedding_models import describe_models
from ricordo_services.app.language_models import (
    has_fact_model,
    identity_throttle,
    open_fact_extractor,
    show_fact_models,
)
from ricordo_services.app.passes import nightly, scheduled_passes
from ricordo_services.app.requests import fact_commands, memory_commands, query_server
from ricordo_services.app.resources import Resources
from ricordo_services.embedding.encode import Encode
from ricordo_services.embedding.index import Index, IndexChanges
from ricordo_services.embedding.projection import Projection
from ricordo_services.embedding.rebuild import RebuildIndex
from ricordo_services.embedding.repoint import Repoint
from ricordo_services.enrichment.handlers import Enrich
from ricordo_services.enrichment.linking import Linking, RememberedNeighbourhoods
from ricordo_services.knowledge.handlers import ExtractFacts
from ricordo_services.knowledge.identify import IdentifyByModel
from ricordo_services.lifecycle.handlers import EndSession, Reinforce
from ricordo_services.lifecycle.notes import tidy_notes
from ricordo_services.lifecycle.passes import Reconcile, tidy

_log = structlog.stdlib.get_logger(__name__)

USES_LINGER_S: Final = 0.25
"""Seconds for which uses of memories are gathered, so that they do not slow the next recall."""
STAGE_CONSUMERS: Final = ("encode", "enrichment", "index", "knowledge")
"""The consumers that set a stage of a message."""

_REBUILD_CHECK_S: Final = 3600.0  # besides whenever the index asks for it
_REBUILD_BACKOFF: Final = Backoff(first=2.0, longest=60.0)


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
    """Return the worker that passes the events of a durable consumer to `handler`.

    Args:
        resources: what workers share.
        consumer: to fetch from; also the worker's name.
        handler: takes the events.
        slots: events in flight at most; None for the setting.
        batch: events in one call at most; None for the setting.
        concurrency: concurrent calls.
        linger: seconds to gather more events after the first.
        gates: that must be open besides the database's.
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
    database = resources.probe("postgres", resources.ask_database)
    return EventWorker(
        name=consumer,
        consumer=consumer,
        handler=handler,
        bus=Bus(subscriptions=bus, publisher=bus),
        clock=resources.clock,
        settings=EventWorkerSettings(loop=loop, breaker=breaker),
        gate=AllGates((database, *gates)),
        on_dead_letter=resources.keep_dead_letter,
        priority=resources.priority,
    )


async def encode(resources: Resources) -> list[Service]:
    """Return the worker that encodes memories."""
    batcher, models = await resources.batcher(), await resources.models()
    resources.metrics.add_batcher(batcher)
    encodings = await resources.store(EncodingStore)
    handler = Encode(encodings, batcher, resources.model_names[0], resources.clock)
    # Two batches feed the model, which is given the best of both, while the vectors of a third are written.
    slots = 2 * resources.settings.worker.slots
    worker = await event_worker(resources, "encode", handler, slots=slots, concurrency=3, gates=(batcher,))
    worker.health.counters = lambda: {"encoded": batcher.encoded, **models.counters}
    worker.health.models = describe_models(resources.settings.embedding)
    worker.health.problem = lambda: models.problem or batcher.reason or silence()

    def silence() -> str:
        # a model in process is silent when the machine is busy, a server when something is wrong
        return batcher.silence if models.served else ""

    database = resources.probe("postgres", resources.ask_database)
    worker.health.is_preparing = lambda: models.pulls and not database.reason
    return [worker]


async def index(resources: Resources) -> list[Service]:
    """Return the workers that write the index, and the job that rebuilds a damaged one."""
    indexing = await resources.store(IndexingStore)
    vectors, executor = await resources.known_vectors(), await resources.cpu_executor()
    projection = Projection(indexing, vectors, await resources.known_models(), executor)
    gates = (resources.probe("vectors", resources.ask_vectors_to_write),)
    created = await event_worker(
        resources, "index", Index(projection, indexing, resources.clock), gates=gates
    )
    changes = await event_worker(
        resources, "index-changes", IndexChanges(projection), linger=USES_LINGER_S, gates=gates
    )
    if (own := await resources.local_index()) is None:
        return [created, changes]
    created.health.problem = lambda: own.problem
    created.health.counters = lambda: {"failed_flushes": own.failed_flushes}
    backlog = await resources.backlog(("index",))
    rebuild = RebuildIndex(own, await repoint(resources), backlog, resources.clock)
    return [
        created,
        changes,
        Periodic(
            name="rebuild-index",
            job=rebuild.run,
            interval=_REBUILD_CHECK_S,
            clock=resources.clock,
            backoff=_REBUILD_BACKOFF,
            woken=own.rebuild_wanted,
        ),
    ]


async def repoint(resources: Resources) -> Repoint:
    """Return the job that publishes all memories to the index again."""
    return Repoint(
        memories=await resources.store(ReindexingStore),
        life=await resources.store(LifecycleStore),
        emitter=await resources.emitter("embedding"),
        index=await resources.backlog(("index", "index-changes")),
        clock=resources.clock,
    )


async def embedding(resources: Resources) -> list[Service]:
    """Return the workers that encode memories and write the index."""
    return [*await encode(resources), *await index(resources)]


async def enrichment(resources: Resources) -> list[Service]:
    """Return the worker that enriches memories."""
    handler = await enrich_handler(resources, await resources.describer())
    return [await event_worker(resources, "enrichment", handler)]


async def enrich_handler(resources: Resources, describer: LlmDescriber | None) -> Enrich:
    """Return enrichment's handler, with its word lists loaded.

    Args:
        resources: what workers share.
        describer: the language model; None for the rules alone.
    """
    executor = await resources.cpu_executor()
    await executor.map(_load_rules, LANGUAGES)  # takes some tenths of a second
    return Enrich(
        await resources.store(EnrichmentStore),
        await resources.tokens(),
        resources.clock,
        executor,
        await linker(resources),
        describer,
        await resources.emotion_encoder(),
    )


def _load_rules(language: str) -> None:
    enrich(Document("My father died.", language))


async def linker(resources: Resources) -> Linking:
    """Return the linker of related memories."""
    settings = resources.settings.links
    return Linking(
        await resources.store(LinkStore),
        await resources.cpu_executor(),
        await resources.known_models(),
        settings.threshold,
        RememberedNeighbourhoods(settings.cache_mb * 1024**2),
    )


async def knowledge(resources: Resources) -> list[Service]:
    """Return the worker that extracts facts, the commands on facts, and identity resolution."""
    await (await resources.graph()).prepare()
    executor, settings = await resources.cpu_executor(), resources.settings.knowledge
    ledger = FactLedger(await resources.database(), executor, doubting=has_fact_model(settings))
    opening = open_fact_extractor(settings, resources.clock, executor)
    reader = await resources.open("statements", opening)
    handler = ExtractFacts(ledger, await resources.graph_projector(), resources.clock, reader)
    gate = resources.probe("graph", resources.ask_graph)
    worker = await event_worker(resources, "knowledge", handler, gates=(gate,))
    show_fact_models(reader, settings, worker.health)
    return [worker, *await fact_commands(resources, ledger), *await _identify(resources, ledger)]


async def _identify(resources: Resources, ledger: FactLedger) -> list[Service]:
    """Return the job that asks a language model who is who; nothing without a model."""
    settings, clock = resources.settings.knowledge, resources.clock
    if not has_fact_model(settings):
        return []
    opening = OllamaEntityMatcher.open(settings.ollama_url, settings.model, timeout=settings.budget_s)
    identify = IdentifyByModel(
        ledger=ledger,
        follow=await resources.graph_projector(),
        reader=await resources.open("identities", opening),
        throttle=identity_throttle(settings, clock),
        tenants=(await resources.store(LifecycleStore)).tenants,
        backlog=await resources.backlog(("knowledge",)),
        ask_graph=resources.ask_graph,
    )
    job = Periodic(name="identify", job=identify.run, interval=settings.identify_every_s, clock=clock)
    job.health.counters = lambda: identify.counters
    job.health.problem = lambda: identify.problem
    job.health.models = {"identity_model": settings.model, "identity_server": bare(settings.ollama_url)}
    return [job]


async def retrieval(resources: Resources) -> list[Service]:
    """Return the server of every query."""
    for name in resources.settings.ranking.without_effect:
        _log.warning("setting has no effect on this profile", setting=f"ranking.{name}", profile="human")
    return [await query_server(resources)]


async def lifecycle(resources: Resources) -> list[Service]:
    """Return the consumers of uses and sessions, the passes, the commands on memories, and the sweeper."""
    settings, clock = resources.settings.lifecycle, resources.clock
    bus, life = await resources.bus(), await resources.store(LifecycleStore)
    notebook = await resources.store(NoteStore)

    async def daily() -> None:
        await tidy(life, clock.now(), timedelta(days=settings.recall_effects_days))
        await tidy_notes(life, notebook, clock.now(), timedelta(hours=settings.working_memory_h))

    reconcile = Reconcile(
        life,
        await resources.emitter("lifecycle"),
        await resources.backlog(STAGE_CONSUMERS),
        clock,
        resources.model_names[0],
        timedelta(seconds=settings.reconcile_after_s),
    )
    sessions = EndSession(await resources.store(SessionStore), clock)
    return [
        await event_worker(resources, "reinforce", Reinforce(life), linger=USES_LINGER_S),
        await event_worker(resources, "sessions", sessions),
        *await scheduled_passes(resources),
        Periodic(name="tidy", job=daily, interval=nightly(settings), clock=clock),
        Periodic(name="reconcile", job=reconcile.run, interval=settings.reconcile_every_s, clock=clock),
        QueryServer(
            name="commands",
            kind="command",
            routes=await memory_commands(resources),
            responder=bus,
            publisher=bus,
            clock=clock,
            priority=resources.priority,
            excluded=answered_elsewhere("commands"),
        ),  # a command without a route is answered with `unavailable`
        Sweeper(
            consumer=SWEEPER,
            bus=Bus(subscriptions=bus, publisher=bus),
            streams=bus,
            sweeps=(STREAM_IN, STREAM_DERIVED),
            work_queues=bus.topology.work_queues,
            clock=clock,
            on_dead_letter=resources.keep_dead_letter,
        ),
    ]
