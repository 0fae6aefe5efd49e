"""Query methods of the client."""

from typing import Unpack
from uuid import UUID

from ricordo.client.connection import Connection, built
from ricordo.client.options import ContextOptions, FactsOptions, HistoryOptions, RecallOptions, When
from ricordo.messages import queries


class QueryMethods:
    """Query methods.

    Every call takes `timeout` in seconds and raises `RicordoError`: `InvalidRequest` before anything is sent,
    `Unavailable` if no worker answers, `Timeout` if the reply is late.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def recall(
        self, user_id: str, query: str, *, timeout: float | None = None, **options: Unpack[RecallOptions]
    ) -> queries.RecallReply:
        """Return ranked memories of a user, and related facts."""
        request = built(queries.RecallRequest, {"user_id": user_id, "query": query, **options})
        return await self._connection.ask(request, request.name, queries.RecallReply, timeout)

    async def context(
        self, user_id: str, query: str, *, timeout: float | None = None, **options: Unpack[ContextOptions]
    ) -> queries.ContextReply:
        """Return memories, facts, recent turns and notes, and a text for a prompt within `token_budget`."""
        request = built(queries.ContextRequest, {"user_id": user_id, "query": query, **options})
        return await self._connection.ask(request, request.name, queries.ContextReply, timeout)

    async def history(
        self, user_id: str, *, timeout: float | None = None, **options: Unpack[HistoryOptions]
    ) -> queries.HistoryReply:
        """Return the last messages, oldest first."""
        request = built(queries.HistoryRequest, {"user_id": user_id, **options})
        return await self._connection.ask(request, request.name, queries.HistoryReply, timeout)

    async def facts(
        self, user_id: str, *, timeout: float | None = None, **options: Unpack[FactsOptions]
    ) -> queries.FactsReply:
        """Return facts, most confident first, then most recent."""
        request = built(queries.FactsRequest, {"user_id": user_id, **options})
        return await self._connection.ask(request, request.name, queries.FactsReply, timeout)

    async def timeline(
        self, user_id: str, start: When, end: When, *, limit: int = 100, timeout: float | None = None
    ) -> queries.TimelineReply:
        """Return the memories of `[start, end)`, oldest first, 1 to 1,000 of them."""
        fields = {"user_id": user_id, "start": start, "end": end, "limit": limit}
        request = built(queries.TimelineRequest, fields)
        return await self._connection.ask(request, request.name, queries.TimelineReply, timeout)

    async def working(
        self, user_id: str, conversation_id: str, *, timeout: float | None = None
    ) -> queries.WorkingReply:
        """Return the working memory of a conversation."""
        request = built(queries.WorkingRequest, {"user_id": user_id, "conversation_id": conversation_id})
        return await self._connection.ask(request, request.name, queries.WorkingReply, timeout)

    async def status(self, message_id: str, *, timeout: float | None = None) -> queries.StatusReply:
        """Return the processing state of a message."""
        request = built(queries.StatusRequest, {"message_id": message_id})
        return await self._connection.ask(request, request.name, queries.StatusReply, timeout)

    async def stats(self, user_id: str, *, timeout: float | None = None) -> queries.StatsReply:
        """Return the number of memories, facts and messages of a user."""
        request = built(queries.StatsRequest, {"user_id": user_id})
        return await self._connection.ask(request, request.name, queries.StatsReply, timeout)

    async def expand(
        self, user_id: str, memory_id: UUID | str, *, timeout: float | None = None
    ) -> queries.ExpandReply:
        """Return the sources of a summary, reflection or synthesis.

        Raises:
            NotFound: the user has no such memory.
        """
        request = built(queries.ExpandRequest, {"user_id": user_id, "memory_id": memory_id})
        return await self._connection.ask(request, request.name, queries.ExpandReply, timeout)
