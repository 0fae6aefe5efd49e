"""Documents are stored and extracted while objects, database or readers fail."""

import asyncio
import math
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import pytest
import pytest_asyncio
from obstore.store import MemoryStore
from tests.contract.store.conftest import Dsns
from tests.contract.store.passes import Emitted
from tests.contract.store.stores import Stores
from tests.fixtures.eventually import eventually
from tests.fixtures.relay import Relay
from tests.support.factories import at
from tests.support.manual_clock import ManualClock, settle

from ricordo.documents.object_store import ObjectStore
from ricordo.documents.readers.reader_process import ReaderProcess
from ricordo.documents.records import DocumentRecord, ObjectMissing, ObjectsUnavailable, object_key
from ricordo.language.annotations import MemoryKind, MemorySource
from ricordo.memory.document_cutting import DocumentPart
from ricordo.messages.events import MessageReceived
from ricordo.runtime.handling import Done, Envelope, Outcome, Reject, Retry
from ricordo.store.database import Database, StoreUnavailable
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
            life=stores.lifecycle,
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

    async def about(self, message_id: str = "m-1") -> DocumentRecord:
        found = await self.documents.about(self.stores.tenant, self.stores.id(message_id))
        assert found is not None
        return found

    async def state(self, message_id: str = "m-1") -> str:
        return (await self.about(message_id)).state

    def key(self, data: bytes = WORD, message_id: str = "m-1") -> str:
        return object_key(self.stores.tenant, "u-1", message_id, data)


@pytest.fixture
def bench(stores: Stores) -> Bench:
    return Bench(stores)


@pytest_asyncio.fixture(loop_scope="module")
async def relay(dsns: Dsns) -> AsyncIterator[Relay]:
    """Yield a way to the database that can be cut."""
    where = urlsplit(dsns.worker)
    relay = Relay(where.hostname or "127.0.0.1", where.port or 5432)
    await relay.open()
    yield relay
    await relay.cut()


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


async def test_an_extract_takes_who_when_and_where_from_its_message(bench: Bench) -> None:
    await bench.say(message())
    await bench.read()
    (made,) = await bench.stores.found(*(await bench.about()).extract_ids)
    source = await bench.stores.memory("m-1")
    assert (made.kind, made.title, made.content) == (MemoryKind.EXTRACT, "a.txt", "A first word.")
    assert (made.source, made.source_ids, made.message_id) == (MemorySource.CONVERSATION, (source.id,), None)
    taken = ("conversation_id", "role", "speaker", "created_at", "timezone", "participants", "tags", "trust")
    assert {name: getattr(made, name) for name in taken} == {name: getattr(source, name) for name in taken}
    assert [one.name for one in bench.emitted.events] == ["memory.created"]


async def test_objects_that_are_away_hold_up_only_messages_with_documents(bench: Bench) -> None:
    bench.objects.away = {"put"}
    outcomes = await bench.say(message(), message("m-2", data=None))
    assert [type(one) for one in outcomes] == [Retry, Done]
    assert (await bench.stores.queries.status(bench.stores.tenant, "m-1"))[0] is None, "nothing is recorded"
    bench.objects.away = set()
    (again,) = await bench.say(message())
    assert isinstance(again, Done)
    assert await bench.objects.get(bench.key()) == WORD


async def test_without_an_object_store_the_message_is_a_dead_letter(bench: Bench) -> None:
    ingest = IngestHandler(bench.stores.intake, bench.clock, None)
    event = Envelope(bench.stores.tenant, uuid4(), "x", message(), 1, None, bench.clock.now())
    (outcome,) = await ingest(bench.stores.tenant, [event])
    assert isinstance(outcome, Reject)
    assert outcome.code == "documents_unavailable"


async def test_objects_of_forgotten_and_conflicting_messages_are_discarded(bench: Bench) -> None:
    """But for what another message brought before."""
    await bench.stores.put_tombstone("message", "m-0")
    await bench.say(message("m-0"), message())
    conflicts = await bench.say(message(content="Other words."), message(data=b"Another."))
    assert [type(one) for one in conflicts] == [Reject] * 2
    assert await bench.objects.get(bench.key()) == WORD
    for gone in (bench.key(message_id="m-0"), bench.key(b"Another.")):
        with pytest.raises(ObjectMissing):
            await bench.objects.get(gone)


