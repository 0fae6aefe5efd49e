"""What the tests of documents work on: objects and a reader that fail as they are told."""

import asyncio
import math
from base64 import b64encode
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from uuid import UUID, uuid4

from obstore.store import MemoryStore
from tests.contract.store.passes import Emitted
from tests.contract.store.stores import Stores
from tests.support.factories import at
from tests.support.manual_clock import ManualClock

from ricordo.documents.object_store import ObjectStore
from ricordo.documents.readers.reader_process import ReaderProcess
from ricordo.documents.records import DocumentRecord, ObjectsUnavailable, object_key
from ricordo.memory.document_cutting import DocumentPart
from ricordo.messages.events import MessageReceived
from ricordo.runtime.handling import Envelope, Outcome
from ricordo.store.document_store import DocumentStore
from ricordo_services.ingest.document_extraction import DocumentExtraction, DocumentStorage
from ricordo_services.ingest.ingest_handler import IngestHandler

WORD = b"A first word."


class FlakyObjects(ObjectStore):
    """An object store whose methods named in `away` fail."""

    def __init__(self) -> None:
        self.kept = ObjectStore(MemoryStore())
        self.away: set[str] = set()
        self.deleting: Callable[[], Awaitable[object]] | None = None

    def _open(self, method: str) -> ObjectStore:
        if method in self.away:
            raise ObjectsUnavailable("away")
        return self.kept

    async def put(self, key: str, data: bytes) -> None:
        await self._open("put").put(key, data)

    async def get(self, key: str) -> bytes:
        return await self._open("get").get(key)

    async def delete(self, key: str) -> None:
        if self.deleting is not None:
            await self.deleting()
        await self._open("delete").delete(key)


class TextReader(ReaderProcess):
    """Reads every document as text, when it may; `begin` is called before."""

    def __init__(self) -> None:
        self.free = asyncio.Event()
        self.free.set()
        self.begun = 0
        self.begin: Callable[[bytes], Awaitable[object] | None] = lambda _: None

    async def read(self, name: str, media_type: str, data: bytes) -> Sequence[DocumentPart]:
        self.begun += 1
        if (more := self.begin(data)) is not None:
            await more
        await self.free.wait()
        return [DocumentPart(text=data.decode())]

    def count(self, text: str) -> int:
        return len(text.split())


class Bench:
    """IngestHandler and the reading of documents, with all that they work on."""

    def __init__(self, stores: Stores) -> None:
        self.stores, self.objects, self.reader = stores, FlakyObjects(), TextReader()
        self.emitted, self.clock = Emitted(), ManualClock()
        self.documents = DocumentStore(stores.database)
        self.reading = DocumentExtraction(
            documents=self.documents,
            objects=self.objects,
            reader=self.reader,
            tokens=self.reader,
            lifecycle_store=stores.lifecycle,
            emitter=self.emitted,
            clock=self.clock,
            executor=stores.executor,
        )
        self.reading.due = math.inf  # what other tests left waiting is theirs
        storage = DocumentStorage(self.objects, self.documents, self.reading.schedule)
        self.ingest = IngestHandler(stores.intake, self.clock, None, storage=storage)

    async def say(self, *messages: MessageReceived, tenant: str | None = None) -> Sequence[Outcome]:
        tenant = tenant or self.stores.tenant
        subject = "memory.v1.x.message.received"
        return await self.ingest(
            tenant, [Envelope(tenant, uuid4(), subject, one, 1, None, one.timestamp) for one in messages]
        )

    async def read(self) -> None:
        self.reading.schedule(self.stores.tenant)
        await self.reading.run()

    async def claim(self) -> UUID | None:
        """Claim a document for a quarter of a minute."""
        now = self.clock.now()
        found = await self.documents.claim(self.stores.tenant, now, now + timedelta(seconds=15))
        return None if found is None else found.memory_id

    async def about(self, message_id: str = "m-1") -> DocumentRecord:
        found = await self.documents.about(self.stores.tenant, self.stores.id(message_id))
        assert found is not None
        return found

    async def state(self, message_id: str = "m-1") -> str:
        return (await self.about(message_id)).state

    def key(self, data: bytes = WORD, message_id: str = "m-1") -> str:
        return object_key(self.stores.tenant, "u-1", message_id, data)


def message(
    message_id: str = "m-1", content: str = "Look.", data: bytes | None = WORD, user_id: str = "u-1"
) -> MessageReceived:
    """Return a message that brings a document, unless that is None."""
    document = {"name": "a.txt", "media_type": "text/plain", "data": b64encode(data or b"").decode()}
    fields = {
        "id": message_id,
        "user_id": user_id,
        "conversation_id": "c-1",
        "role": "user",
        "content": content,
        "timestamp": at(0),
        "tags": ["home"],
        "speaker": "Ada",
        "document": None if data is None else document,
    }
    return MessageReceived.model_validate(fields)
