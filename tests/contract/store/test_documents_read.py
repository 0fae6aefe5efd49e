"""Messages that bring documents, and who reads these, on PostgreSQL; the objects can be away or lost."""

import asyncio
import math
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import pytest
from tests.contract.store.conftest import Dsns
from tests.contract.store.stores import Stores
from tests.fixtures.relay import Relay

from ricordo.bus.port import Outgoing
from ricordo.documents.objects import KeptObjects, in_memory
from ricordo.documents.port import DocumentRecord, ObjectMissing, ObjectsUnavailable, object_key
from ricordo.language.annotations import MemoryKind
from ricordo.memory.documents import DocumentPart
from ricordo.memory.model import Source
from ricordo.messages.events import MessageReceived
from ricordo.runtime.derived_events import BusEmitter
from ricordo.runtime.handling import Done, Envelope, Outcome, Reject, Retry
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.database import Database, StoreUnavailable
from ricordo.store.document_store import DocumentStore
from ricordo.testing.clock import ManualClock, settle
from ricordo.testing.eventually import eventually
from ricordo.testing.factories import at
from ricordo_services.ingest.documents import DocumentStorage
from ricordo_services.ingest.handlers import Ingest
from ricordo_services.ingest.reading import ReadDocuments
from ricordo_services.ingest.turns import Turns

pytestmark = pytest.mark.integration

WORD = b"A first word."


class Away:
    """An object store that can be away."""

    def __init__(self) -> None:
        self.kept = in_memory()
        self.away: set[str] = set()
        self.deleting: Callable[[], Awaitable[object]] | None = None

    def _look(self, what: str) -> KeptObjects:
        if what in self.away:
            raise ObjectsUnavailable("away")
        return self.kept

    async def put(self, key: str, data: bytes) -> None:
        await self._look("put").put(key, data)

    async def get(self, key: str) -> bytes:
        return await self._look("get").get(key)

    async def delete(self, key: str) -> None:
        if self.deleting is not None:
            await self.deleting()
        await self._look("delete").delete(key)

    async def delete_all(self, tenant: str, user_id: str) -> int:
        return await self._look("delete").delete_all(tenant, user_id)

    async def check(self) -> None:
        await self._look("get").check()


class Words:
    """Reads every document as words, and may wait before it does."""

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


class Heard:
    """Publishes into a list."""

    def __init__(self) -> None:
        self.told: list[Outgoing] = []

    async def publish(self, messages: Sequence[Outgoing]) -> Sequence[None]:
        self.told += messages
        return [None] * len(messages)


class Bench:
    """Ingest and the reading of documents, with all that they work on."""

    def __init__(self, database: Database, stores: Stores, beside: CpuExecutor) -> None:
        self.stores, self.objects, self.words, self.heard = stores, Away(), Words(), Heard()
        self.clock = ManualClock()
        self.documents = DocumentStore(database)
        self.reading = ReadDocuments(
            documents=self.documents,
            objects=self.objects,
            reader=self.words,
            tokens=self.words,
            turns=Turns(stores.life, self.clock),
            emitter=BusEmitter(self.heard, self.clock, "ingest"),
            clock=self.clock,
            beside=beside,
        )
        self.reading.turns.due = math.inf  # what other tests left waiting is theirs
        self.ingest = Ingest(
            stores.intake,
            self.clock,
            storage=DocumentStorage(self.objects, self.documents, self.reading.turns.tell),
        )

    async def say(self, *messages: MessageReceived, tenant: str | None = None) -> Sequence[Outcome]:
        tenant = tenant or self.stores.tenant
        events = [Envelope(tenant, uuid4(), "memory.v1.x.message.received", one, 1, None) for one in messages]
        return await self.ingest(tenant, events)

    async def read(self) -> None:
        self.reading.turns.tell(self.stores.tenant)
        await self.reading.run()

    async def about(self, message_id: str = "m-1") -> DocumentRecord:
        found = await self.documents.about(self.stores.tenant, self.stores.id(message_id))
        assert found is not None
        return found

    def key(self, data: bytes = WORD, message_id: str = "m-1") -> str:
        return object_key(self.stores.tenant, "u-1", message_id, data)


