"""Query methods of the client."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Unpack
from uuid import UUID

from ricordo.client.connection import Connection
from ricordo.client.exceptions import answer
from ricordo.client.options import (
    AnswerOptions,
    ContextOptions,
    EntitiesOptions,
    FactsOptions,
    GraphOptions,
    HistoryOptions,
    MemoriesOptions,
    RecallOptions,
    When,
)
from ricordo.messages import listings, queries
from ricordo.messages.answers import AnswerPart, AnswerReply, AnswerRequest
from ricordo.messages.entities import EntitiesReply, EntitiesRequest, GraphReply, GraphRequest


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
        fields = {"user_id": user_id, "query": query, **options}
        return await self._connection.ask(queries.RecallRequest, queries.RecallReply, fields, timeout)

    async def context(
        self, user_id: str, query: str, *, timeout: float | None = None, **options: Unpack[ContextOptions]
    ) -> queries.ContextReply:
        """Return memories, facts, recent turns and notes, and a text for a prompt within `token_budget`."""
        fields = {"user_id": user_id, "query": query, **options}
        return await self._connection.ask(queries.ContextRequest, queries.ContextReply, fields, timeout)

    async def answer(
        self, user_id: str, query: str, *, timeout: float | None = None, **options: Unpack[AnswerOptions]
    ) -> AnswerReply:
        """Answer a question from memories and facts, or say that they do not suffice."""
        if "stream" in options:  # of the wire contract; the reply would come in parts
            raise TypeError("answer has no option 'stream': use answer_stream")
        fields = {"user_id": user_id, "query": query, **options}
        return await self._connection.ask(AnswerRequest, AnswerReply, fields, timeout)

    async def answer_stream(
        self, user_id: str, query: str, *, timeout: float | None = None, **options: Unpack[AnswerOptions]
    ) -> AsyncGenerator[AnswerPart | AnswerReply, None]:
        """Yield each sentence of an answer as soon as it is written and checked, and at last the reply.

        `timeout` is the seconds to the next of them. Sentences before an error hold. To stop early, leave the
        loop within `contextlib.aclosing`.
        """
        fields = {"user_id": user_id, "query": query, **options}
        asking, name = self._connection.ask_parts(AnswerRequest, fields, timeout), "query.answer"
        async with aclosing(asking):
            async for is_part, body in asking:
                yield answer(body, name, AnswerPart) if is_part else answer(body, name, AnswerReply)

    async def history(
        self, user_id: str, *, timeout: float | None = None, **options: Unpack[HistoryOptions]
    ) -> queries.HistoryReply:
        """Return the last messages, oldest first."""
        fields = {"user_id": user_id, **options}
        return await self._connection.ask(queries.HistoryRequest, queries.HistoryReply, fields, timeout)

    async def facts(
        self, user_id: str, *, timeout: float | None = None, **options: Unpack[FactsOptions]
    ) -> queries.FactsReply:
        """Return facts, most confident first, then most recent."""
        fields = {"user_id": user_id, **options}
        return await self._connection.ask(queries.FactsRequest, queries.FactsReply, fields, timeout)

    async def timeline(
        self, user_id: str, start: When, end: When, *, limit: int = 100, timeout: float | None = None
    ) -> queries.TimelineReply:
        """Return the memories of `[start, end)`, oldest first, 1 to 1,000 of them."""
        fields = {"user_id": user_id, "start": start, "end": end, "limit": limit}
        return await self._connection.ask(queries.TimelineRequest, queries.TimelineReply, fields, timeout)

    async def working(
        self, user_id: str, conversation_id: str, *, timeout: float | None = None
    ) -> queries.WorkingReply:
        """Return the working memory of a conversation."""
        fields = {"user_id": user_id, "conversation_id": conversation_id}
        return await self._connection.ask(queries.WorkingRequest, queries.WorkingReply, fields, timeout)

    async def status(self, message_id: str, *, timeout: float | None = None) -> queries.StatusReply:
        """Return the processing state of a message."""
        fields = {"message_id": message_id}
        return await self._connection.ask(queries.StatusRequest, queries.StatusReply, fields, timeout)

    async def stats(self, user_id: str, *, timeout: float | None = None) -> queries.StatsReply:
        """Return the number of memories, facts and messages of a user."""
        fields = {"user_id": user_id}
        return await self._connection.ask(queries.StatsRequest, queries.StatsReply, fields, timeout)

    async def expand(
        self, user_id: str, memory_id: UUID | str, *, timeout: float | None = None
    ) -> queries.ExpandReply:
        """Return the sources of a summary, reflection or synthesis; none of a memory that is not there."""
        fields = {"user_id": user_id, "memory_id": memory_id}
        return await self._connection.ask(queries.ExpandRequest, queries.ExpandReply, fields, timeout)

    async def memory(
        self, user_id: str, memory_id: UUID | str, *, timeout: float | None = None
    ) -> listings.MemoryReply:
        """Return one memory in full, its neighbours, the facts that it supports, and what changed it.

        Raises:
            NotFound: the user has no such memory.
        """
        fields = {"user_id": user_id, "memory_id": memory_id}
        return await self._connection.ask(listings.MemoryRequest, listings.MemoryReply, fields, timeout)

    async def memories(
        self, user_id: str, *, timeout: float | None = None, **options: Unpack[MemoriesOptions]
    ) -> listings.MemoriesReply:
        """Return a page of memories; its `next` is the `cursor` of the following page."""
        fields = {"user_id": user_id, **options}
        return await self._connection.ask(listings.MemoriesRequest, listings.MemoriesReply, fields, timeout)

    async def entities(
        self, user_id: str, *, timeout: float | None = None, **options: Unpack[EntitiesOptions]
    ) -> EntitiesReply:
        """Return a page of the people, animals, places and things of a user, most mentioned first."""
        fields = {"user_id": user_id, **options}
        return await self._connection.ask(EntitiesRequest, EntitiesReply, fields, timeout)

    async def graph(
        self,
        user_id: str,
        entity: str | None = None,
        *,
        between: tuple[str, str] | None = None,
        timeout: float | None = None,
        **options: Unpack[GraphOptions],
    ) -> GraphReply:
        """Return the facts around an entity, or the strongest paths between two.

        Args:
            entity: `user` for the user.
            between: two entities, instead of `entity`.
        """
        ends = {} if between is None else dict(zip(("from", "to"), between, strict=True))
        fields = {"user_id": user_id, "entity": entity, **ends, **options}
        return await self._connection.ask(GraphRequest, GraphReply, fields, timeout)

    async def users(
        self, *, cursor: str | None = None, limit: int = 50, timeout: float | None = None
    ) -> listings.UsersReply:
        """Return a page of the users of the tenant, by id, 1 to 200 of them.

        Args:
            cursor: the `next` of the preceding page.
        """
        fields = {"cursor": cursor, "limit": limit}
        return await self._connection.ask(listings.UsersRequest, listings.UsersReply, fields, timeout)
