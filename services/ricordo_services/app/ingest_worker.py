"""Builds the services of the ingest worker."""

from dataclasses import replace
from typing import Final

from ricordo.documents.reader import ReadingLimits
from ricordo.documents.readers.process import ReaderProcess
from ricordo.memory.documents.cutting import ExtractSize
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.gates import BacklogGate
from ricordo.runtime.periodic import Periodic
from ricordo.runtime.process import Service
from ricordo.store.document_store import DocumentStore
from ricordo.store.erasure import ErasureStore
from ricordo.store.intake import IntakeLimits, IntakeStore
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo_services.app.requests import export_server
from ricordo_services.app.resources import Resources
from ricordo_services.app.workers import STAGE_CONSUMERS, event_worker
from ricordo_services.backpressure import Pace
from ricordo_services.ingest import discarding, turns
from ricordo_services.ingest.admitting import Admit
from ricordo_services.ingest.discarding import DeleteDiscarded
from ricordo_services.ingest.documents import DocumentStorage
from ricordo_services.ingest.handlers import Ingest
from ricordo_services.ingest.overtaking import OVERTAKES_EVERY_S, Overtake
from ricordo_services.ingest.reading import ReadDocuments
from ricordo_services.ingest.turns import Turns

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
    backlog = await resources.backlog((*STAGE_CONSUMERS, "ingest"))
    pace = Pace(
        backlog, clock, delay=worker.import_delay_s, most=worker.import_backlog, dispensable=_NOT_WAITED_FOR
    )
    gate = BacklogGate(pace.waiting, pace.limit, clock, _PAUSE_S, _LONGEST_PAUSE_S)
    admit = Admit(
        deferred=intake,
        emitter=await resources.emitter("ingest"),
        turns=Turns(await resources.store(LifecycleStore), clock),
        gate=gate,
        clock=clock,
    )
    live = Ingest(intake, clock, storage=storage, tell=admit.turns.tell)
    imported = Ingest(bulk, clock, source="import", storage=storage, tell=admit.turns.tell)
    overtake = Overtake(
        bus=await resources.bus(),
        handler=live,
        gate=resources.probe("postgres", resources.ask_database),
        clock=clock,
        priority=resources.priority,
    )
    slots = worker.import_slots
    return [
        # One batch after the other: of two bodies under one id, the first published is the first to arrive.
        await event_worker(resources, "ingest", live),
        # Small batches: the gate is checked before each.
        await event_worker(
            resources, "ingest-bulk", imported, slots=slots, batch=-(-slots // 2), gates=(gate,)
        ),
        Periodic(
            name="overtake", job=overtake.run, interval=OVERTAKES_EVERY_S, clock=clock, backoff=_REFUSED
        ),
        Periodic(
            name="admit", job=admit.run, interval=turns.LOOK_EVERY_S, clock=clock, woken=admit.turns.woken
        ),
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
    reading = ReadDocuments(
        documents=known,
        objects=objects,
        reader=ReaderProcess(
            ReadingLimits(
                seconds=settings.read_seconds,
                memory_mb=settings.read_memory_mb,
                pages=settings.max_pages,
                characters=settings.max_characters,
            )
        ),
        tokens=await resources.tokens(),
        turns=Turns(life, clock),
        emitter=await resources.emitter("ingest"),
        clock=clock,
        beside=await resources.cpu_executor(),
        size=ExtractSize(settings.extract_min_tokens, settings.extract_max_tokens, settings.max_extracts),
    )
    deletion = DeleteDiscarded(await resources.store(ErasureStore), objects, life)
    return DocumentStorage(objects, known, reading.turns.tell), [
        Periodic(
            name="documents",
            job=reading.run,
            interval=turns.LOOK_EVERY_S,
            clock=clock,
            woken=reading.turns.woken,
        ),
        Periodic(name="discarded", job=deletion.run, interval=discarding.LOOK_EVERY_S, clock=clock),
    ]
