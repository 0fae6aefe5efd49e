"""The tools of the MCP server: those that agents have, with progress, and those for its clients only."""

from typing import Annotated, Any, Final
from uuid import UUID

from mcp.server.mcpserver import Context
from pydantic import BaseModel, Field

from ricordo.integrations.memory_tools import (
    REMEMBER_S,
    Key,
    MemoryId,
    MemoryTools,
    Question,
    Text,
    When,
    source_ids,
)
from ricordo.integrations.tool_results import Recalled, RememberResult, beginning, recalled, recalled_memory
from ricordo.messages.enumerations import MessageState
from ricordo.messages.queries import Stages
from ricordo.messages.views import MemoryView

_TITLE_LENGTH: Final = 100


def memory_uri(memory_id: UUID) -> str:
    """Return the address of a memory among the resources."""
    return f"memory://{memory_id}"


class StatusResult(BaseModel):
    """How far a message got."""

    state: MessageState
    stages: Stages
    error: str | None


class SearchHit(BaseModel):
    """A memory that a search found."""

    id: str
    title: Recalled
    url: str


class SearchResult(BaseModel):
    """Memories that match, best first."""

    results: list[SearchHit]


class FetchResult(BaseModel):
    """A memory in full."""

    id: str
    title: Recalled
    text: Recalled
    url: str
    metadata: dict[str, str]


def recalled_title(memory: MemoryView) -> str:
    """Return a short title of a memory: the beginning of what was said."""
    words = " ".join((memory.title or memory.content or memory.summary or "").split())
    return recalled(beginning(words, _TITLE_LENGTH))


class AssistantTools(MemoryTools):
    """The tools of an assistant."""

    # The SDK passes `ctx`, which no model sees.
    async def remember(  # type: ignore[override] # noqa: D102 - below
        self,
        text: Text,
        ctx: Context[Any, Any],
        id: Key = None,  # noqa: A002 - the name that a model understands
        timestamp: When | None = None,
    ) -> RememberResult:

        async def report(seconds: float) -> None:
            await ctx.report_progress(seconds, REMEMBER_S, "Waiting until it can be recalled")

        return await self._remember(text, id, timestamp, report)

    remember.__doc__ = MemoryTools.remember.__doc__

    async def status(
        self,
        message_id: Annotated[str, Field(description="The message_id that `remember` returned.")],
    ) -> StatusResult:
        """Say how far something that was to be remembered got."""
        caller = self._caller()
        if not caller.owns(message_id):
            return StatusResult(state=MessageState.UNKNOWN, stages=Stages(), error=None)
        reply = await caller.client.status(message_id)
        return StatusResult(state=reply.state, stages=reply.stages, error=reply.error)

    async def search(self, query: Question) -> SearchResult:
        """Search the user's memories; `fetch` returns one of them in full."""
        caller = self._caller()
        reply = await caller.client.recall(caller.user_id, query)
        return SearchResult(
            results=[
                SearchHit(id=str(memory.id), title=recalled_title(memory), url=memory_uri(memory.id))
                for memory in reply.memories
            ]
        )

    async def fetch(self, id: MemoryId) -> FetchResult:  # noqa: A002 - the name that ChatGPT uses
        """Return a memory in full, by an id that `search` or `recall` returned."""
        memory = await self.memory(id)
        metadata = {
            "created_at": f"{memory.created_at:%Y-%m-%dT%H:%M:%SZ}",
            "kind": memory.kind.value,
            "importance": f"{memory.importance:.2f}",
            "archived": str(memory.archived).lower(),
        }
        if memory.sources:
            metadata["sources"] = source_ids(memory)
        return FetchResult(
            id=str(memory.id),
            title=recalled_title(memory),
            text=recalled_memory(memory),
            url=memory_uri(memory.id),
            metadata=metadata,
        )
