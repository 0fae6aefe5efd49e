"""Documents are stored before the message that brings them is recorded, and so before it is acknowledged."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ricordo.documents.object_store import ObjectStore
from ricordo.documents.records import NewDocument, ObjectsUnavailable, object_key
from ricordo.messages.events import MessageReceived
from ricordo.store.document_store import DocumentStore

_AT_ONCE: Final = 4  # objects on their way: each is held in memory meanwhile


@dataclass(frozen=True, slots=True)
class DocumentStorage:
    """Puts the documents of messages where they are kept, and tells who reads them.

    Attributes:
        objects, documents: where their bytes are, and what is known of them.
    """

    objects: ObjectStore
    documents: DocumentStore
    tell: Callable[[str], None]

    async def store(
        self, tenant: str, bodies: Sequence[MessageReceived]
    ) -> dict[str, NewDocument | ObjectsUnavailable]:
        """Put the documents of `bodies`; return, by key, what is kept, or why it is not.

        One that is there already is put once more: it is the same.
        """
        free = asyncio.Semaphore(_AT_ONCE)

        async def put(body: MessageReceived) -> tuple[str, NewDocument | ObjectsUnavailable]:
            document = new_document(tenant, body)
            assert body.document is not None  # noqa: S101 - those without one are not asked for
            async with free:
                try:
                    await self.objects.put(document.key, body.document.data)
                except ObjectsUnavailable as error:
                    return document.key, error
            return document.key, document

        return dict(await asyncio.gather(*map(put, bodies)))

    async def discard(self, tenant: str, body: MessageReceived) -> None:
        """Delete what was kept for a message that was refused, unless the one of that id brought the same.

        What was recorded under an id stays as it is: nobody can come to name this object meanwhile.

        Raises:
            StoreUnavailable, ObjectsUnavailable: it may still be there.
        """
        key = new_document(tenant, body).key
        if not await self.documents.is_kept(tenant, body.user_id, key):
            await self.objects.delete(key)


def new_document(tenant: str, body: MessageReceived) -> NewDocument:
    """Return what is recorded of the document that a message brings.

    Raises:
        ValueError: it brings none.
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
