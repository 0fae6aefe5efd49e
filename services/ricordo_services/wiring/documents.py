"""What ingest does with documents: where they are kept, and what reads them."""

import asyncio

from ricordo.documents.objects import Bucket, in_bucket, in_folder
from ricordo.documents.port import ObjectStore
from ricordo.documents.reader import ReadingLimits
from ricordo.documents.readers.process import ReaderProcess
from ricordo.memory.documents.cutting import Size
from ricordo.runtime.emitting import Emitter
from ricordo.runtime.periodic import Periodic
from ricordo.runtime.process import Service
from ricordo.settings import DocumentSettings
from ricordo.store.documents import PostgresDocuments
from ricordo.store.erasing import PostgresErasing
from ricordo.store.life import PostgresLife
from ricordo_services.ingest.discarding import LOOK_EVERY_S as DISCARDED_EVERY_S
from ricordo_services.ingest.discarding import DeleteDiscarded
from ricordo_services.ingest.documents import DocumentStorage
from ricordo_services.ingest.reading import ReadDocuments
from ricordo_services.ingest.turns import LOOK_EVERY_S, Turns
from ricordo_services.resources import Resources


async def documents(resources: Resources) -> tuple[DocumentStorage | None, list[Service]]:
    """Return what stores documents, and what reads them; nothing where no place is set to keep them."""
    objects = await kept_objects(resources.settings.documents)
    if objects is None:
        return None, []
    settings, known = resources.settings.documents, await resources.store(PostgresDocuments)
    reading = ReadDocuments(
        documents=known,
        objects=objects,
        reader=ReaderProcess(_limits(settings)),
        tokens=await resources.tokens(),
        turns=Turns(await resources.store(PostgresLife), resources.clock),
        emitter=Emitter(await resources.bus(), resources.clock, "ingest"),
        clock=resources.clock,
        beside=await resources.beside(),
        size=Size(settings.extract_least, settings.extract_most, settings.most_extracts),
    )
    service = Periodic(
        name="documents",
        job=reading.run,
        interval=LOOK_EVERY_S,
        clock=resources.clock,
        woken=reading.turns.woken,
    )
    deleting = DeleteDiscarded(
        await resources.store(PostgresErasing), objects, await resources.store(PostgresLife)
    )
    discarding = Periodic(
        name="discarded", job=deleting.run, interval=DISCARDED_EVERY_S, clock=resources.clock
    )
    return DocumentStorage(objects, known, reading.turns.tell), [service, discarding]


async def kept_objects(settings: DocumentSettings) -> ObjectStore | None:
    """Return where documents are kept; None where no place is set."""
    if settings.bucket is None:
        return None if settings.dir is None else await asyncio.to_thread(in_folder, settings.dir)
    name, prefix = settings.bucket
    secret = settings.secret_access_key
    return in_bucket(
        Bucket(
            name=name,
            prefix=prefix,
            endpoint=settings.endpoint,
            region=settings.region,
            access_key_id=settings.access_key_id,
            secret_access_key=None if secret is None else secret.get_secret_value(),
        )
    )


def _limits(settings: DocumentSettings) -> ReadingLimits:
    return ReadingLimits(
        seconds=settings.read_seconds,
        memory_mb=settings.read_memory_mb,
        pages=settings.most_pages,
        characters=settings.most_characters,
    )
