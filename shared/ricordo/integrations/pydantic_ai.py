"""Offers the tools to Pydantic AI (`pip install pydantic-ai-slim`, with the extra of your model)."""

from collections.abc import Sequence
from typing import Any

from pydantic_ai import FunctionToolset, Tool

from ricordo.client import MemoryClient
from ricordo.integrations import tool_table


def memory_toolset(
    client: MemoryClient, user_id: str, names: Sequence[str] = tool_table.TOOLS
) -> FunctionToolset[Any]:
    """Return a toolset for the memory of one user, as `Agent(toolsets=[...])` takes it.

    Args:
        client: the connected client; it must stay open as long as the agent runs.
        user_id: whose memory it is; no argument of a tool changes that.
        names: some of `ricordo.integrations.tool_table.TOOLS`.
    """
    return FunctionToolset([_tool(tool) for tool in tool_table.memory_tools(client, user_id, names)])


def _tool(tool: tool_table.MemoryTool) -> Tool[Any]:
    async def call(**arguments: object) -> str:
        return await tool.call(arguments)

    return Tool.from_schema(call, tool.name, tool.description, tool.parameters)
