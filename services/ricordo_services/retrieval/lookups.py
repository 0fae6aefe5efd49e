"""The queries that ask the truth by name: history, facts, timeline, status, stats, expand."""

import asyncio
from dataclasses import asdict, dataclass

from ricordo.memory.model import Progress
from ricordo.messages.enumerations import MessageState
from ricordo.messages.queries import (
    ExpandReply,
    ExpandRequest,
    FactsReply,
    FactsRequest,
    HistoryReply,
    HistoryRequest,
    Position,
    StatsReply,
    StatsRequest,
    StatusReply,
    StatusRequest,
    TimelineReply,
    TimelineRequest,
)
from ricordo.messages.views import FactView
from ricordo.store.document_store import DocumentStore
from ricordo.store.fact_queries import FactQueries, FactQuestion
from ricordo.store.memory_queries import MemoryQueries, MessageFailure
from ricordo_services.retrieval.entity_lookup import EntityLookup
from ricordo_services.retrieval.reply_views import (
    document_view,
    fact_view,
    history_view,
    memory_view,
    stages_view,
)
from ricordo_services.retrieval.task_concurrency import ungrouped


@dataclass(frozen=True, slots=True)
class History:
    """Answers `query.history`."""

    recollection: MemoryQueries

    async def __call__(self, tenant: str, request: HistoryRequest, /) -> HistoryReply:
        """Return the last messages, oldest first, and where to go on."""
        before = None if request.before is None else (request.before.at, request.before.id or "")
        turns = await self.recollection.history(
            tenant,
            request.user_id,
            conversation_id=request.conversation_id,
            before=before,
            limit=request.limit + 1,  # one more tells whether there are more
        )
        shown = turns[-request.limit :]
        more = len(turns) > len(shown)
        return HistoryReply(
            messages=tuple(history_view(request.user_id, turn) for turn in shown),
            next=Position(shown[0].timestamp, shown[0].message_id) if more else None,
        )


@dataclass(frozen=True, slots=True)
class Facts:
    """Answers `query.facts`."""

    ledger: FactQueries
    lookup: EntityLookup

    async def __call__(self, tenant: str, request: FactsRequest, /) -> FactsReply:
        """Return facts, most confident first, then most recent; and the entity that they are asked about."""
        with ungrouped():
            async with asyncio.TaskGroup() as group:
                knowing = group.create_task(self._facts(tenant, request))
                meeting = group.create_task(self.lookup(tenant, request.user_id, request.entity))
        entity, degraded = meeting.result()
        return FactsReply(facts=knowing.result(), entity=entity, degraded=degraded)

    async def _facts(self, tenant: str, request: FactsRequest) -> tuple[FactView, ...]:
        question = FactQuestion(
            user_id=request.user_id,
            entity=request.entity,
            predicate=request.predicate,
            min_confidence=request.min_confidence,
            as_of=request.as_of,
            history=request.history,
            limit=request.limit,
        )
        return tuple(map(fact_view, await self.ledger.facts(tenant, question)))


@dataclass(frozen=True, slots=True)
class Timeline:
    """Answers `query.timeline`."""

    recollection: MemoryQueries

    async def __call__(self, tenant: str, request: TimelineRequest, /) -> TimelineReply:
        """Return memories created in [start, end), oldest first."""
        memories = await self.recollection.timeline(
            tenant, request.user_id, request.start, request.end, request.limit
        )
        return TimelineReply(memories=tuple(map(memory_view, memories)))


@dataclass(frozen=True, slots=True)
class Status:
    """Answers `query.status`."""

    recollection: MemoryQueries
    documents: DocumentStore

    async def __call__(self, tenant: str, request: StatusRequest, /) -> StatusReply:
        """Return how far the message got."""
        progress, failure = await self.recollection.status(tenant, request.message_id)
        error = None if failure is None else f"{failure.code}: {failure.reason}"
        if progress is None:
            return StatusReply(state=_state(progress, failure), error=error)
        record = await self.documents.about(tenant, progress.memory_id)
        return StatusReply(
            state=_state(progress, failure),
            stages=stages_view(progress),
            error=error,
            document=None if record is None else document_view(record),
        )


def _state(progress: Progress | None, failure: MessageFailure | None) -> MessageState:
    if progress is not None and progress.remembered:
        return MessageState.REMEMBERED
    if failure is not None and not failure.of_another and not failure.is_forgotten:
        return MessageState.FAILED
    return MessageState.UNKNOWN if progress is None else MessageState.RECEIVED


@dataclass(frozen=True, slots=True)
class Stats:
    """Answers `query.stats`."""

    recollection: MemoryQueries

    async def __call__(self, tenant: str, request: StatsRequest, /) -> StatsReply:
        """Count what is held about the user."""
        return StatsReply(**asdict(await self.recollection.counts(tenant, request.user_id)))


@dataclass(frozen=True, slots=True)
class Expand:
    """Answers `query.expand`."""

    recollection: MemoryQueries
    documents: DocumentStore

    async def __call__(self, tenant: str, request: ExpandRequest, /) -> ExpandReply:
        """Return the memories that a memory rests on, oldest first.

        A message rests on none; of one that brought a document these are its extracts, in their order.
        """
        found = await self.recollection.memories(tenant, request.user_id, [request.memory_id])
        ids = [source for memory in found for source in memory.source_ids]
        if any(memory.message_id for memory in found):
            return await self._extracts(tenant, request)
        sources = await self.recollection.memories(tenant, request.user_id, ids)
        ordered = sorted(sources, key=lambda memory: (memory.created_at, memory.id))
        return ExpandReply(memories=tuple(map(memory_view, ordered)))

    async def _extracts(self, tenant: str, request: ExpandRequest) -> ExpandReply:
        record = await self.documents.about(tenant, request.memory_id)
        if record is None:
            return ExpandReply(memories=())
        places = {one: place for place, one in enumerate(record.extract_ids)}
        extracts = await self.recollection.memories(tenant, request.user_id, record.extract_ids)
        ordered = sorted(extracts, key=lambda memory: places[memory.id])
        return ExpandReply(memories=tuple(map(memory_view, ordered)))
