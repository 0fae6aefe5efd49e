"""What the tools return that are for clients of MCP only: `status`, `search` and `fetch`."""

from typing import Final
from uuid import UUID

from pydantic import BaseModel

from ricordo.integrations.tool_results import Recalled, beginning, recalled
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
