"""The MCP server of one user: tools, resources and prompts.

Nothing is kept between requests: any request may go to any replica, and may be repeated.
"""

import asyncio
import json
import os
import re
import select
import tomllib
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import suppress
from importlib import resources
from importlib.metadata import version
from threading import Thread
from typing import Annotated, Any, Final
from uuid import UUID

from mcp.server import MCPServer
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.tools import Tool
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, PARSE_ERROR, CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import AnyUrl, BaseModel, Field, ValidationError

from ricordo.client import InvalidRequest, MemoryClient, NotFound, RicordoError, Unavailable
from ricordo.integrations.caller import Caller, CallerSource
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
from ricordo.integrations.tool_results import (
    MemoryItem,
    Recalled,
    RememberResult,
    Shown,
    beginning,
    memory_items,
    recalled,
    recalled_memory,
)
from ricordo.integrations.tool_table import plain_schema, sentence_of
from ricordo.messages.enumerations import MessageState
from ricordo.messages.queries import Stages
from ricordo.messages.views import MemoryView

_TITLE_LENGTH: Final = 100


def memory_uri(memory_id: UUID) -> str:
    """Return the address of a memory among the resources."""
    return f"memory://{memory_id}"


class StatusResult(Shown):
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
        self, message_id: Annotated[str, Field(description="The message_id that `remember` returned.")]
    ) -> StatusResult:
        """Say how far something that was to be remembered got."""
        caller = self._caller()
        if not caller.owns(message_id):
            return StatusResult(state=MessageState.UNKNOWN, stages=Stages(), error=None)
        reply = await caller.client.status(message_id)
        return StatusResult.showing(reply)

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


_CATALOGUE: Final = tomllib.loads((resources.files(__package__) / "catalogue.toml").read_text("utf-8"))
_JSON: Final = "application/json"


class MemoryServer(MCPServer[Any]):
    """An MCP server whose errors are plain sentences for a model."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool.

        Raises:
            ToolError: what the bus or the tool says, or which arguments are wrong.
        """
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, RicordoError | ValidationError):
                [tool] = [one for one in await self.list_tools() if one.name == name]
                sentence = sentence_of(error.__cause__, name, list(tool.input_schema["properties"]))
                raise ToolError(sentence) from error.__cause__
            raise

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """Read a resource.

        Raises:
            ResourceError: what the bus says; `ResourceNotFoundError` for an unknown memory.
        """
        try:
            return await super().read_resource(uri, context)
        except ResourceError as error:
            if not isinstance(error.__cause__, RicordoError):
                raise
            unknown = isinstance(error.__cause__, NotFound | InvalidRequest)
            kind = ResourceNotFoundError if unknown else ResourceError
            raise kind(sentence_of(error.__cause__, "this resource")) from error.__cause__


def build_server(caller: CallerSource) -> MemoryServer:
    """Build a server whose tools, resources and prompts speak for the user that `caller` returns."""
    tools = AssistantTools(caller)
    server = MemoryServer(
        "ricordo",
        tools=[_tool(getattr(tools, name), name, entry) for name, entry in _CATALOGUE["tools"].items()],
        title="Ricordo",
        instructions=_CATALOGUE["instructions"].strip(),
        version=version("ricordo"),
        subscriptions=False,  # nothing is listed that could change
    )
    _add_resources(server, tools, caller)
    for name, entry in _CATALOGUE["prompts"].items():
        rendered = _prompt(caller, entry["question"], entry["text"].strip())
        server.add_prompt(Prompt.from_function(rendered, name, entry["title"], entry["description"]))
    return server


