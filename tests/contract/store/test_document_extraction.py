"""Documents are stored and extracted while objects, database or readers fail."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import pytest
import pytest_asyncio
from tests.contract.store.conftest import Dsns
from tests.contract.store.document_bench import WORD, Bench, message
from tests.contract.store.stores import Stores
from tests.fixtures.eventually import eventually
from tests.fixtures.relay import Relay
from tests.support.manual_clock import settle

from ricordo.documents.records import ObjectMissing, ObjectsUnavailable
from ricordo.language.annotations import MemoryKind, MemorySource
from ricordo.memory.model import Memory, derived_id
from ricordo.runtime.handling import Done, Envelope, Reject, Retry
from ricordo.store.database import Database, StoreUnavailable
from ricordo.store.document_store import DocumentStore
from ricordo_services.ingest.ingest_handler import IngestHandler


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
    assert await bench.claim() is None
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
        assert await bench.claim() is not None
        await bench.clock.advance(15)
    await bench.read()
    assert "was begun 5 times, and no worker came to its end" in (await bench.about()).reason


async def test_readers_that_claim_at_once_get_a_document_each(bench: Bench) -> None:
    await bench.say(*(message(f"m-{n}") for n in range(5)))
    claimed = [one for one in await asyncio.gather(*(bench.claim() for _ in range(10))) if one is not None]
    while (more := await bench.claim()) is not None:
        claimed.append(more)
    assert sorted(claimed) == sorted(bench.stores.id(f"m-{n}") for n in range(5))


def _extracts(source: Memory, *texts: str) -> list[Memory]:
    return [
        replace(
            source,
            id=derived_id(source.tenant, MemoryKind.EXTRACT, [source.id], about=str(n)),
            message_id=None,
            kind=MemoryKind.EXTRACT,
            content=text,
            source_ids=(source.id,),
        )
        for n, text in enumerate(texts)
    ]


async def test_the_end_of_a_reading_is_written_once(bench: Bench) -> None:
    """As after a crash; a failure keeps its first reason."""
    await bench.say(message(), message("m-2"))
    now, tenant = bench.clock.now(), bench.stores.tenant
    read, failed = bench.stores.id("m-1"), bench.stores.id("m-2")
    made = _extracts(await bench.stores.memory(), "One.", "Two.", "Three.")
    progress = await bench.documents.done(tenant, read, made, complete=False, at=now)
    about = await bench.about()
    assert (about.state, about.extract_ids, about.complete) == ("read", tuple(one.id for one in made), False)
    assert (about.pending, about.settled_at) == (3, now)
    assert await bench.documents.done(tenant, read, made, complete=False, at=now) == progress
    for reason in ("document_unreadable: a.txt is broken", "again"):
        await bench.documents.failed(tenant, failed, reason, now)
    assert (await bench.about("m-2")).reason == "document_unreadable: a.txt is broken"
    assert await bench.claim() is None


async def test_nothing_is_written_of_a_message_that_was_forgotten_meanwhile(bench: Bench) -> None:
    await bench.say(message())
    made = _extracts(await bench.stores.memory(), "One.")
    await bench.stores.put_tombstone("conversation", "c-1")
    tenant, memory_id = bench.stores.tenant, bench.stores.id("m-1")
    assert await bench.documents.done(tenant, memory_id, made, complete=True, at=bench.clock.now()) == []
    about = await bench.about()
    assert (about.state, about.extract_ids) == ("failed", ())
