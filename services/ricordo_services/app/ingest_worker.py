"""Builds the services of the ingest worker."""

from dataclasses import replace
from typing import Final

from ricordo.documents.readers.reader_process import ReaderProcess
from ricordo.documents.reading_limits import ReadingLimits
from ricordo.memory.documents.cutting import ExtractSize
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.gates import BacklogGate
from ricordo.runtime.process import Service
from ricordo.store.document_store import DocumentStore
from ricordo.store.erasure import ErasureStore
from ricordo.store.intake import IntakeLimits, IntakeStore
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo_services.app.request_handlers import export_server
from ricordo_services.app.resources import Resources
from ricordo_services.app.service_factories import event_worker, periodic
from ricordo_services.backpressure import Pace
from ricordo_services.ingest import document_storage, tenant_round_robin
from ricordo_services.ingest.admission import AdmissionController
from ricordo_services.ingest.document_extraction import DocumentExtraction
from ricordo_services.ingest.document_storage import DocumentDeletion, DocumentStorage
from ricordo_services.ingest.fair_read_ahead import READ_AHEAD_INTERVAL_S, FairReadAhead
from ricordo_services.ingest.ingest_handler import IngestHandler
from ricordo_services.ingest.tenant_round_robin import TenantRoundRobin

STAGE_CONSUMERS: Final = ("encode", "enrichment", "index", "knowledge")
"""The consumers that set a stage of a message."""
_PAUSE_S: Final = 0.05  # between two looks for room: in a longer one workers would run out of work
_LONGEST_PAUSE_S: Final = 0.5
_REFUSED: Final = Backoff(first=1.0, longest=30.0)
_NOT_WAITED_FOR: Final = frozenset({"knowledge"})  # a message is found without its facts


async def ingest(resources: Resources) -> list[Service]:
    """Return ingest's live and bulk consumers, admission, documents and export."""
    worker, quotas, clock = resources.settings.worker, resources.settings.quotas, resources.clock
    storage, document_services = await _documents(resources)
    limits = IntakeLimits(kept=quotas.messages or None, kept_a_day=quotas.messages_per_day or None)
    bulk = await resources.store(lambda database: IntakeStore(database, limits))
    paced = replace(limits, under_way=worker.under_way)
    intake = await resources.store(lambda database: IntakeStore(database, paced))
    # All share one queue, which an import must not fill; live messages that are not ingested yet count too.
    backlog = await resources.backlog(*STAGE_CONSUMERS, "ingest")
    pace = Pace(
        backlog, clock, delay=worker.import_delay_s, most=worker.import_backlog, dispensable=_NOT_WAITED_FOR
    )
    gate = BacklogGate(pace.waiting, pace.limit, clock, _PAUSE_S, _LONGEST_PAUSE_S)
    order = TenantRoundRobin(await resources.store(LifecycleStore), clock)
    admit = AdmissionController(
        deferred=intake, emitter=await resources.emitter("ingest"), turns=order, gate=gate, clock=clock
    )
    live = IngestHandler(intake, clock, storage=storage, schedule=order.schedule)
    imported = IngestHandler(bulk, clock, source="import", storage=storage, schedule=order.schedule)
    overtake = FairReadAhead(
        bus=await resources.bus(),
        handler=live,
        gate=resources.database_gate,
        clock=clock,
        priority=resources.priority,
    )
    slots = worker.import_slots
    return [
        # One batch after the other: of two bodies under one id, the first published is the first to arrive.
        await event_worker(resources, "ingest", live),
        # Small batches: the gate is checked before each.
        await event_worker(resources, "ingest-bulk", imported, (gate,), slots=slots, batch=-(-slots // 2)),
        periodic(resources, "overtake", overtake.run, READ_AHEAD_INTERVAL_S, backoff=_REFUSED),
        periodic(resources, "admit", admit.run, tenant_round_robin.POLL_INTERVAL_S, woken=order.woken),
        *document_services,
        await export_server(resources),
    ]


async def _documents(resources: Resources) -> tuple[DocumentStorage | None, list[Service]]:
    """Return the storage of documents, their reader and the deletion; nothing without an object store."""
    objects = await resources.documents()
    if objects is None:
        return None, []
    settings, clock = resources.settings.documents, resources.clock
    known, life = await resources.store(DocumentStore), await resources.store(LifecycleStore)
    order = TenantRoundRobin(life, clock)
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
        turns=order,
        emitter=await resources.emitter("ingest"),
        clock=clock,
        executor=await resources.cpu_executor(),
        size=ExtractSize(settings.extract_min_tokens, settings.extract_max_tokens, settings.max_extracts),
    )
    deletion = DocumentDeletion(await resources.store(ErasureStore), objects, life)
    return DocumentStorage(objects, known, order.schedule), [
        periodic(resources, "documents", reading.run, tenant_round_robin.POLL_INTERVAL_S, woken=order.woken),
        periodic(resources, "discarded", deletion.run, document_storage.DELETION_INTERVAL_S),
    ]
