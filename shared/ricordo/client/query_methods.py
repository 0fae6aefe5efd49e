"""Query methods of the client."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Unpack
from uuid import UUID

from ricordo.client.connection import ConnectionMethods
from ricordo.client.exceptions import answer
from ricordo.client.options import (
    AnswerOptions,
    CallOptions,
    ContextOptions,
    EntitiesOptions,
    FactsOptions,
    GraphOptions,
    HistoryOptions,
    MemoriesOptions,
    PeriodsOptions,
    RecallOptions,
    When,
)
from ricordo.messages import listings, queries
from ricordo.messages.answers import AnswerPart, AnswerReply, AnswerRequest
from ricordo.messages.entities import EntitiesReply, EntitiesRequest, GraphReply, GraphRequest


class QueryMethods(ConnectionMethods):
    """Query methods.

    Every call takes `timeout` in seconds and raises `RicordoError`: `InvalidRequest` before anything is sent,
    `Unavailable` if no worker answers, `Timeout` if the reply is late.
    """

    async def recall(self, user_id: str, query: str, **options: Unpack[RecallOptions]) -> queries.RecallReply:
        """Return ranked memories of a user, and related facts."""
        fields = {"user_id": user_id, "query": query, **options}
        return await self._ask(queries.RecallRequest, queries.RecallReply, fields)

    async def context(
        self, user_id: str, query: str, **options: Unpack[ContextOptions]
    ) -> queries.ContextReply:
        """Return memories, facts, recent turns and notes, and a text for a prompt within `token_budget`."""
        fields = {"user_id": user_id, "query": query, **options}
        return await self._ask(queries.ContextRequest, queries.ContextReply, fields)

    async def answer(self, user_id: str, query: str, **options: Unpack[AnswerOptions]) -> AnswerReply:
        """Answer a question from memories and facts, or say that they do not suffice."""
        if "stream" in options:  # of the wire contract; the reply would come in parts
            raise TypeError("answer has no option 'stream': use answer_stream")
        fields = {"user_id": user_id, "query": query, **options}
        return await self._ask(AnswerRequest, AnswerReply, fields)

    async def answer_stream(
        self, user_id: str, query: str, **options: Unpack[AnswerOptions]
    ) -> AsyncGenerator[AnswerPart | AnswerReply, None]:
        """Yield each sentence of an answer as soon as it is written and checked, and at last the reply.

        `timeout` is the seconds to the next of them. Sentences before an error hold. To stop early, leave the
        loop within `contextlib.aclosing`.
        """
        timeout, name = options.pop("timeout", None), "query.answer"
        fields = {"user_id": user_id, "query": query, **options}
        asking = self._connection.ask_parts(AnswerRequest, fields, timeout)
        async with aclosing(asking):
            async for is_part, body in asking:
                yield answer(body, name, AnswerPart) if is_part else answer(body, name, AnswerReply)

    async def history(self, user_id: str, **options: Unpack[HistoryOptions]) -> queries.HistoryReply:
        """Return the last messages, oldest first."""
        fields = {"user_id": user_id, **options}
        return await self._ask(queries.HistoryRequest, queries.HistoryReply, fields)

    async def facts(self, user_id: str, **options: Unpack[FactsOptions]) -> queries.FactsReply:
        """Return facts, most confident first, then most recent."""
        fields = {"user_id": user_id, **options}
        return await self._ask(queries.FactsRequest, queries.FactsReply, fields)

    async def timeline(
        self, user_id: str, start: When, end: When, *, limit: int = 100, **options: Unpack[CallOptions]
    ) -> queries.TimelineReply:
        """Return the memories of `[start, end)`, oldest first, 1 to 1,000 of them."""
        fields = {"user_id": user_id, "start": start, "end": end, "limit": limit, **options}
        return await self._ask(queries.TimelineRequest, queries.TimelineReply, fields)

    async def working(
        self, user_id: str, conversation_id: str, **options: Unpack[CallOptions]
    ) -> queries.WorkingReply:
        """Return the working memory of a conversation."""
        fields = {"user_id": user_id, "conversation_id": conversation_id, **options}
        return await self._ask(queries.WorkingRequest, queries.WorkingReply, fields)

    async def status(self, message_id: str, **options: Unpack[CallOptions]) -> queries.StatusReply:
        """Return the processing state of a message."""
        fields = {"message_id": message_id, **options}
        return await self._ask(queries.StatusRequest, queries.StatusReply, fields)

    async def stats(self, user_id: str, **options: Unpack[CallOptions]) -> queries.StatsReply:
        """Return the number of memories, facts and messages of a user."""
        fields = {"user_id": user_id, **options}
        return await self._ask(queries.StatsRequest, queries.StatsReply, fields)

    async def expand(
        self, user_id: str, memory_id: UUID | str, **options: Unpack[CallOptions]
    ) -> queries.ExpandReply:
        """Return the sources of a summary, reflection or synthesis; none of a memory that is not there."""
        fields = {"user_id": user_id, "memory_id": memory_id, **options}
        return await self._ask(queries.ExpandRequest, queries.ExpandReply, fields)

    async def memory(
        self, user_id: str, memory_id: UUID | str, **options: Unpack[CallOptions]
    ) -> listings.MemoryReply:
        """Return one memory in full, its neighbours, the facts that it supports, and what changed it.

        Raises:
            NotFound: the user has no such memory.
        """
        fields = {"user_id": user_id, "memory_id": memory_id, **options}
        return await self._ask(listings.MemoryRequest, listings.MemoryReply, fields)

    async def memories(self, user_id: str, **options: Unpack[MemoriesOptions]) -> listings.MemoriesReply:
        """Return a page of memories; its `next` is the `cursor` of the following page."""
        fields = {"user_id": user_id, **options}
        return await self._ask(listings.MemoriesRequest, listings.MemoriesReply, fields)

    async def periods(
        self, user_id: str, by: str, **options: Unpack[PeriodsOptions]
    ) -> listings.PeriodsReply:
        """Return how many memories there are of each `day`, `week`, `month` or `year`, and how they feel."""
        fields = {"user_id": user_id, "by": by, **options}
        return await self._ask(listings.PeriodsRequest, listings.PeriodsReply, fields)

    async def entities(self, user_id: str, **options: Unpack[EntitiesOptions]) -> EntitiesReply:
        """Return a page of the people, animals, places and things of a user, most mentioned first."""
        fields = {"user_id": user_id, **options}
        return await self._ask(EntitiesRequest, EntitiesReply, fields)

    async def graph(
        self,
        user_id: str,
        entity: str | None = None,
        *,
        between: tuple[str, str] | None = None,
        **options: Unpack[GraphOptions],
    ) -> GraphReply:
        """Return the facts around an entity, or the strongest paths between two.

        Args:
            entity: `user` for the user.
            between: two entities, instead of `entity`.
        """
        ends = {} if between is None else dict(zip(("from", "to"), between, strict=True))
        fields = {"user_id": user_id, "entity": entity, **ends, **options}
        return await self._ask(GraphRequest, GraphReply, fields)

    async def users(
        self, *, cursor: str | None = None, limit: int = 50, **options: Unpack[CallOptions]
    ) -> listings.UsersReply:
        """Return a page of the users of the tenant, by id, 1 to 200 of them.

        Args:
            cursor: the `next` of the preceding page.
        """
        fields = {"cursor": cursor, "limit": limit, **options}
        return await self._ask(listings.UsersRequest, listings.UsersReply, fields)
