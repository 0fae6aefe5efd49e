"""A model server in place of Ollama: on a real socket, each request taking the same time.

The one for tests, in `ricordo.testing`, is not for the product; this one does nothing but answer.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

MODEL: Final = "all-minilm"
"""The only model that it has; the client knows its dimensions."""
_DIMENSIONS: Final = 384
_VECTOR: Final = [1.0] + [0.0] * (_DIMENSIONS - 1)
_TAGS: Final = {"models": [{"name": f"{MODEL}:latest", "model": f"{MODEL}:latest"}]}


@asynccontextmanager
async def stand_in(request_s: float) -> AsyncIterator[str]:
    """Serve on a free loopback port, and yield the address.

    Args:
        request_s: seconds that a request takes, however many texts it holds and whatever else is asked.
    """
    connections: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - the server runs this as a task
        connections.add(task)
        try:
            while True:
                path, body = await _read(reader)
                if path == "/api/embed":
                    await asyncio.sleep(request_s)
                writer.write(_answer(path, body))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            return
        finally:
            connections.discard(task)
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()[:2]
    try:
        yield f"http://{host}:{port}"
    finally:
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections)
        await server.wait_closed()


async def _read(reader: asyncio.StreamReader) -> tuple[str, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    _, _, after = head.partition("content-length:")
    length = int(after.partition("\r\n")[0]) if after else 0
    return head.split(" ", 2)[1], await reader.readexactly(length)


def _answer(path: str, body: bytes) -> bytes:
    match path:
        case "/api/embed":
            found: object = {"model": MODEL, "embeddings": [_VECTOR] * len(json.loads(body)["input"])}
        case "/api/tags":
            found = _TAGS
        case _:
            return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    content = json.dumps(found).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content
