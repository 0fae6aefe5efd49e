"""The MCP server of one user: tools, resources and prompts.

Nothing is kept between requests: any request may go to any replica, and may be repeated.
"""

import json
import tomllib
from collections.abc import Callable, Coroutine, Iterable, Mapping
from importlib import resources
from importlib.metadata import version
from typing import Any, Final

from mcp.server import MCPServer
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.tools import Tool
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import AnyUrl, ValidationError

from ricordo.client import InvalidRequest, NotFound, RicordoError, Unavailable
from ricordo.integrations.caller import CallerSource
from ricordo.integrations.tool_results import MemoryItem, memory_items
from ricordo.integrations.tool_table import sentence_of
from ricordo_services.mcp_server.tools import AssistantTools

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
    tool.parameters = arguments.model_json_schema()
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