async def test_an_object_that_another_message_brings_meanwhile_is_not_discarded(bench: Bench) -> None:
    """Recorded between the look whether anybody names the object of a conflict and its end."""

    async def say_another() -> None:
        await bench.say(message("m-2", data=b"Another."))

    await bench.say(message())
    bench.objects.deleting = say_another
    (conflict,) = await bench.say(message(data=b"Another."))
    assert isinstance(conflict, Reject)
    await bench.read()
    assert await bench.state("m-2") == "read"


async def test_a_document_whose_object_is_away_is_read_later_and_one_that_is_lost_has_failed(
    bench: Bench,
) -> None:
    await bench.say(message(), message("m-2"))
    await bench.objects.delete(bench.key(message_id="m-2"))
    bench.objects.away = {"get"}
    with pytest.raises(ObjectsUnavailable):
        await bench.read()
    assert await bench.state() == "waiting"
    bench.objects.away = set()
    await bench.clock.advance(31)
    await bench.read()
    assert await bench.state() == "read"
    assert (await bench.about("m-2")).reason == "document_lost: a.txt is in the object store no more"


async def test_a_database_that_is_away_never_fails_a_document(dsns: Dsns, bench: Bench, relay: Relay) -> None:
    """However often it goes while the document is being read, and although the claim cannot be given back."""
    await bench.say(message())
    bench.reader.begin = lambda _: relay.cut()
    where = urlsplit(dsns.worker)
    way = urlunsplit(where._replace(netloc=f"{where.username}:{where.password}@127.0.0.1:{relay.port}"))
    async with Database.connect(way, size=1) as database:
        bench.reading.documents = documents = DocumentStore(database)
        for _ in range(6):
            with pytest.raises(StoreUnavailable):
                await bench.read()
            assert await bench.state() == "waiting"
            await relay.open()
            await eventually(_answers(documents, bench.stores.tenant))
            await bench.clock.advance(31)
        bench.reader.begin = lambda _: None
        await bench.read()
    assert await bench.state() == "read"


def _answers(documents: DocumentStore, tenant: str) -> Callable[[], Awaitable[bool]]:
    async def answers() -> bool:
        with suppress(StoreUnavailable):
            await documents.about(tenant, uuid4())
            return True
        return False

    return answers


async def test_a_reader_that_is_stopped_gives_its_document_back(bench: Bench) -> None:
    await bench.say(message())
    bench.reader.free.clear()
    reading = asyncio.create_task(bench.read())
    await eventually(lambda: bench.reader.begun > 0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    bench.reader.free.set()
    await bench.read()
    assert await bench.state() == "read"


async def test_a_document_that_takes_long_stays_claimed(bench: Bench) -> None:
    await bench.say(message())
    bench.reader.free.clear()
    reading = asyncio.create_task(bench.read())
    for _ in range(10):
        await eventually(lambda: bench.reader.begun > 0 and bench.clock.sleeping > 0)
        await bench.clock.advance(5)
        await settle()
    now = bench.clock.now()
    assert await bench.documents.claim(bench.stores.tenant, now, now) is None
    bench.reader.free.set()
    await reading
    assert await bench.state() == "read"


async def test_documents_of_another_tenant_or_user_come_in_between(bench: Bench) -> None:
    read: list[bytes] = []
    many = [message(f"m-{n}", data=b"mine %d" % n) for n in range(4)]
    await bench.say(*many, message("m-9", data=b"hers", user_id="u-2"))

    async def begin(data: bytes) -> None:
        read.append(data)
        if len(read) == 1:
            other = bench.stores.another_tenant().tenant
            await bench.say(message("o-1", data=b"theirs"), tenant=other)

    bench.reader.begin = begin
    await bench.read()
    assert len(read) == 6
    assert set(read[:3]) > {b"hers", b"theirs"}


async def test_a_document_that_ends_every_worker_is_given_up(bench: Bench) -> None:
    await bench.say(message())
    for _ in range(5):
        now = bench.clock.now()
        assert await bench.documents.claim(bench.stores.tenant, now, now + timedelta(seconds=15)) is not None
        await bench.clock.advance(15)
    await bench.read()
    assert "was begun 5 times, and no worker came to its end" in (await bench.about()).reason
