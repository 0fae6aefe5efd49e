"""Documents are kept with their messages, claimed by one reader at a time, and settled once."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.contract.store.stores import STORED, Stores, enriched

from ricordo.documents.records import DocumentRecord, DocumentToRead, NewDocument, object_key
from ricordo.language.annotations import MemoryKind
from ricordo.memory.model import Memory, derived_id
from ricordo.store.document_store import DocumentStore
from ricordo.store.intake import NewMessage

LATER = STORED + timedelta(seconds=15)


class Documents:
    """The store of documents, in the name of the tenant."""

    def __init__(self, stores: Stores) -> None:
        self.stores, self.store = stores, DocumentStore(stores.database)

    def message(self, message_id: str = "m-1", data: bytes = b"x", **fields: Any) -> NewMessage:  # noqa: ANN401 - of the message
        key = object_key(self.stores.tenant, fields.get("user_id", "u-1"), message_id, data)
        document = NewDocument(name=f"{message_id}.txt", media_type="text/plain", key=key, size=len(data))
        return replace(self.stores.message(message_id, **fields), document=document)

    async def claim(self, now: datetime = STORED, until: datetime = LATER) -> DocumentToRead | None:
        return await self.store.claim(self.stores.tenant, now, until)

    async def claimed(self, now: datetime = STORED, until: datetime = LATER) -> DocumentToRead:
        found = await self.claim(now, until)
        assert found is not None
        return found

    async def begun(self) -> tuple[DocumentToRead, Memory]:
        """Record a document with its message, and claim it."""
        await self.stores.record(self.message())
        return await self.claimed(), await self.stores.memory()

    async def about(self, message_id: str = "m-1") -> DocumentRecord:
        found = await self.store.about(self.stores.tenant, self.stores.id(message_id))
        assert found is not None
        return found


@pytest.fixture
def documents(stores: Stores) -> Documents:
    return Documents(stores)


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


async def test_a_document_is_recorded_once_with_its_message(documents: Documents, stores: Stores) -> None:
    message = documents.message()
    await stores.record(message, message, stores.message("m-2", minute=1))
    await stores.record(message)
    await stores.record(replace(documents.message(data=b"other"), digest=b"other"))  # a conflict of ids
    found = await documents.claimed()
    assert (found.memory_id, found.name, found.media_type) == (stores.id("m-1"), "m-1.txt", "text/plain")
    assert found.key == object_key(stores.tenant, "u-1", "m-1", b"x")
    assert found.message == await stores.memory("m-1")
    about = await documents.about()
    assert (about.state, about.extract_ids, about.settled_at) == ("waiting", (), None)
    assert await documents.store.about(stores.tenant, stores.id("m-2")) is None
    for user, kept in (("u-1", True), ("u-2", False)):
        assert await documents.store.is_kept(stores.tenant, user, found.key) is kept
    assert await documents.claim() is None


async def test_a_forgotten_message_brings_no_document_and_one_of_the_history_no_memory(
    documents: Documents, stores: Stores
) -> None:
    await stores.put_tombstone("message", "m-1")
    await stores.record(documents.message())
    assert await documents.claim() is None
    await stores.record(replace(documents.message("m-2"), memorable=False))
    found = await documents.claimed()
    assert found.message is None


async def test_readers_that_claim_at_once_get_a_document_each(documents: Documents, stores: Stores) -> None:
    await stores.record(*(documents.message(f"m-{n}") for n in range(5)))
    claims = await asyncio.gather(*(documents.claim() for _ in range(10)))
    names = [one.name for one in claims if one is not None]
    while (more := await documents.claim()) is not None:
        names.append(more.name)
    assert sorted(names) == [f"m-{n}.txt" for n in range(5)]


async def test_users_take_turns_and_of_each_the_oldest_document_comes_first(
    documents: Documents, stores: Stores
) -> None:
    brought = (("u-2", "b1"), ("u-2", "b2"), ("u-2", "b3"), ("u-1", "a1"), ("u-3", "c1"))
    for minute, (user, name) in enumerate(brought):
        when = STORED - timedelta(hours=1) + timedelta(minutes=minute)
        await stores.record(documents.message(name, user_id=user), at=when)
    names, behind = [], ""
    while (found := await documents.store.claim(stores.tenant, STORED, LATER, behind=behind)) is not None:
        names.append(found.name.removesuffix(".txt"))
        behind = found.user_id
    assert names == ["a1", "b1", "c1", "b2", "b3"]


async def test_a_claim_runs_out_unless_it_is_renewed_and_given_back_it_is_no_attempt(
    documents: Documents, stores: Stores
) -> None:
    found, _ = await documents.begun()
    end = LATER + timedelta(seconds=10)
    await documents.store.renew(stores.tenant, found.memory_id, end)
    assert await documents.claim(LATER) is None
    again = await documents.claimed(end)
    assert (found.attempts, again.attempts) == (1, 2), "nobody came back"
    await documents.store.give_back(stores.tenant, found.memory_id, end)
    assert await documents.claim(LATER) is None
    again = await documents.claimed(end, end + timedelta(seconds=15))
    assert again.attempts == 2


async def test_extracts_are_written_once_with_the_end_of_the_reading(
    documents: Documents, stores: Stores
) -> None:
    found, message = await documents.begun()
    made = _extracts(stores, message, "One.", "Two.", "Three.")
    progress = await documents.store.done(stores.tenant, found.memory_id, made, complete=False, at=LATER)
    assert [one.memory_id for one in progress] == [one.id for one in made]
    about = await documents.about()
    assert (about.state, about.extract_ids, about.complete) == ("read", tuple(one.id for one in made), False)
    assert (about.pending, about.settled_at) == (3, LATER)
    assert await documents.claim(LATER + timedelta(days=1)) is None
    again = await documents.store.done(stores.tenant, found.memory_id, made, complete=False, at=LATER)
    assert again == progress, "as after a crash"
    await stores.enrichments.save(stores.tenant, [enriched(made[0], importance=0.9)], LATER)
    (kept,) = await stores.found(made[0].id)
    assert (kept.title, kept.importance, kept.kind) == (made[0].title, 0.9, MemoryKind.EXTRACT)


async def test_nothing_is_written_of_a_message_that_was_forgotten_meanwhile(
    documents: Documents, stores: Stores
) -> None:
    found, message = await documents.begun()
    await stores.put_tombstone("conversation", "c-1")
    made = _extracts(stores, message, "One.")
    assert await documents.store.done(stores.tenant, found.memory_id, made, complete=True, at=LATER) == []
    about = await documents.about()
    assert (about.state, about.extract_ids) == ("failed", ())


async def test_a_failure_keeps_its_first_reason(documents: Documents, stores: Stores) -> None:
    found, _ = await documents.begun()
    for reason in ("document_unreadable: m-1.txt is broken", "again"):
        await documents.store.failed(stores.tenant, found.memory_id, reason, LATER)
    about = await documents.about()
    assert (about.state, about.reason) == ("failed", "document_unreadable: m-1.txt is broken")
    assert await documents.claim(LATER) is None