@pytest.fixture
def bench(database: Database, stores: Stores, beside: CpuExecutor) -> Bench:
    return Bench(database, stores, beside)


@pytest.fixture
async def relay(dsns: Dsns) -> AsyncIterator[Relay]:
    """Yield a way to the database that can be cut."""
    where = urlsplit(dsns.worker)
    relay = Relay(where.hostname or "127.0.0.1", where.port or 5432)
    await relay.open()
    yield relay
    await relay.cut()


def message(
    message_id: str, content: str = "Look.", data: bytes | None = WORD, user_id: str = "u-1"
) -> MessageReceived:
    document = {"name": "a.txt", "media_type": "text/plain", "data": b64encode(data or b"").decode()}
    return MessageReceived.model_validate(
        {
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
    )


async def test_an_extract_takes_who_when_and_where_from_its_message(bench: Bench) -> None:
    (outcome,) = await bench.say(message("m-1"))
    assert isinstance(outcome, Done)
    await bench.read()
    (extract_id,) = (await bench.about()).extract_ids
    (made,) = await bench.stores.recollection.memories(bench.stores.tenant, "u-1", [extract_id])
    source = await bench.stores.memory("m-1")
    assert (made.kind, made.title, made.content) == (MemoryKind.EXTRACT, "a.txt", "A first word.")
    assert (made.source, made.source_ids, made.message_id) == (Source.CONVERSATION, (source.id,), None)
    taken = ("conversation_id", "role", "speaker", "created_at", "timezone", "participants", "tags", "trust")
    assert {name: getattr(made, name) for name in taken} == {name: getattr(source, name) for name in taken}
    assert [one.subject.rpartition("memory.")[2] for one in bench.heard.told] == ["created"]


async def test_a_store_that_is_away_keeps_back_only_what_needs_it(bench: Bench) -> None:
    bench.objects.away = {"put"}
    first, second = await bench.say(message("m-1"), message("m-2", data=None))
    assert isinstance(first, Retry)
    assert isinstance(second, Done)
    assert await bench.stores.progress("m-1") is None, "nothing is recorded whose document is not kept"
    bench.objects.away = set()
    (again,) = await bench.say(message("m-1"))
    assert isinstance(again, Done)
    assert await bench.objects.get(bench.key()) == WORD


async def test_without_a_place_to_keep_them_the_message_is_a_dead_letter(bench: Bench) -> None:
    ingest = Ingest(bench.stores.intake, bench.clock)
    event = Envelope(bench.stores.tenant, uuid4(), "x", message("m-1"), 1, None)
    (outcome,) = await ingest(bench.stores.tenant, [event])
    assert isinstance(outcome, Reject)
    assert outcome.code == "documents_unavailable"


async def test_what_is_forgotten_is_not_kept(bench: Bench) -> None:
    await bench.stores.entomb(bench.stores.tenant, "message", "m-1", "u-1")
    await bench.say(message("m-1"))
    with pytest.raises(ObjectMissing):
        await bench.objects.get(bench.key())


async def test_of_a_conflict_only_what_nobody_brought_before_is_discarded(bench: Bench) -> None:
    await bench.say(message("m-1"))
    same, other = await bench.say(message("m-1", "Other words."), message("m-1", data=b"Another."))
    assert isinstance(same, Reject)
    assert isinstance(other, Reject)
    assert await bench.objects.get(bench.key()) == WORD
    with pytest.raises(ObjectMissing):
        await bench.objects.get(bench.key(b"Another."))


async def test_what_another_message_brings_meanwhile_is_not_discarded(bench: Bench) -> None:
    """Recorded between the look whether anybody names the object of a conflict and its end."""

    async def say_another() -> None:
        await bench.say(message("m-2", data=b"Another."))

    await bench.say(message("m-1"))
    bench.objects.deleting = say_another
    (conflict,) = await bench.say(message("m-1", data=b"Another."))
    assert isinstance(conflict, Reject)
    await bench.read()
    assert (await bench.about("m-2")).state == "read"


async def test_what_cannot_be_read_now_is_read_later(bench: Bench) -> None:
    await bench.say(message("m-1"))
    bench.objects.away = {"get"}
    with pytest.raises(ObjectsUnavailable):
        await bench.read()
    assert (await bench.about()).state == "waiting"
    bench.objects.away = set()
    await bench.read()
    assert (await bench.about()).state == "waiting", "a moment later it is not tried again"
    await bench.clock.advance(31)
    await bench.read()
    assert (await bench.about()).state == "read"


async def test_a_database_that_is_away_never_fails_a_document(dsns: Dsns, bench: Bench, relay: Relay) -> None:
    """However often it goes while the document is in hand, and although the claim cannot be given back."""
    await bench.say(message("m-1"))
    bench.words.begin = lambda _: relay.cut()
    where = urlsplit(dsns.worker)
    way = urlunsplit(where._replace(netloc=f"{where.username}:{where.password}@127.0.0.1:{relay.port}"))
    async with Database.connect(way, size=1) as database:
        bench.reading.documents = known = DocumentStore(database)
        for _ in range(6):
            with pytest.raises(StoreUnavailable):
                await bench.read()
            assert (await bench.about()).state == "waiting"
            await relay.open()
            await eventually(_answers(known, bench.stores.tenant))
            await bench.clock.advance(31)
        bench.words.begin = lambda _: None
        await bench.read()
    assert (await bench.about()).state == "read"


def _answers(documents: DocumentStore, tenant: str) -> Callable[[], Awaitable[bool]]:
    async def answers() -> bool:
        with suppress(StoreUnavailable):
            await documents.about(tenant, uuid4())
            return True
        return False

    return answers


async def test_what_is_lost_has_failed(bench: Bench) -> None:
    await bench.say(message("m-1"))
    await bench.objects.delete(bench.key())
    await bench.read()
    assert (await bench.about()).reason == "document_lost: a.txt is in the object store no more"


async def test_who_is_stopped_gives_back_what_is_in_hand(bench: Bench) -> None:
    await bench.say(message("m-1"))
    bench.words.free.clear()
    reading = asyncio.create_task(bench.read())
    await eventually(lambda: bench.words.begun > 0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    bench.words.free.set()
    await bench.read()
    assert (await bench.about()).state == "read"


async def test_what_takes_long_stays_in_hand(bench: Bench) -> None:
    """And nobody else begins with it, until its reader is gone without a word."""
    await bench.say(message("m-1"))
    bench.words.free.clear()
    reading = asyncio.create_task(bench.read())
    for _ in range(10):
        await eventually(lambda: bench.words.begun > 0 and bench.clock.sleeping > 0)
        await bench.clock.advance(5)
        await settle()
    now = bench.clock.now()
    assert await bench.documents.claim(bench.stores.tenant, now, now) is None
    bench.words.free.set()
    await reading
    assert (await bench.about()).state == "read"


async def test_nobody_holds_up_the_documents_of_others(bench: Bench) -> None:
    """Neither another tenant, which is told of in the middle, nor another user."""
    read: list[bytes] = []
    many = [message(f"m-{n}", data=b"mine %d" % n) for n in range(4)]
    await bench.say(*many, message("m-9", data=b"hers", user_id="u-2"))

    async def begin(data: bytes) -> None:
        read.append(data)
        if len(read) == 1:
            await bench.say(message("o-1", data=b"theirs"), tenant=bench.stores.elsewhere().tenant)

    bench.words.begin = begin
    await bench.read()
    assert len(read) == 6
    assert set(read[:3]) > {b"hers", b"theirs"}


async def test_what_ends_every_worker_is_given_up(bench: Bench) -> None:
    await bench.say(message("m-1"))
    for _ in range(5):
        now = bench.clock.now()
        assert await bench.documents.claim(bench.stores.tenant, now, now + timedelta(seconds=15)) is not None
        await bench.clock.advance(15)
    await bench.read()
    assert "was begun 5 times, and no worker came to its end" in (await bench.about()).reason
