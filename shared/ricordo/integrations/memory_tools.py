"""The tools: what an assistant may ask of the memory of one user, and do to it."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated, Final
from uuid import UUID

from pydantic import Field

from ricordo.client import InvalidRequest, RicordoError, Timeout, Unavailable
from ricordo.client.options import AssertedFactFields
from ricordo.integrations.caller import Caller, CallerSource
from ricordo.integrations.tool_results import (
    AnswerResult,
    ContextResult,
    CorrectResult,
    FactsResult,
    RecallResult,
    RememberFactResult,
    RememberResult,
    TimelineResult,
    fact_items,
    memory_items,
    recalled,
)
from ricordo.language.annotations import MemoryKind, MemoryType, Predicate
from ricordo.messages.commands import ForgetReply
from ricordo.messages.enumerations import AnswerStyle, MessageState
from ricordo.messages.ids import memory_id as id_of_memory
from ricordo.messages.listings import MemoryDetailView

REMEMBER_S: Final = 30.0
"""How long `remember` waits; many clients give up on a call after a minute."""
_TOLD_A_DAY: Final = 20
"""How often the same text is taken again on a day on which it is forgotten."""
_PROGRESS_S: Final = 0.5
_ERASE_S: Final = 60.0
_DERIVED: Final = frozenset({MemoryKind.SUMMARY, MemoryKind.SYNTHESIS, MemoryKind.REFLECTION})
_KNOWN: Final = frozenset({MessageState.RECEIVED, MessageState.REMEMBERED})

Progress = Callable[[float], Awaitable[None]]
"""Takes the number of seconds that a call has lasted."""

Text = Annotated[
    str, Field(min_length=1, max_length=32_768, description="What the user said, in the first person.")
]
Question = Annotated[str, Field(description="A question or search text, in the user's own language.")]
Limit = Annotated[int, Field(ge=1, le=200, description="Maximum number of memories.")]
When = Annotated[str, Field(description="RFC 3339 with an offset, such as 2026-05-04T00:00:00+02:00.")]
Words = Annotated[list[str] | None, Field(description="Memories with any of these only.")]
MemoryId = Annotated[str, Field(description="Id of a memory, as other tools return it.")]
Key = Annotated[
    str | None,
    Field(min_length=1, max_length=128, description="Idempotency key: a call may be repeated with it."),
]


class MemoryTools:
    """The tools; each speaks for the user of the current request."""

    def __init__(self, caller: CallerSource) -> None:
        self._caller = caller

    async def remember(self, text: Text, id: Key = None, timestamp: When | None = None) -> RememberResult:  # noqa: A002 - the name that a model understands
        """Remember something that the user said, and wait until it can be recalled.

        Use the user's own words and language ("I moved to Trieste"): facts are read from them. The same text
        on the same day, or any text with the same `id`, is remembered once. `timestamp` says when the user
        said it, if not now.
        """
        return await self._remember(text, id, timestamp)

    async def recall(
        self,
        query: Question,
        limit: Limit = 10,
        *,
        start: When | None = None,
        end: When | None = None,
        people: Words = None,
        topics: Words = None,
        types: Annotated[list[MemoryType] | None, Field(description="Memories of these types only.")] = None,
        min_importance: Annotated[float | None, Field(ge=0, le=1)] = None,
    ) -> RecallResult:
        """Search the user's memories by meaning, people, feelings and time; returns the best, and facts.

        Times in the question ("yesterday", "last week") are understood; `start` (included) and `end`
        (excluded) restrict the range strictly, as do `people`, `topics` and `types`, of which any may match.
        """
        caller = self._caller()
        given = {
            "start": start,
            "end": end,
            "participants": people,
            "topics": topics,
            "types": types,
            "min_importance": min_importance,
        }
        filters = {name: value for name, value in given.items() if value is not None}
        reply = await caller.client.recall(caller.user_id, query, limit=limit, filters=filters or None)
        memories, facts = memory_items(reply.memories), fact_items(reply.facts)
        return RecallResult.showing(reply, memories=memories, facts=facts)

    async def context(
        self, query: Question, token_budget: Annotated[int, Field(ge=50, le=20_000)] = 2_000
    ) -> ContextResult:
        """Return all that is known for answering a question, as one text within a budget of tokens.

        It holds a profile of the user, facts, memories by day and recent turns. Prefer it to `recall` for
        answering the user.
        """
        caller = self._caller()
        reply = await caller.client.context(caller.user_id, query, token_budget=token_budget)
        return ContextResult.showing(reply, ids=reply.marks)

    async def answer(
        self,
        query: Question,
        style: Annotated[
            AnswerStyle, Field(description="full adds former values and further passages.")
        ] = AnswerStyle.SHORT,
    ) -> AnswerResult:
        """Answer a question from the user's facts and memories, or say that they do not suffice.

        The answer is a fact in a sentence or a quoted passage; `context` returns more to answer from.
        """
        caller = self._caller()
        reply = await caller.client.answer(caller.user_id, query, style=style)
        return AnswerResult.showing(reply, answer=recalled(reply.answer) if reply.answered else reply.answer)

    async def facts(
        self,
        entity: Annotated[
            str | None, Field(description="Somebody or something that the facts are about, in any spelling.")
        ] = None,
        predicate: Predicate | None = None,
        history: Annotated[bool, Field(description="Include facts that hold no more.")] = False,  # noqa: FBT002 - passed by name
        limit: Annotated[int, Field(ge=1, le=1_000)] = 50,
        min_confidence: Annotated[int, Field(ge=1, le=10, description="Number of messages that say so.")] = 1,
    ) -> FactsResult:
        """List facts about the user and the people, animals and places the user has spoken of."""
        caller = self._caller()
        reply = await caller.client.facts(
            caller.user_id,
            entity=entity,
            predicate=predicate,
            history=history,
            limit=limit,
            min_confidence=min_confidence,
        )
        return FactsResult(facts=fact_items(reply.facts), degraded=reply.degraded)

    async def remember_fact(
        self,
        predicate: Predicate,
        *,
        object: Annotated[str, Field(description="The value, as the user said it.")],  # noqa: A002 - as on the wire
        subject: Annotated[
            str, Field(description="`user`, or the name of who or what it is about.")
        ] = "user",
        message_id: Annotated[
            str | None, Field(description="The message that says so, as `remember` returned it.")
        ] = None,
        valid_from: When | None = None,
        valid_to: When | None = None,
    ) -> RememberFactResult:
        """Keep a fact that you have read in what the user said.

        With `message_id`, the object must stand in that message; without, it counts as your own word. Prefer
        `remember` with the user's words: facts are read from them, too.
        """
        caller = self._caller()
        fact: AssertedFactFields = {
            "subject": subject,
            "predicate": predicate,
            "object": object,
            "message_id": message_id,
            "valid_from": valid_from,
            "valid_to": valid_to,
        }
        [found] = (await caller.client.assert_facts(caller.user_id, [fact])).facts
        return RememberFactResult.showing(found)

    async def timeline(
        self, start: When, end: When | None = None, limit: Annotated[int, Field(ge=1, le=1_000)] = 100
    ) -> TimelineResult:
        """List the memories from `start` (included) to `end` (excluded; by default now), oldest first."""
        caller = self._caller()
        reply = await caller.client.timeline(
            caller.user_id, start, datetime.now(UTC) if end is None else end, limit=limit
        )
        return TimelineResult(memories=memory_items(reply.memories), more=len(reply.memories) == limit)

    async def correct(
        self,
        text: Annotated[str, Field(description="The right text of the memory, or right object of the fact.")],
        memory_id: MemoryId | None = None,
        fact_id: Annotated[str | None, Field(description="Id of a fact, as other tools return it.")] = None,
        id: Key = None,  # noqa: A002 - the name that a model understands
    ) -> CorrectResult:
        """Correct a memory (its whole text) or a fact (its object, such as the right town).

        Give `memory_id` or `fact_id`. Only do this when the user says what is right.
        """
        caller = self._caller()
        if fact_id is not None and memory_id is None:
            reply = await caller.client.correct(caller.user_id, fact_id=fact_id, object=text, request_id=id)
        else:
            reply = await caller.client.correct(
                caller.user_id, memory_id=memory_id, fact_id=fact_id, content=text, request_id=id
            )
        return CorrectResult.showing(reply)

    async def forget(
        self,
        id: Annotated[str, Field(description="Id of a memory, or the message_id that `remember` returned.")],  # noqa: A002 - as above
    ) -> ForgetReply:
        """Erase a memory and all that was read from it, for good. Only do this when the user asks for it."""
        caller, message_id = self._caller(), id
        if (memory_id := _uuid(id)) is not None:
            memory = await self.memory(memory_id)
            if memory.kind in _DERIVED:
                raise InvalidRequest(
                    f"memory {id} was derived from others: forget those, {source_ids(memory)}", "id"
                )
            (message_id,) = memory.message_ids
        return await caller.client.forget(caller.user_id, message_id=message_id, timeout=_ERASE_S)

    async def memory(self, memory_id: UUID | str) -> MemoryDetailView:
        """Return a memory of the user.

        Raises:
            NotFound: the user has no such memory.
            InvalidRequest: it is no id.
        """
        caller = self._caller()
        return (await caller.client.memory(caller.user_id, memory_id)).memory

    async def _remember(
        self, text: str, key: str | None, timestamp: str | None, report: Progress | None = None
    ) -> RememberResult:
        """Publish a message and wait until it is remembered; meanwhile `report` gets seconds."""
        caller, now = self._caller(), datetime.now(UTC)
        message_id, repeated = await _id_of(caller, key, text, now)
        if not repeated:
            await caller.client.publish(
                id=message_id,
                user_id=caller.user_id,
                conversation_id=caller.conversation_id,
                role="user",
                content=text,
                timestamp=timestamp or now,
            )
        state = await _wait(caller, message_id, report)
        memory = id_of_memory(caller.client.tenant, message_id)
        return RememberResult(message_id=message_id, memory_id=memory, state=state, repeated=repeated)


async def _wait(caller: Caller, message_id: str, report: Progress | None) -> MessageState:
    """Wait until a message is remembered, or `REMEMBER_S` have passed."""
    waiting = asyncio.create_task(caller.client.remembered([message_id], REMEMBER_S))
    began = time.monotonic()
    try:
        while not waiting.done():
            await asyncio.wait([waiting], timeout=None if report is None else _PROGRESS_S)
            if report is not None:
                await report(min(REMEMBER_S, time.monotonic() - began))
        receipt = waiting.result()[message_id]
    except Timeout:
        return MessageState.RECEIVED
    finally:
        waiting.cancel()
        with suppress(asyncio.CancelledError, RicordoError):
            await waiting
    if receipt.state is not MessageState.REMEMBERED:
        reason = receipt.error or "no reason is known"
        raise InvalidRequest(f"it was not remembered: {reason}; another `id` makes it another message")
    return receipt.state


async def _id_of(caller: Caller, key: str | None, text: str, now: datetime) -> tuple[str, bool]:
    """Return the id of a message, and whether it was published before.

    What was forgotten and is told again, without a key, gets an id of its own.
    """
    first = message_id = caller.message_id(key, text, now)
    for told in range(1, _TOLD_A_DAY):
        try:
            status = await caller.client.status(message_id)
        except (Unavailable, Timeout):  # publishing again adds nothing
            break
        is_forgotten = status.state is MessageState.UNKNOWN and status.error is not None
        if key is not None or not is_forgotten:
            return message_id, status.state in _KNOWN
        message_id = f"{first}-{told}"
    return message_id, False


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def source_ids(memory: MemoryDetailView) -> str:
    """Return the ids of the memories that a derived one rests on."""
    return " ".join(map(str, memory.sources))
