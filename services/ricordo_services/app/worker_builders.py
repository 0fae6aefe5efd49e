"""Builds the services of each worker."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Final

import structlog

from ricordo.documents.readers.reader_process import ReaderProcess
from ricordo.documents.reading_limits import ReadingLimits
from ricordo.memory.document_cutting import ExtractSize
from ricordo.models.llm_describer import LlmDescriber
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.periodic import Periodic
from ricordo.runtime.process import Service
from ricordo.runtime.sweeper import Sweeper
from ricordo.store.document_store import DocumentStore
from ricordo.store.enrichment_store import EnrichmentStore
from ricordo.store.erasure import ErasureStore
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.intake import IntakeLimits, IntakeStore
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.reprocessing import ReindexingStore
from ricordo.store.session_store import SessionStore
from ricordo.store.stages import EncodingStore, IndexingStore
from ricordo.store.working_memory_store import NoteStore
from ricordo.urls import bare
from ricordo_services.app.embedding_models import describe_models
from ricordo_services.app.language_models import (
    open_describer,
    open_fact_extractor,
    open_llm,
    show_fact_models,
)
from ricordo_services.app.passes import nightly, scheduled_passes
from ricordo_services.app.request_handlers import export_server, fact_commands, memory_commands, queries
from ricordo_services.app.resources import Resources
from ricordo_services.app.service_factories import both_lanes, bulk_worker, event_worker
from ricordo_services.embedding.encode_handler import EncodeHandler
from ricordo_services.embedding.index_handlers import IndexChangeHandler, IndexHandler
from ricordo_services.embedding.index_projection import Projection
from ricordo_services.embedding.reindexing import IndexRebuild, Reindexing
from ricordo_services.enrichment.enrichment_handler import EnrichmentHandler
from ricordo_services.gateway.service import Gateway
from ricordo_services.ingest.document_extraction import (
    DELETION_INTERVAL_S,
    POLL_INTERVAL_S,
    DocumentDeletion,
    DocumentExtraction,
    DocumentStorage,
)
from ricordo_services.ingest.ingest_handler import IngestHandler, LiveLane
from ricordo_services.knowledge.fact_handler import FactHandler
from ricordo_services.knowledge.graph_projector import GraphCatchUp
from ricordo_services.knowledge.identity_resolution import IdentityResolution
from ricordo_services.lifecycle.lifecycle_handlers import Reinforce, SessionEndHandler
from ricordo_services.lifecycle.reconciliation import Reconciliation, tidy

_log = structlog.stdlib.get_logger(__name__)

USES_LINGER_S: Final = 0.25
"""Seconds for which uses of memories are gathered, so that they do not slow the next recall."""

_BATCH_FACTOR: Final = 3  # its messages take little time each
_SLOTS_FACTOR: Final = 8
"""Times as many messages in flight as elsewhere: others wait for little of what one user sends at once."""
_CATCH_UP_S: Final = 10.0
_BULK_BATCH: Final = 16
_LIVE_BATCH: Final = 32
_REBUILD_CHECK_S: Final = 3600.0  # besides whenever the index asks for it
_REBUILD_BACKOFF: Final = Backoff(first=2.0, longest=60.0)


async def ingest(resources: Resources) -> list[Service]:
    """Return ingest's live and bulk consumers, documents and export."""
    quotas, clock = resources.settings.quotas, resources.clock
    storage, document_services = await _documents(resources)
    limits = IntakeLimits(kept=quotas.messages or None, kept_a_day=quotas.messages_per_day or None)
    intake = await resources.store(lambda database: IntakeStore(database, limits))
    lane = LiveLane(resources.settings.worker.live_burst)
    live = await event_worker(
        resources,
        "ingest",
        IngestHandler(intake, clock, lane, storage=storage),
        slots=_SLOTS_FACTOR * resources.settings.worker.slots,
        batch=min(200, _BATCH_FACTOR * resources.settings.worker.batch),
    )
    imported = IngestHandler(intake, clock, None, source="import", storage=storage)
    return [
        # One batch after the other: of two bodies under one id, the first published is the first to arrive.
        live,
        await bulk_worker(resources, live, imported),
        *document_services,
        await export_server(resources),
    ]


