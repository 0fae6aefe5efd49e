"""Offers the tools to the OpenAI Agents SDK (`pip install openai-agents`)."""

from collections.abc import Sequence

from agents import FunctionTool
from agents.tool_context import ToolContext

from ricordo.client import MemoryClient
from ricordo.integrations import tool_table


def memory_tools(
    client: MemoryClient, user_id: str, names: Sequence[str] = tool_table.TOOLS
) -> list[FunctionTool]:
    """Return function tools for the memory of one user, as `Agent(tools=...)` takes them.

    Args:
        client: the connected client; it must stay open as long as the agent runs.
        user_id: whose memory it is; no argument of a tool changes that.
        names: some of `ricordo.integrations.tool_table.TOOLS`.
    """
    return [_function_tool(tool) for tool in tool_table.memory_tools(client, user_id, names)]


def _function_tool(tool: tool_table.MemoryTool) -> FunctionTool:
    async def invoke(_: ToolContext[object], arguments: str) -> str:
        return await tool.call(arguments)

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.parameters,
        on_invoke_tool=invoke,
        strict_json_schema=False,  # strict mode knows no optional arguments
    )
