"""Answers the queries for looking around: one memory with all that belongs to it."""

from dataclasses import asdict, dataclass

from ricordo.messages.errors import ErrorCode
from ricordo.messages.listings import MemoryChange, MemoryReply, MemoryRequest
from ricordo.runtime.replies import RequestError
from ricordo.store.memory_details import MemoryDetailQueries
from ricordo.store.memory_queries import MemoryQueries
from ricordo_services.retrieval.reply_views import brief_memory_view, fact_view, memory_detail_view


@dataclass(frozen=True, slots=True)
class MemoryBrowser:
    """Answers queries about one memory."""

    memories: MemoryQueries
    details: MemoryDetailQueries

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
        named = [memory.preceding_id, memory.following_id, *memory.related_ids]
        ids = list(dict.fromkeys(one for one in named if one is not None))
        others = await self.memories.memories(tenant, request.user_id, ids)  # of this user only
        views = {one.id: brief_memory_view(one) for one in others}
        facts, changes, metadata = await self.details.details(tenant, memory)
        return MemoryReply(
            memory=memory_detail_view(memory, metadata),
            related=tuple(views[one] for one in memory.related_ids if one in views),
            preceding=views.get(memory.preceding_id) if memory.preceding_id else None,
            following=views.get(memory.following_id) if memory.following_id else None,
            facts=tuple(map(fact_view, facts)),
            history=tuple(MemoryChange.model_validate(asdict(one)) for one in changes),
        )
