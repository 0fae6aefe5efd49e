"""`ricordo mcp`: serves the memory of one user to an assistant, over standard input and output."""

import asyncio
import importlib.util

from ricordo.runtime.process import stop_on_signals
from ricordo_services.cli.client_calls import Call, checked_user
from ricordo_services.cli.failures import Misused


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
