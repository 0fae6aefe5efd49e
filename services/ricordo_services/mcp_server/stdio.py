"""Serves the MCP server on standard input and output."""

import asyncio
import os
import select
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Final

from ricordo.client import MemoryClient
from ricordo.integrations.caller import Caller
from ricordo_services.mcp_server.server import build_server

_PIECE: Final = 65_536


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


def _closable_input() -> Callable[[], None]:
    """Put a pipe before standard input, and return what ends it: a blocked read cannot be interrupted."""
    source, (reader, writer), (wake, waker) = os.dup(0), os.pipe(), os.pipe()
    os.dup2(reader, 0)
    os.close(reader)

    def copy() -> None:
        with suppress(OSError), os.fdopen(writer, "wb", buffering=0) as pipe:
            while wake not in select.select([source, wake], [], [])[0]:
                if not (piece := os.read(source, _PIECE)):
                    return
                pipe.write(piece)

    Thread(target=copy, name="standard input", daemon=True).start()
    return lambda: os.close(waker)
