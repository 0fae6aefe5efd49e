"""Stores documents before their messages are recorded and acknowledged, and deletes forgotten ones."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ricordo.documents.object_store import ObjectStore
from ricordo.documents.records import NewDocument, ObjectsUnavailable, object_key
from ricordo.messages.events import MessageReceived
from ricordo.store.document_store import DocumentStore
from ricordo.store.erasure import ErasureStore
from ricordo.store.lifecycle_store import LifecycleStore

DELETION_INTERVAL_S: Final = 5.0
_CONCURRENT_PUTS: Final = 4  # each object is in memory meanwhile
_DELETED_AT_ONCE: Final = 100


@dataclass(frozen=True, slots=True)
class DocumentStorage:
    """Puts the documents of messages into the object store, and schedules their extraction.

    Attributes:
        schedule: called with a tenant that has documents to read.
    """

    objects: ObjectStore
    documents: DocumentStore
    schedule: Callable[[str], None]

    async def store(
        self, tenant: str, bodies: Sequence[MessageReceived]
    ) -> dict[str, NewDocument | ObjectsUnavailable]:
        """Store the documents of `bodies`; return by key the stored document or the error.

        Storing the same document twice changes nothing.
        """
        free = asyncio.Semaphore(_CONCURRENT_PUTS)

        async def put(body: MessageReceived) -> tuple[str, NewDocument | ObjectsUnavailable]:
            document = new_document(tenant, body)
            assert body.document is not None  # noqa: S101 - the caller passes none without a document
            async with free:
                try:
                    await self.objects.put(document.key, body.document.data)
                except ObjectsUnavailable as error:
                    return document.key, error
            return document.key, document

        return dict(await asyncio.gather(*map(put, bodies)))

    async def discard(self, tenant: str, body: MessageReceived) -> None:
        """Delete the document of a refused message, unless the recorded message of that id has the same.

        A recorded message does not change, so no message can refer to this object meanwhile.

        Raises:
            StoreUnavailable, ObjectsUnavailable: it may still be there.
        """
        key = new_document(tenant, body).key
        if not await self.documents.is_kept(tenant, body.user_id, key):
            await self.objects.delete(key)


def new_document(tenant: str, body: MessageReceived) -> NewDocument:
    """Return the record of the document of a message.

    Raises:
        ValueError: it has none.
    """
    document = body.document
    if document is None:
        raise ValueError("there is no document")
    return NewDocument(
        name=document.name,
        media_type=document.media_type,
        key=object_key(tenant, body.user_id, body.id, document.data),
        size=len(document.data),
    )


@dataclass(frozen=True, slots=True)
class DocumentDeletion:
    """Deletes the objects of forgotten documents, and then their deletion records."""

    discarded: ErasureStore
    objects: ObjectStore
    life: LifecycleStore

    async def run(self) -> None:
        """Delete the objects of all tenants.

        Raises:
            StoreUnavailable, ObjectsUnavailable: a server does not answer; the rest is deleted later.
        """
        for tenant in await self.life.tenants():
            while keys := await self.discarded.objects_to_delete(tenant, _DELETED_AT_ONCE):
                for key in keys:
                    await self.objects.delete(key)
                await self.discarded.deleted(tenant, keys)
