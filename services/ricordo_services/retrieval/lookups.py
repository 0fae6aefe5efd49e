"""Answers the queries that read rows or the graph: history, facts, timeline, status, stats, expand, graph."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import partial
from typing import Final, TypeVar
from uuid import UUID

from ricordo.clock import Clock
from ricordo.graph.fact_graph import FactGraph
from ricordo.graph.graph_model import GraphEdge, GraphUnavailable
from ricordo.index.port import IndexUnavailable
from ricordo.memory.decay import decay_factor
from ricordo.memory.model import Memory, Progress
from ricordo.messages.entities import GraphEdgeView, GraphNode, GraphPathView, GraphReply, GraphRequest
from ricordo.messages.enumerations import Degradation, MessageState
from ricordo.messages.errors import ErrorCode
from ricordo.messages.listings import MemoryReply, MemoryRequest
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
from ricordo.messages.views import EntityView
from ricordo.runtime.handling import RequestError
from ricordo.runtime.tasks import unwrap_exception_group
from ricordo.store.document_store import DocumentStore
from ricordo.store.fact_queries import FactQueries, FactQuestion
from ricordo.store.memory_queries import MemoryQueries, MessageFailure
from ricordo_services.retrieval.related_memories import RelatedMemories
from ricordo_services.retrieval.reply_views import (
    brief_memory_view,
    document_view,
    entity_view,
    fact_view,
    history_view,
    memory_detail_view,
    memory_view,
    stages_view,
)

T = TypeVar("T")
_MAX_NEIGHBOURS: Final = 20  # of an entity; the nearest come first
_NODES: Final = 200
_EDGES: Final = 500
_PATHS: Final = 10
_NEIGHBOURS_WITHIN_S: Final = 1.5
_GRAPH_WITHIN_S: Final = 4.0
_OF_A_FACT: Final = ("id", "predicate", "confidence", "verified", "valid_from", "valid_to")


@dataclass(frozen=True, slots=True)
class MemoryLookups:
    """Answers queries about messages and memories."""

    memories: MemoryQueries
    documents: DocumentStore

    async def history(self, tenant: str, request: HistoryRequest, /) -> HistoryReply:
        """Return the last messages, oldest first, and the position of the page before."""
        before = None if request.before is None else (request.before.at, request.before.id or "")
        turns = await self.memories.history(
            tenant,
            request.user_id,
            conversation_id=request.conversation_id,
            before=before,
            limit=request.limit + 1,  # the surplus turn shows that there are more
        )
        shown = turns[-request.limit :]
        more = len(turns) > len(shown)
        return HistoryReply(
            messages=tuple(history_view(request.user_id, turn) for turn in shown),
            next=Position(shown[0].timestamp, shown[0].message_id) if more else None,
        )

    async def timeline(self, tenant: str, request: TimelineRequest, /) -> TimelineReply:
        """Return memories created in [start, end), oldest first."""
        memories = await self.memories.timeline(
            tenant, request.user_id, request.start, request.end, request.limit
        )
        return TimelineReply(memories=tuple(map(memory_view, memories)))

    async def status(self, tenant: str, request: StatusRequest, /) -> StatusReply:
        """Return the processing state of a message."""
        user_id, digest = request.user_id, request.digest
        found = await self.memories.status(tenant, request.message_id, digest, user_id)
        progress, failure, has_document = found
        told = bool(failure and (failure.is_forgotten or digest))
        if user_id is not None and not (progress.user_id == user_id if progress else told):
            return StatusReply(state=MessageState.UNKNOWN)
        error = None if failure is None else f"{failure.code}: {failure.reason}"
        state = _state(progress, failure)
        if progress is None:
            return StatusReply(state=state, error=error)
        record = await self.documents.about(tenant, progress.memory_id) if has_document else None
        document = None if record is None else document_view(record)
        return StatusReply(state=state, stages=stages_view(progress), error=error, document=document)

    async def stats(self, tenant: str, request: StatsRequest, /) -> StatsReply:
        """Count the records of the user."""
        return await self.memories.counts(tenant, request.user_id)

    async def expand(self, tenant: str, request: ExpandRequest, /) -> ExpandReply:
        """Return the source memories of a memory, oldest first.

        A message has no sources; of one with a document, the extracts are returned in their order.
        """
        found = await self.memories.memories(tenant, request.user_id, [request.memory_id])
        ids = [source for memory in found for source in memory.source_ids]
        is_message = any(memory.message_id for memory in found)
        if is_message:
            record = await self.documents.about(tenant, request.memory_id)
            ids = [] if record is None else list(record.extract_ids)
        sources = await self.memories.memories(tenant, request.user_id, ids)
        if is_message:
            positions = {memory_id: position for position, memory_id in enumerate(ids)}
            ordered = sorted(sources, key=lambda memory: positions[memory.id])
        else:
            ordered = sorted(sources, key=lambda memory: (memory.created_at, memory.id))
        return ExpandReply(memories=tuple(map(memory_view, ordered)))


def _state(progress: Progress | None, failure: MessageFailure | None) -> MessageState:
    if progress is not None and progress.remembered:
        return MessageState.REMEMBERED
    if failure is not None and not failure.of_another and not failure.is_forgotten:
        return MessageState.FAILED
    return MessageState.UNKNOWN if progress is None else MessageState.RECEIVED


@dataclass(frozen=True, slots=True)
class FactLookups:
    """Answers `query.facts`, and by the graph `query.graph`.

    Attributes:
        facts: also finds the canonical names of entities.
        graph_answers: whether the graph is available.
    """

    facts: FactQueries
    graph: FactGraph
    graph_answers: Callable[[], Awaitable[bool]]

    async def list_facts(self, tenant: str, request: FactsRequest, /) -> FactsReply:
        """Return facts, most confident first, then most recent; and the entity of the question."""
        question = FactQuestion(**{one.name: getattr(request, one.name) for one in fields(FactQuestion)})
        with unwrap_exception_group():
            async with asyncio.TaskGroup() as group:
                facts_task = group.create_task(self.facts.facts(tenant, question))
                entity_task = group.create_task(self._entity(tenant, request.user_id, request.entity))
        entity, degraded = entity_task.result()
        return FactsReply(facts=tuple(map(fact_view, facts_task.result())), entity=entity, degraded=degraded)

    async def show_graph(self, tenant: str, request: GraphRequest, /) -> GraphReply:
        """Return a part of the graph, or that it is unavailable."""
        named = (request.entity,) if request.from_ is None else (request.from_, request.to)
        names = [await self._canonical(tenant, request.user_id, name) for name in named if name is not None]
        look = self._neighbourhood if request.from_ is None else self._paths
        found = await self._of_graph(partial(look, tenant, request, *names), _GRAPH_WITHIN_S)
        return found or GraphReply(degraded=(Degradation.GRAPH,))

    async def _entity(
        self, tenant: str, user_id: str, name: str | None
    ) -> tuple[EntityView | None, tuple[Degradation, ...]]:
        """Return the entity of that name, None for an unknown name; and the unavailable parts."""
        entity = None if name is None else await self.facts.entity(tenant, user_id, name)
        if entity is None:
            return None, ()
        look = partial(self.graph.neighbours, tenant, user_id, entity.name, limit=_MAX_NEIGHBOURS)
        found = await self._of_graph(look, _NEIGHBOURS_WITHIN_S)
        return entity_view(entity, found or ()), () if found is not None else (Degradation.GRAPH,)

    async def _of_graph(self, look: Callable[[], Awaitable[T]], within_s: float) -> T | None:
        """Return what the graph answers within some seconds; None if it is unavailable."""
        with suppress(GraphUnavailable, TimeoutError):
            if await self.graph_answers():
                async with asyncio.timeout(within_s):
                    return await look()
        return None

    async def _canonical(self, tenant: str, user_id: str, name: str) -> str:
        """Return the name of the entity that goes by `name`; a value of a fact, or the user, has no other."""
        entity = await self.facts.entity(tenant, user_id, name)
        return name if entity is None else entity.name

    async def _neighbourhood(self, tenant: str, request: GraphRequest, entity: str) -> GraphReply:
        found = await self.graph.neighbourhood(
            tenant,
            request.user_id,
            entity,
            depth=request.depth,
            min_confidence=request.min_confidence,
            max_nodes=_NODES,
            max_edges=_EDGES,
        )
        return GraphReply(
            nodes=_nodes(found.names, found.distances),
            edges=_edges(found.names, found.edges),
            truncated=found.truncated,
        )

    async def _paths(self, tenant: str, request: GraphRequest, start: str, end: str) -> GraphReply:
        found = await self.graph.paths(
            tenant,
            request.user_id,
            start,
            end,
            depth=request.depth,
            min_confidence=request.min_confidence,
            limit=_PATHS + 1,  # the surplus one shows that there are more
        )
        shown = found[:_PATHS]
        names: dict[str, str] = {}
        distances: dict[str, int] = {}
        for path in shown:
            names |= path.names
            for distance, key in enumerate(path.names):
                distances[key] = min(distance, distances.get(key, distance))
        edges = {edge.fact.id: edge for path in shown for edge in path.edges}
        return GraphReply(
            nodes=_nodes(names, distances),
            edges=_edges(names, edges.values()),
            paths=tuple(
                GraphPathView(
                    nodes=tuple(path.names.values()),
                    facts=tuple(edge.fact.id for edge in path.edges),
                    strength=path.strength,
                )
                for path in shown
            ),
            truncated=len(found) > len(shown),
        )


@dataclass(frozen=True, slots=True)
class MemoryBrowser:
    """Answers queries about one memory, with its decay factor, which may have floors."""

    memories: MemoryQueries
    related: RelatedMemories
    clock: Clock
    floors: bool = True

    async def memory(self, tenant: str, request: MemoryRequest, /) -> MemoryReply:
        """Return a memory with its neighbours, its facts and its history.

        Raises:
            RequestError: the user has no such memory.
        """
        found = await self.memories.memories(tenant, request.user_id, [request.memory_id])
        if not found:
            reason = f"the user has no memory {request.memory_id}"
            raise RequestError(ErrorCode.NOT_FOUND, reason, "memory_id")
        [memory] = found
        related, degraded = await self._related(tenant, memory)
        named = [memory.preceding_id, memory.following_id, *related]
        ids = list(dict.fromkeys(one for one in named if one is not None))
        others = await self.memories.memories(tenant, request.user_id, ids)  # of this user only
        views = {one.id: brief_memory_view(one) for one in others}
        strength = decay_factor(memory, self.clock.now(), floors=self.floors)
        facts, changes, metadata = await self.memories.details(tenant, memory, strength)
        return MemoryReply(
            memory=memory_detail_view(memory, metadata, [one for one in related if one in views], strength),
            related=tuple(views[one] for one in related if one in views),
            preceding=views.get(memory.preceding_id) if memory.preceding_id else None,
            following=views.get(memory.following_id) if memory.following_id else None,
            facts=tuple(map(fact_view, facts)),
            history=tuple(changes),
            degraded=degraded,
        )

    async def _related(self, tenant: str, memory: Memory) -> tuple[list[UUID], tuple[Degradation, ...]]:
        """Return the memories that are related to one, and the unavailable parts."""
        try:
            found = await self.related.both_ways(tenant, memory.user_id, memory.id)
        except IndexUnavailable:
            return [], (Degradation.VECTORS,)
        return [neighbour.id for neighbour in found], ()


def _nodes(names: Mapping[str, str], distances: Mapping[str, int]) -> tuple[GraphNode, ...]:
    nearest = sorted(names, key=lambda key: (distances[key], names[key], key))
    return tuple(GraphNode(name=names[key], distance=distances[key]) for key in nearest)


def _edges(names: Mapping[str, str], edges: Iterable[GraphEdge]) -> tuple[GraphEdgeView, ...]:
    """Return views of edges, whose ends are named as the nodes are."""
    return tuple(
        GraphEdgeView(
            subject=names[edge.subject],
            object=names[edge.object],
            **{name: getattr(edge.fact, name) for name in _OF_A_FACT},
        )
        for edge in edges
    )
