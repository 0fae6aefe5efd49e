"""Records incoming messages exactly once, and publishes their events for the other workers."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from aiolimiter import AsyncLimiter
from cachetools import LRUCache

from ricordo.clock import Clock
from ricordo.documents.records import ObjectsUnavailable
from ricordo.language.detection import identify
from ricordo.language.text import collapse
from ricordo.memory.context.recalled_tags import strip_recalled
from ricordo.memory.model import Progress
from ricordo.messages.errors import ID_TAKEN, DeadLetterCode
from ricordo.messages.events import MemoryCreated, MessageReceived, ReadingRequested
from ricordo.messages.ids import memory_id
from ricordo.runtime.handling import Done, Envelope, Outcome, Reject, Retry
from ricordo.store.intake import IntakeStore, NewMessage, RecordedMessage
from ricordo_services.ingest.document_extraction import DocumentStorage, new_document
from ricordo_services.stage_events import receipt, requests

_PERIOD_S: Final = 60.0
_MAX_USERS: Final = 50_000


@dataclass(frozen=True, slots=True)
class LiveLane:
    """A leaky bucket for each user; what exceeds it goes to the bulk lane, where it delays nobody.

    The buckets belong to one process and are empty after a restart, since they only choose a lane.

    Attributes:
        burst: capacity of a bucket in messages, from 1; it leaks that many in a minute.
    """

    burst: int
    _buckets: LRUCache[tuple[str, str], AsyncLimiter] = field(
        default_factory=lambda: LRUCache(_MAX_USERS), init=False
    )

    async def admits(self, tenant: str, user_id: str) -> bool:
        """Return whether one more message of the user fits into its bucket, and add it if so."""
        bucket = self._buckets.get((tenant, user_id))
        if bucket is None:
            bucket = self._buckets[tenant, user_id] = AsyncLimiter(self.burst, _PERIOD_S)
        if not bucket.has_capacity():
            return False
        await bucket.acquire()
        return True


_AGAIN_AT_ONCE: Final = 500  # most messages that a late message sends through the workers again


@dataclass(frozen=True, slots=True)
class IngestHandler:
    """Handles `message.received` and, with `source` import, `message.imported`.

    Attributes:
        lane: chooses the messages of the live lane; None sends all to the bulk lane.
        storage: of documents; None without an object store.
    """

    intake: IntakeStore
    clock: Clock
    lane: LiveLane | None
    source: str = "conversation"
    storage: DocumentStorage | None = None

    async def __call__(self, tenant: str, events: Sequence[Envelope[MessageReceived]]) -> Sequence[Outcome]:
        """Store the documents, then record the messages; one outcome each."""
        bodies = [event.body for event in events]
        with_document = [body for body in bodies if body.document is not None]
        found = iter(await asyncio.gather(*(self._refusal(tenant, body) for body in with_document)))
        refusals = [None if body.document is None else next(found) for body in bodies]
        accepted = [body for body, problem in zip(bodies, refusals, strict=True) if problem is None]
        bulk = [self.lane is None or not await self.lane.admits(tenant, body.user_id) for body in accepted]
        # In a thread: loading the language detector takes a second, once.
        messages = await asyncio.to_thread(
            lambda: [
                new_message(tenant, body, self.source, bulk=is_bulk)
                for body, is_bulk in zip(accepted, bulk, strict=True)
            ]
        )
        recorded = iter(await self.intake.record(tenant, messages, self.clock.now()))
        outcomes: list[Outcome] = []
        for body, problem in zip(bodies, refusals, strict=True):
            if problem is not None:
                outcomes.append(problem)
                continue
            one = next(recorded)
            await self._start_reading(tenant, body, one)
            outcomes.append(_outcome(tenant, body, one))
        return outcomes

    async def _refusal(self, tenant: str, body: MessageReceived) -> Outcome | None:
        """Store the document of a message; return the outcome of the message if it is not stored."""
        if self.storage is None:
            return _NO_DOCUMENTS
        try:
            await self.storage.store(tenant, body)
        except ObjectsUnavailable as error:
            return Retry.because(error)
        return None

    async def _start_reading(self, tenant: str, body: MessageReceived, recorded: RecordedMessage) -> None:
        if body.document is None or self.storage is None:
            return
        if recorded.status == "kept":
            self.storage.schedule(tenant)
        else:
            await self.storage.discard(tenant, body)


_NO_DOCUMENTS = Reject(
    DeadLetterCode.DOCUMENTS_UNAVAILABLE,
    "no place is set where documents are kept: set documents.dir or documents.url and replay this message, "
    "or send it without the document",
)


_DIGITS = 6  # of an importance: denormal numbers are an error in SQL


def new_message(tenant: str, body: MessageReceived, source: str, *, bulk: bool) -> NewMessage:
    """Return the record of a message, without `<recalled>` spans; `bulk` is its lane."""
    content = strip_recalled(body.content)
    return NewMessage(
        message_id=body.id,
        memory_id=memory_id(tenant, body.id),
        user_id=body.user_id,
        conversation_id=body.conversation_id,
        role=body.role.value,
        content=content,
        digest=bytes.fromhex(body.digest),
        timestamp=body.timestamp,
        speaker=body.speaker or "",
        participants=body.participants,
        timezone=body.timezone,
        language=body.language or identify(content),
        location=body.location or "",
        metadata=body.metadata,
        kind=None if body.kind is None else body.kind.value,
        importance=None if body.importance is None else round(body.importance, _DIGITS),
        tags=body.tags,
        refs=tuple(dict.fromkeys(map(str, body.refs))),
        expires_at=body.expires_at,
        trust=body.trust,
        source=source,
        bulk=bulk,
        memorable=body.memorize and bool(collapse(content)),
        document=None if body.document is None else new_document(tenant, body),
    )


_QUOTAS: Final = {
    "too_many": "its user has as many messages as are kept of one (quotas.messages): forget some, or raise "
    "it, and replay this message",
    "too_many_today": "its user has said as many messages as are taken in of one on a day "
    "(quotas.messages_per_day): replay this message on another day, or once it is raised",
}
"""Why a message is refused, by the status of its record."""


def _outcome(tenant: str, body: MessageReceived, recorded: RecordedMessage) -> Outcome:
    if recorded.status == "conflict":
        return Reject(DeadLetterCode.ID_CONFLICT, ID_TAKEN.format(body.id))
    if (quota := _QUOTAS.get(recorded.status)) is not None:
        return Reject(DeadLetterCode.QUOTA_EXCEEDED, quota)
    if recorded.status == "forgotten" or recorded.progress is None:
        return Done()  # no dead letter either: it would keep forgotten content
    return _done(tenant, recorded.progress, recorded)


def _done(tenant: str, progress: Progress, recorded: RecordedMessage) -> Done:
    """Return the events that the state implies, so that a redelivery after a crash publishes them again."""
    # Without a vector a memory is still to be enriched anyway; reconciliation finds those beyond the limit.
    timezone_changed = [one for one in recorded.timezone_changed if one.encoded is not None][:_AGAIN_AT_ONCE]
    again = requests(ReadingRequested, timezone_changed, "the user's time zone is another")
    if progress.remembered:
        return Done(receipt(tenant, progress), again)
    created = MemoryCreated(**progress.ids)
    return Done((), (created, *again)) if recorded.bulk else Done((created,), again)