async def _documents(resources: Resources) -> tuple[DocumentStorage | None, list[Service]]:
    """Return the storage of documents, their reader and the deletion; nothing without an object store."""
    objects = await resources.documents()
    if objects is None:
        return None, []
    settings, clock = resources.settings.documents, resources.clock
    known, lifecycle_store = await resources.store(DocumentStore), await resources.store(LifecycleStore)
    limits = ReadingLimits(
        seconds=settings.read_seconds,
        memory_mb=settings.read_memory_mb,
        pages=settings.max_pages,
        characters=settings.max_characters,
    )
    reading = DocumentExtraction(
        documents=known,
        objects=objects,
        reader=ReaderProcess(limits),
        tokens=await resources.tokens(),
        lifecycle_store=lifecycle_store,
        emitter=await resources.emitter("ingest"),
        clock=clock,
        executor=await resources.cpu_executor(),
        size=ExtractSize(settings.extract_min_tokens, settings.extract_max_tokens, settings.max_extracts),
    )
    deletion = DocumentDeletion(await resources.store(ErasureStore), objects, lifecycle_store)
    return DocumentStorage(objects, known, reading.schedule), [
        Periodic("documents", reading.run, POLL_INTERVAL_S, resources.clock, woken=reading.woken),
        Periodic("discarded", deletion.run, DELETION_INTERVAL_S, resources.clock),
    ]


async def encode(resources: Resources) -> list[Service]:
    """Return the worker that encodes memories."""
    batcher, models = await resources.batcher(), await resources.models()
    resources.metrics.add_batcher(batcher)
    handler = EncodeHandler(
        await resources.store(EncodingStore),
        batcher,
        resources.model_names[0],
        resources.clock,
        await resources.reader(),
    )
    # What a user may have on the live lane is in flight, so that others take their turns before it. A text
    # waits for those that the model was given before: few, and fewer of the bulk lane.
    worker = await event_worker(
        resources,
        "encode",
        handler,
        (batcher,),
        slots=resources.settings.worker.live_burst + resources.settings.worker.slots,
        batch=_LIVE_BATCH,
        concurrency=2,
    )
    bulk = await bulk_worker(resources, worker, handler, (batcher,), batch=_BULK_BATCH, concurrency=2)
    worker.health.counters = lambda: {
        "encoded": batcher.encoded,
        "refused": batcher.refused,
        **models.counters,
    }
    worker.health.models = describe_models(resources.settings.embedding)
    # a model in process is silent when the machine is busy, a server when something is wrong
    worker.health.problem = lambda: (
        models.problem or batcher.reason or (batcher.silence if models.served else "")
    )
    for lane_worker in (worker, bulk):
        lane_worker.health.is_preparing = lambda: models.pulls and not resources.database_gate.reason
    return [worker, bulk]


async def index(resources: Resources) -> list[Service]:
    """Return the workers that write the index, and the job that rebuilds a damaged one."""
    indexing = await resources.store(IndexingStore)
    vectors, executor = await resources.known_vectors(), await resources.cpu_executor()
    projection = Projection(indexing, vectors, await resources.known_models(), executor)
    gates = (resources.vectors_gate,)
    handler = IndexHandler(projection, indexing, resources.clock)
    created, bulk = await both_lanes(resources, "index", handler, gates)
    changes = await event_worker(
        resources, "index-changes", IndexChangeHandler(projection), gates, linger=USES_LINGER_S
    )
    services = [created, bulk, changes]
    if (own := await resources.local_index()) is None:
        return [*services]
    created.health.problem = lambda: own.problem
    created.health.counters = lambda: {"failed_flushes": own.failures.flushes}
    backlog = await resources.backlog("index-bulk")
    rebuild = IndexRebuild(own, await build_reindexing(resources), backlog, resources.clock)
    job = Periodic(
        "rebuild-index",
        rebuild.run,
        _REBUILD_CHECK_S,
        resources.clock,
        woken=own.rebuild_wanted,
        backoff=_REBUILD_BACKOFF,
    )
    return [*services, job]


async def build_reindexing(resources: Resources) -> Reindexing:
    """Return the job that publishes all memories to the index again."""
    return Reindexing(
        memories=await resources.store(ReindexingStore),
        lifecycle_store=await resources.store(LifecycleStore),
        emitter=await resources.emitter("embedding"),
        index=await resources.backlog("index-bulk", "index-changes"),
        clock=resources.clock,
    )


async def embedding(resources: Resources) -> list[Service]:
    """Return the workers that encode memories and write the index."""
    return [*await encode(resources), *await index(resources)]


async def enrichment(resources: Resources) -> list[Service]:
    """Return the worker that enriches memories."""
    opening = open_describer(resources.settings, resources.clock)
    handler = await enrich_handler(resources, await resources.enter(opening))
    return [*await both_lanes(resources, "enrichment", handler)]


