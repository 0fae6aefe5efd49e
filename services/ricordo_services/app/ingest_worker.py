"""Builds the services of the ingest worker."""

from typing import Final

from ricordo.documents.readers.reader_process import ReaderProcess
from ricordo.documents.reading_limits import ReadingLimits
from ricordo.memory.documents.cutting import ExtractSize
from ricordo.runtime.periodic import Periodic
from ricordo.runtime.process import Service
from ricordo.store.document_store import DocumentStore
from ricordo.store.erasure import ErasureStore
from ricordo.store.intake import IntakeLimits, IntakeStore
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo_services.app.request_handlers import export_server
from ricordo_services.app.resources import Resources
from ricordo_services.app.service_factories import bulk_lane, event_worker
from ricordo_services.ingest.document_extraction import (
    DELETION_INTERVAL_S,
    POLL_INTERVAL_S,
    DocumentDeletion,
    DocumentExtraction,
    DocumentStorage,
    TenantRoundRobin,
)
from ricordo_services.ingest.ingest_handler import IngestHandler, LiveLane

_BATCH_FACTOR: Final = 3  # its messages take little time each
_SLOTS_FACTOR: Final = 8
"""Times as many messages in flight as elsewhere: others wait for little of what one user sends at once."""


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
        await event_worker(resources, "ingest-bulk", imported, lane=await bulk_lane(resources, live)),
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
        Periodic("documents", reading.run, POLL_INTERVAL_S, resources.clock, woken=order.woken),
        Periodic("discarded", deletion.run, DELETION_INTERVAL_S, resources.clock),
    ]
