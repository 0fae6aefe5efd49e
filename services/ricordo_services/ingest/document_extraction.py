"""Stores documents, reads them and cuts them into extracts in the background, and deletes forgotten ones.

A document is leased for some seconds, and the lease is renewed while it is read, so that another process
takes over soon after a crash; writing the same extracts twice changes nothing.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog

from ricordo.clock import Clock
from ricordo.documents.object_store import ObjectStore
from ricordo.documents.readers.reader_process import ReaderProcess
from ricordo.documents.reading_limits import Unreadable
from ricordo.documents.records import (
    LOST,
    UNREADABLE,
    DocumentToRead,
    NewDocument,
    ObjectMissing,
    object_key,
)
from ricordo.language.annotations import MemoryKind
from ricordo.language.detection import identify
from ricordo.memory.document_cutting import CutDocument, DocumentPart, ExtractSize, cut_document
from ricordo.memory.model import Memory, derived_id
from ricordo.messages.events import MemoryCreated, MessageReceived
from ricordo.models.encoder import TokenCounter
from ricordo.runtime.event_publishing import Emitter
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.runtime.tasks import in_background
from ricordo.store.database import StoreUnavailable
from ricordo.store.document_store import DocumentStore
from ricordo.store.erasure import ErasureStore
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.unavailable import DependencyUnavailable

DELETION_INTERVAL_S: Final = 5.0
_CONCURRENT_PUTS: Final = 4  # each object is in memory meanwhile
_DELETED_AT_ONCE: Final = 100
_WITHOUT: Final = "there is no document"


@dataclass(frozen=True, slots=True)
class DocumentStorage:
    """Puts the documents of messages into the object store, and schedules their extraction.

    Attributes:
        schedule: called with a tenant that has documents to read.
    """

    objects: ObjectStore
    documents: DocumentStore
    schedule: Callable[[str], None]
    _puts: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_CONCURRENT_PUTS), init=False)

    async def store(self, tenant: str, body: MessageReceived) -> None:
        """Store the document of a message; storing the same document twice changes nothing.

        Raises:
            ValueError: it has none.
            ObjectsUnavailable: it may not be stored.
        """
        if body.document is None:
            raise ValueError(_WITHOUT)
        async with self._puts:
            await self.objects.put(new_document(tenant, body).key, body.document.data)

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
        raise ValueError(_WITHOUT)
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
    lifecycle_store: LifecycleStore

    async def run(self) -> None:
        """Delete the objects of all tenants.

        Raises:
            StoreUnavailable, ObjectsUnavailable: a server does not answer; the rest is deleted later.
        """
        for tenant in await self.lifecycle_store.tenants():
            while keys := await self.discarded.objects_to_delete(tenant, _DELETED_AT_ONCE):
                for key in keys:
                    await self.objects.delete(key)
                await self.discarded.deleted(tenant, keys)


POLL_INTERVAL_S: Final = 10.0
"""Seconds between two polls of all tenants."""


_log = structlog.stdlib.get_logger(__name__)

_CLAIMED: Final = timedelta(seconds=15)
_RENEWED_EVERY_S: Final = 5.0
_LATER: Final = timedelta(seconds=10)
_MOST_ATTEMPTS: Final = 5


@dataclass(slots=True)
class DocumentExtraction:
    """Reads pending documents one by one: tenants take turns, and so do the users of each.

    Attributes:
        woken: set when a tenant is scheduled.
        due: when all tenants are looked at again, in the clock's monotonic seconds.
    """

    documents: DocumentStore
    objects: ObjectStore
    reader: ReaderProcess
    tokens: TokenCounter
    lifecycle_store: LifecycleStore
    emitter: Emitter
    clock: Clock
    executor: CpuExecutor
    size: ExtractSize = field(default_factory=ExtractSize)
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    due: float = 0.0
    _scheduled: set[str] = field(default_factory=set)
    _last: dict[str, str] = field(default_factory=dict)
    _uncounted: tuple[str, UUID] | None = None

    def schedule(self, tenant: str) -> None:
        """Have the documents of `tenant` read soon."""
        self._scheduled.add(tenant)
        self.woken.set()

    async def run(self) -> None:
        """Read all pending documents, one of each tenant per round.

        After an exception, the remaining tenants stay scheduled.

        Raises:
            DependencyUnavailable: a server is unavailable; the documents stay pending.
        """
        if self._uncounted is not None:  # the lease expired although the reading had not crashed
            await self.documents.uncount_attempt(*self._uncounted)
            self._uncounted = None
        self.woken.clear()
        waiting = await self._tenants()
        try:
            while waiting:
                for tenant in sorted(waiting):
                    if not await self._read_one(tenant):
                        waiting.discard(tenant)
                waiting |= await self._tenants()
        finally:
            self._scheduled |= waiting

    async def _tenants(self) -> set[str]:
        """Return the scheduled tenants; now and then all."""
        scheduled, self._scheduled = self._scheduled, set()
        if self.clock.monotonic() < self.due:
            return scheduled
        tenants = await self.lifecycle_store.tenants()
        self.due = self.clock.monotonic() + POLL_INTERVAL_S
        return set(tenants)

    async def _read_one(self, tenant: str) -> bool:
        now, last = self.clock.now(), self._last.get(tenant, "")
        document = await self.documents.claim(tenant, now, now + _CLAIMED, behind=last)
        if document is None:
            self._last.pop(tenant, None)
            return False
        self._last[tenant] = document.user_id
        await self._process(tenant, document)
        return True

    async def _process(self, tenant: str, document: DocumentToRead) -> None:
        """Process a leased document, or return the lease if a server is unavailable."""
        try:
            async with in_background(self._renew(tenant, document)):
                await self._read(tenant, document)
        except DependencyUnavailable:
            await self._return_lease(tenant, document, _LATER)
            raise
        except asyncio.CancelledError:
            await self._return_lease(tenant, document, timedelta(0))
            raise

    async def _read(self, tenant: str, document: DocumentToRead) -> None:
        try:
            extracts, whole = await self._extracts(document)
        except Unreadable as error:
            await self._failed(tenant, document, f"{UNREADABLE}: {document.name} {error}")
            return
        except ObjectMissing:
            await self._failed(tenant, document, f"{LOST}: {document.name} is in the object store no more")
            return
        written = await self.documents.done(
            tenant, document.memory_id, extracts, complete=whole, at=self.clock.now()
        )
        # After a crash here, reconciliation finds that the extracts lack their stages.
        await self.emitter.emit(tenant, [MemoryCreated(**one.ids) for one in written], bulk=True)

    async def _extracts(self, document: DocumentToRead) -> tuple[list[Memory], bool]:
        if document.attempts > _MOST_ATTEMPTS:
            raise Unreadable(f"was begun {_MOST_ATTEMPTS} times, and no worker came to its end")
        if document.message is None:
            raise Unreadable("came with a message that is not remembered")
        data = await self.objects.get(document.key)
        parts = await self.reader.read(document.name, document.media_type, data)
        ((cutting, language),) = await self.executor.map(self._cut, [(document.name, parts)])
        if not cutting.extracts:
            raise Unreadable("holds no text")
        made = [
            extract_of(document.message, number, one.title, one.text, language)
            for number, one in enumerate(cutting.extracts)
        ]
        return made, cutting.whole

    def _cut(self, document: tuple[str, Sequence[DocumentPart]]) -> tuple[CutDocument, str]:
        name, parts = document
        cutting = cut_document(name, parts, self.tokens.count, self.size)
        return cutting, identify("\n".join(one.text for one in cutting.extracts[:_LANGUAGE_SAMPLE]))

    async def _failed(self, tenant: str, document: DocumentToRead, reason: str) -> None:
        _log.warning("document cannot be read", tenant=tenant, memory_id=str(document.memory_id))
        await self.documents.failed(tenant, document.memory_id, reason, self.clock.now())

    async def _return_lease(self, tenant: str, document: DocumentToRead, pause: timedelta) -> None:
        try:
            await self.documents.give_back(tenant, document.memory_id, self.clock.now() + pause)
        except StoreUnavailable:  # an expired lease counts as an attempt whose worker crashed
            self._uncounted = tenant, document.memory_id

    async def _renew(self, tenant: str, document: DocumentToRead) -> None:
        while True:
            await self.clock.sleep(_RENEWED_EVERY_S)
            with suppress(StoreUnavailable):
                await self.documents.renew(tenant, document.memory_id, self.clock.now() + _CLAIMED)


_LANGUAGE_SAMPLE: Final = 3  # extracts whose language is detected


_OF_THE_MESSAGE: Final = (
    "tenant user_id conversation_id role speaker created_at timezone participants location expires_at "
    "importance trust source tags refs"
).split()


def extract_of(message: Memory, number: int, title: str, text: str, language: str) -> Memory:
    """Return an extract as a memory, with speaker, time and place of the message that brought the document.

    Args:
        number: of the extract in the document, from 0.
    """
    return Memory(
        **{name: getattr(message, name) for name in _OF_THE_MESSAGE},
        id=derived_id(message.tenant, MemoryKind.EXTRACT, [message.id], about=str(number)),
        kind=MemoryKind.EXTRACT,
        title=title,
        content=text,
        language=language,
        source_ids=(message.id,),
    )
