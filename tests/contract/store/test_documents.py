"""What is known of documents, on PostgreSQL: kept with the message, read by one at a time, settled once."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.contract.store.stores import STORED, Stores, enriched

from ricordo.documents.port import DocumentToRead, NewDocument, object_key
from ricordo.language.annotations import MemoryKind
from ricordo.memory.model import Memory, derived_id
from ricordo.store.database import Database
from ricordo.store.document_store import DocumentStore
from ricordo.store.intake import NewMessage
from ricordo.testing.factories import new_message

pytestmark = pytest.mark.integration

LATER = STORED + timedelta(seconds=15)


@pytest.fixture
def documents(database: Database) -> DocumentStore:
    return DocumentStore(database)


def _bringing(stores: Stores, message_id: str, data: bytes = b"x", user_id: str = "u-1") -> NewMessage:
    key = object_key(stores.tenant, user_id, message_id, data)
    document = NewDocument(name=f"{message_id}.txt", media_type="text/plain", key=key, size=len(data))
    return replace(new_message(message_id, tenant=stores.tenant, user_id=user_id), document=document)


async def _claimed(documents: DocumentStore, stores: Stores) -> DocumentToRead:
    found = await documents.claim(stores.tenant, STORED, LATER)
    assert found is not None
    return found


def _extracts(stores: Stores, message: Memory, *texts: str) -> list[Memory]:
    return [
        Memory(
            id=derived_id(stores.tenant, MemoryKind.EXTRACT, [message.id], about=str(n)),
            tenant=stores.tenant,
            user_id=message.user_id,
            conversation_id=message.conversation_id,
            kind=MemoryKind.EXTRACT,
            title=f"m-1.txt, p. {n}",
            content=text,
            created_at=message.created_at,
            source_ids=(message.id,),
        )
        for n, text in enumerate(texts)
    ]


async def test_it_is_known_with_its_message(documents: DocumentStore, stores: Stores) -> None:
    await stores.record(_bringing(stores, "m-1"), new_message("m-2", tenant=stores.tenant))
    found = await _claimed(documents, stores)
    assert (found.memory_id, found.name, found.media_type) == (stores.id("m-1"), "m-1.txt", "text/plain")
    assert found.message == await stores.memory("m-1")
    about = await documents.about(stores.tenant, stores.id("m-1"))
    assert about is not None
    assert (about.state, about.extract_ids, about.settled_at) == ("waiting", (), None)
    assert await documents.about(stores.tenant, stores.id("m-2")) is None
    assert await documents.is_kept(stores.tenant, "u-1", found.key)
    assert not await documents.is_kept(stores.tenant, "u-2", found.key)


async def test_a_repeat_and_a_conflict_change_nothing(documents: DocumentStore, stores: Stores) -> None:
    message = _bringing(stores, "m-1")
    await stores.record(message, message)
    await stores.record(message)
    await stores.record(replace(_bringing(stores, "m-1", b"other"), digest=b"other"))
    found = await _claimed(documents, stores)
    assert found.key == object_key(stores.tenant, "u-1", "m-1", b"x")
    assert await documents.claim(stores.tenant, STORED, LATER) is None


async def test_what_is_forgotten_brings_nothing(documents: DocumentStore, stores: Stores) -> None:
    await stores.entomb(stores.tenant, "message", "m-1", "u-1")
    await stores.record(_bringing(stores, "m-1"))
    assert await documents.claim(stores.tenant, STORED, LATER) is None


async def test_many_who_claim_at_once_get_each_a_document_of_its_own(
    documents: DocumentStore, stores: Stores
) -> None:
    await stores.record(*(_bringing(stores, f"m-{n}") for n in range(5)))
    claims: Sequence[DocumentToRead | None] = await asyncio.gather(
        *(documents.claim(stores.tenant, STORED, LATER) for _ in range(10))
    )
    names = [one.name for one in claims if one is not None]
    assert len(names) == len(set(names))
    while (more := await documents.claim(stores.tenant, STORED, LATER)) is not None:
        names.append(more.name)
    assert sorted(names) == [f"m-{n}.txt" for n in range(5)]


async def test_users_take_turns_and_of_each_the_oldest_comes_first(
    documents: DocumentStore, stores: Stores
) -> None:
    for minute, (user, name) in enumerate(
        (("u-2", "b1"), ("u-2", "b2"), ("u-2", "b3"), ("u-1", "a1"), ("u-3", "c1"))
    ):
        when = STORED - timedelta(hours=1) + timedelta(minutes=minute)
        await stores.record(_bringing(stores, name, user_id=user), at=when)
    names, behind = [], ""
    while (found := await documents.claim(stores.tenant, STORED, LATER, behind=behind)) is not None:
        names.append(found.name.removesuffix(".txt"))
        behind = found.user_id
    assert names == ["a1", "b1", "c1", "b2", "b3"]


async def test_a_claim_runs_out_unless_it_is_held(documents: DocumentStore, stores: Stores) -> None:
    await stores.record(_bringing(stores, "m-1"))
    found = await _claimed(documents, stores)
    await documents.hold(stores.tenant, found.memory_id, LATER + timedelta(seconds=10))
    assert await documents.claim(stores.tenant, LATER, LATER) is None
    again = await documents.claim(stores.tenant, LATER + timedelta(seconds=10), LATER)
    assert again is not None
    assert (found.attempts, again.attempts) == (1, 2), "nobody came back"


async def test_who_gives_it_back_has_not_tried(documents: DocumentStore, stores: Stores) -> None:
    await stores.record(_bringing(stores, "m-1"))
    await documents.give_back(stores.tenant, (await _claimed(documents, stores)).memory_id, LATER)
    assert await documents.claim(stores.tenant, STORED, LATER) is None
    again = await documents.claim(stores.tenant, LATER, LATER + timedelta(seconds=15))
    assert again is not None
    assert again.attempts == 1


async def test_extracts_are_written_with_it(documents: DocumentStore, stores: Stores) -> None:
    await stores.record(_bringing(stores, "m-1"))
    found = await _claimed(documents, stores)
    assert found.message is not None
    made = _extracts(stores, found.message, "One.", "Two.", "Three.")
    progress = await documents.done(stores.tenant, found.memory_id, made, complete=False, at=LATER)
    assert [one.memory_id for one in progress] == [one.id for one in made]
    about = await documents.about(stores.tenant, found.memory_id)
    assert about is not None
    assert (about.state, about.extract_ids, about.complete) == ("read", tuple(one.id for one in made), False)
    assert (about.pending, about.settled_at) == (3, LATER)
    assert await documents.claim(stores.tenant, LATER + timedelta(days=1), LATER) is None
    again = await documents.done(stores.tenant, found.memory_id, made, complete=False, at=LATER)
    assert again == progress, "as after a crash"


async def test_enrichment_leaves_where_an_extract_stands(documents: DocumentStore, stores: Stores) -> None:
    await stores.record(_bringing(stores, "m-1"))
    found = await _claimed(documents, stores)
    assert found.message is not None
    (made,) = _extracts(stores, found.message, "One.")
    await documents.done(stores.tenant, found.memory_id, [made], complete=True, at=LATER)
    await stores.enrichments.save(stores.tenant, [enriched(made, importance=0.9)], LATER)
    (kept,) = await stores.recollection.memories(stores.tenant, "u-1", [made.id])
    assert (kept.title, kept.importance, kept.kind) == (made.title, 0.9, MemoryKind.EXTRACT)


async def test_of_a_message_that_was_forgotten_meanwhile_nothing_is_written(
    documents: DocumentStore, stores: Stores
) -> None:
    await stores.record(_bringing(stores, "m-1"))
    found = await _claimed(documents, stores)
    assert found.message is not None
    made = _extracts(stores, found.message, "One.")
    await stores.entomb(stores.tenant, "conversation", found.message.conversation_id, "u-1")
    assert await documents.done(stores.tenant, found.memory_id, made, complete=True, at=LATER) == []
    about = await documents.about(stores.tenant, found.memory_id)
    assert about is not None
    assert (about.state, about.extract_ids) == ("failed", ())


async def test_what_failed_has_failed(documents: DocumentStore, stores: Stores) -> None:
    await stores.record(_bringing(stores, "m-1"))
    found = await _claimed(documents, stores)
    await documents.failed(stores.tenant, found.memory_id, "document_unreadable: m-1.txt is broken", LATER)
    await documents.failed(stores.tenant, found.memory_id, "again", LATER)
    about = await documents.about(stores.tenant, found.memory_id)
    assert about is not None
    assert (about.state, about.reason) == ("failed", "document_unreadable: m-1.txt is broken")
    assert await documents.claim(stores.tenant, LATER, LATER) is None


async def test_of_a_message_of_the_history_only_there_is_no_memory(
    documents: DocumentStore, stores: Stores
) -> None:
    await stores.record(replace(_bringing(stores, "m-1"), memorable=False))
    assert (await _claimed(documents, stores)).message is None


async def test_another_tenant_has_none_of_it(documents: DocumentStore, stores: Stores) -> None:
    await stores.record(_bringing(stores, "m-1"))
    other = stores.elsewhere().tenant
    assert await documents.claim(other, LATER, LATER) is None
    assert await documents.about(other, stores.id("m-1")) is None