def _tool(function: Callable[..., Any], name: str, entry: Mapping[str, Any]) -> Tool:
    """Return a tool that refuses unknown arguments."""
    changes = entry.get("changes", False)
    hints = ToolAnnotations(
        title=entry["title"],
        read_only_hint=not changes,
        destructive_hint=entry.get("destroys", False),
        idempotent_hint=entry.get("repeatable", not changes),
        open_world_hint=False,
    )
    tool = Tool.from_function(function, name, entry["title"], annotations=hints)
    arguments = tool.fn_metadata.arg_model
    arguments.model_config["extra"] = "forbid"
    arguments.model_rebuild(force=True)
    tool.parameters = plain_schema(arguments.model_json_schema())
    if tool.fn_metadata.output_schema is not None:
        tool.fn_metadata.output_schema = plain_schema(tool.fn_metadata.output_schema, is_result=True)
    return tool


def _add_resources(server: MemoryServer, tools: AssistantTools, caller: CallerSource) -> None:
    @server.resource("memory://today", name="today", title="Today's memories", mime_type=_JSON)
    async def today() -> str:
        """Today's memories, oldest first; the day is that of the user's time zone."""
        client, user_id, _ = caller()
        recall = await client.recall(user_id, "today", limit=1, language="en", reinforce=False)
        start, end = recall.analysis.time.start, recall.analysis.time.end
        if start is None or end is None:
            raise Unavailable("which day it is for the user cannot be told just now")
        reply = await client.timeline(user_id, start, end, limit=200)
        items = [item.model_dump(mode="json") for item in memory_items(reply.memories)]
        return json.dumps(items, ensure_ascii=False)

    @server.resource("memory://{memory_id}", name="memory", title="A memory", mime_type=_JSON)
    async def memory(memory_id: str) -> str:
        """A memory by its id, which tools return."""
        return MemoryItem.of(await tools.memory(memory_id), length=None).model_dump_json()


def _prompt(caller: CallerSource, question: str, text: str) -> Callable[[], Coroutine[Any, Any, str]]:
    async def render() -> str:
        client, user_id, _ = caller()
        try:
            reply = await client.context(user_id, question, reinforce=False)
        except RicordoError as error:
            raise MCPError(INTERNAL_ERROR, sentence_of(error, "this prompt")) from error
        return f"{text}\n\n{reply.context}"

    return render


_PIECE: Final = 65_536
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


async def serve_stdio(client: MemoryClient, user_id: str, stopping: asyncio.Event) -> None:
    """Serve one user on standard input and output, until the input ends or `stopping` is set."""
    caller = Caller(client, user_id)
    close = _closable_input()
    serving = asyncio.create_task(build_server(lambda: caller).run_stdio_async())
    stopped = asyncio.create_task(stopping.wait())
    await asyncio.wait([serving, stopped], return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    close()
    await serving


def _refusal(line: bytes) -> bytes:
    """Return an error for a line with a lone surrogate, which the SDK leaves unanswered; else nothing."""
    if b"\\ud" not in line.lower():
        return b""
    with suppress(ValueError, AttributeError):
        request = json.loads(line)
        if _SURROGATE.search(json.dumps(request, ensure_ascii=False)):
            error = {"code": PARSE_ERROR, "message": "the text holds a lone surrogate: it is no Unicode"}
            return json.dumps({"jsonrpc": "2.0", "id": request.get("id"), "error": error}).encode() + b"\n"
    return b""


def _closable_input() -> Callable[[], None]:
    """Put a pipe before standard input, and return what ends it: a blocked read cannot be interrupted."""
    source, (reader, writer), (wake, waker) = os.dup(0), os.pipe(), os.pipe()
    output = os.dup(1)  # the SDK takes the other one
    os.dup2(reader, 0)
    os.close(reader)

    def copy() -> None:
        rest = b""
        with suppress(OSError), os.fdopen(writer, "wb", buffering=0) as pipe:
            while wake not in select.select([source, wake], [], [])[0]:
                piece = os.read(source, _PIECE)
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    if refusal := _refusal(line):
                        os.write(output, refusal)
                    else:
                        pipe.write(line + b"\n")
                if not piece:
                    pipe.write(rest)
                    return

    Thread(target=copy, name="standard input", daemon=True).start()
    return lambda: os.close(waker)