async def enrich_handler(resources: Resources, describer: LlmDescriber | None) -> EnrichmentHandler:
    """Return the handler; `describer` is None for the rules alone."""
    return EnrichmentHandler(
        await resources.store(EnrichmentStore),
        await resources.tokens(),
        resources.clock,
        await resources.cpu_executor(),
        describer,
        resources.reader,
    )


async def knowledge(resources: Resources) -> list[Service]:
    """Return the workers that extract and project facts, the commands on them, and identity resolution."""
    executor, settings = await resources.cpu_executor(), resources.settings.knowledge
    ledger = FactLedger(await resources.database(), executor, record_doubts=bool(settings.llm))
    reader = await resources.enter(open_fact_extractor(resources.settings, resources.clock, executor))
    handler = FactHandler(ledger, resources.clock, reader)
    lanes = await both_lanes(resources, "knowledge", handler)
    for lane in lanes:
        show_fact_models(reader, settings, lane.health)
    projector, changed = await resources.graph_projector(), asyncio.Event()
    graph = await event_worker(resources, "graph", projector, (resources.graph_gate,))
    catch_up = GraphCatchUp(projector, await resources.store(LifecycleStore), resources.clock)
    job = Periodic("graph-catch-up", catch_up.run, _CATCH_UP_S, resources.clock, woken=changed)
    commands = await fact_commands(resources, ledger, changed.set)
    return [*lanes, graph, job, *commands, *await _identify(resources, ledger, changed.set)]


async def _identify(
    resources: Resources, ledger: FactLedger, project_soon: Callable[[], None]
) -> list[Service]:
    """Return the job that resolves identities by a language model, if there is one."""
    settings = resources.settings.knowledge
    opening = open_llm(
        settings,
        resources.settings.llm,
        resources.clock,
        "identities are resolved",
        pull=False,  # the extraction of facts pulls the same model
    )
    if (model := await resources.enter(opening)) is None:
        return []
    lifecycle_store, backlog = (
        await resources.store(LifecycleStore),
        await resources.backlog("knowledge", "knowledge-bulk"),
    )
    identify = IdentityResolution(ledger, project_soon, model, lifecycle_store.tenants, backlog)
    job = Periodic("identify", identify.run, settings.identify_every_s, resources.clock)
    job.health.counters = lambda: identify.counters
    job.health.problem = lambda: identify.problem
    job.health.models = {"identity_model": settings.llm, "identity_server": bare(settings.url or "")}
    return [job]


async def retrieval(resources: Resources) -> list[Service]:
    """Return the server of every query."""
    for name in resources.settings.ranking.without_effect:
        _log.warning("setting has no effect on this profile", setting=f"ranking.{name}", profile="human")
    return [await queries(resources)]


async def lifecycle(resources: Resources) -> list[Service]:
    """Return the consumers of uses and sessions, the passes, the commands on memories, and the sweeper."""
    settings, clock = resources.settings.lifecycle, resources.clock
    bus, lifecycle_store = await resources.bus(), await resources.store(LifecycleStore)
    notes = await resources.store(NoteStore)

    async def daily() -> None:
        await tidy(
            lifecycle_store,
            notes,
            clock.now(),
            uses_kept=timedelta(days=settings.recall_effects_days),
            notes_kept=timedelta(hours=settings.working_memory_h),
        )

    reconcile = Reconciliation(
        lifecycle_store,
        await resources.emitter("lifecycle"),
        bus.oldest_unsettled,
        clock,
        timedelta(seconds=settings.reconcile_after_s),
    )
    sessions = SessionEndHandler(await resources.store(SessionStore), clock)
    sweeper = Sweeper(bus=bus, clock=clock, record_dead_letter=resources.record_dead_letter)
    return [
        await event_worker(resources, "reinforce", Reinforce(lifecycle_store), linger=USES_LINGER_S),
        await event_worker(resources, "sessions", sessions),
        *await scheduled_passes(resources),
        Periodic("tidy", daily, nightly(settings), resources.clock),
        Periodic("reconcile", reconcile.run, settings.reconcile_every_s, resources.clock),
        await memory_commands(resources),
        sweeper,
    ]


async def gateway(resources: Resources) -> list[Service]:
    """Return the gateway; it is a client of the bus, and uses nothing else of a process."""
    return [Gateway(resources.settings.bus, resources.settings.gateway, resources.clock)]
