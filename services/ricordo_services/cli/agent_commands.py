"""`ricordo tools|mcp`: the definitions of the tools for agents, and a user's memory for an assistant."""

import asyncio
import importlib.util
import json
from typing import Literal

from ricordo.runtime.process import stop_on_signals
from ricordo_services.cli.client_calls import Call, checked_user
from ricordo_services.cli.failures import Misused
from ricordo_services.cli.output import print_line


def tools(*, format: Literal["openai", "anthropic", "json"] = "openai") -> None:  # noqa: A002 - the name of the option
    """Print the definitions of the tools for agents."""
    from ricordo.integrations.tool_table import DefinitionFormat, tool_definitions  # noqa: PLC0415 - slow to load

    definitions = tool_definitions(DefinitionFormat(format))
    print_line(json.dumps(definitions, ensure_ascii=False, indent=2))


async def mcp(call: Call, *, user: str) -> None:
    """Serve the memory of a user over standard input and output, until the input ends."""
    if importlib.util.find_spec("mcp") is None:
        raise Misused("MCP is not installed: install the extra, with `pip install 'ricordo[gateway]'`")
    checked_user(user)
    stopping = asyncio.Event()
    with stop_on_signals(stopping):
        async with call.client() as client:
            from ricordo_services.mcp_server.stdio import serve_stdio  # noqa: PLC0415 - takes a second to load

            await serve_stdio(client, user, stopping)
