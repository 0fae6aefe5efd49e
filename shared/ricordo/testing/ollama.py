"""An Ollama server for tests: the documented HTTP interface on a real socket, misbehaving on demand."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from ricordo.testing.models import word_vectors

Body: TypeAlias = Mapping[str, object]
Fields: TypeAlias = dict[str, object]


@dataclass(slots=True)
class Behaviour:
    """How the server answers; all of it may be changed while it runs.

    Attributes:
        delay: seconds before an answer.
        hang: take requests and never answer.
        drop: close the connection instead of answering.
        status: answer with this HTTP status and an error.
        failing: so many requests more are answered with status 500.
        raw: answer these bytes as the body.
        dimensions: length of the vectors.
        vectors: makes the vectors of `/api/embed`, given the texts; counted words by default.
        pull_error: what a pull fails with, after its first signs of progress.
        pull_stands_at: how many percent of a pull are there, for as long as this is a number.
        chat: makes the content of the message that `/api/chat` answers, given the request.
    """

    delay: float = 0.0
    hang: bool = False
    drop: bool = False
    status: int = 200
    failing: int = 0
    raw: bytes | None = None
    dimensions: int = 384
    vectors: Callable[[Sequence[str]], object] | None = None
    pull_error: str | None = None
    pull_stands_at: int | None = None
    chat: Callable[[Body], str] = field(default=lambda _: "{}")


class OllamaStandIn:
    """The running server.

    Attributes:
        url: where it listens.
        models: the names that it holds, with tags.
        behaviour: how it answers.
        requests: path and body of each request, in order.
    """

    def __init__(self, models: Sequence[str] = ()) -> None:
        self.url = ""
        self.models = list(models)
        self.behaviour = Behaviour()
        self.requests: list[tuple[str, Body]] = []
        self._connections: set[asyncio.Task[None]] = set()
        self._arrived = asyncio.Event()

    async def received(self, count: int) -> None:
        """Wait until the server has received `count` requests in all."""
        while len(self.requests) < count:
            self._arrived.clear()
            await self._arrived.wait()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until either side ends it."""
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
        try:
            while (request := await _read_request(reader)) is not None:
                self.requests.append(request)
                self._arrived.set()
                if request[0] == "/api/pull" and await self._pull_slowly(writer, request[1]):
                    continue
                answer = await self._answer(*request)
                if answer is None:
                    return
                writer.write(answer)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            return
        finally:
            writer.close()

    async def _pull_slowly(self, writer: asyncio.StreamWriter, body: Body) -> bool:
        """Answer a pull that stands still for a while, and tell of it meanwhile; False where none does."""
        behaviour = self.behaviour
        if behaviour.pull_stands_at is None:
            return False
        writer.write(
            b"HTTP/1.1 200 -\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        while (percent := self.behaviour.pull_stands_at) is not None:
            step = {"status": "pulling", "digest": "sha256:0", "total": 100, "completed": percent}
            writer.write(_chunk(json.dumps(step).encode() + b"\n"))
            await writer.drain()
            await asyncio.sleep(0.02)
        writer.write(_chunk(self._pulled(body)) + _chunk(b""))
        await writer.drain()
        return True

    async def end_connections(self) -> None:
        """End all connections, also those that hang."""
        for task in self._connections:
            task.cancel()
        if self._connections:
            await asyncio.wait(self._connections)

    async def _answer(self, path: str, body: Body) -> bytes | None:
        behaviour = self.behaviour
        if behaviour.hang:
            await asyncio.Event().wait()
        await asyncio.sleep(behaviour.delay)
        if behaviour.drop:
            return None
        if behaviour.raw is not None:
            return _http(200, behaviour.raw)
        if behaviour.failing:
            behaviour.failing -= 1
            return _error(500, "the server was told to fail")
        if behaviour.status != 200:
            return _error(behaviour.status, "the server was told to fail")
        return self._route(path, body)

    def _route(self, path: str, body: Body) -> bytes:
        routes = {
            "/api/tags": self._tags,
            "/api/embed": self._embed,
            "/api/pull": self._pull,
            "/api/chat": self._chat,
        }
        route = routes.get(path)
        return route(body) if route else _error(404, f"no such path: {path}")

    def _tags(self, _body: Body) -> bytes:
        return _json({"models": [{"name": name, "model": name} for name in self.models]})

    def _embed(self, body: Body) -> bytes:
        model, texts = str(body["model"]), body["input"]
        if not self._holds(model):
            return _error(404, f'model "{model}" not found, try pulling it first')
        some = [str(text) for text in texts] if isinstance(texts, list) else [str(texts)]
        make = self.behaviour.vectors
        vectors = make(some) if make else word_vectors(some, self.behaviour.dimensions).tolist()
        return _json({"model": model, "embeddings": vectors})

    def _pull(self, body: Body) -> bytes:
        return _http(200, self._pulled(body), kind="application/x-ndjson")

    def _pulled(self, body: Body) -> bytes:
        model = str(body["model"])
        progress: list[Fields] = [
            {"status": "pulling manifest"},
            {"status": "pulling weights", "digest": "sha256:0", "total": 2, "completed": 1},
        ]
        if self.behaviour.pull_error is not None:
            progress.append({"error": self.behaviour.pull_error})
        else:
            self.models.append(model if ":" in model else f"{model}:latest")
            progress.append({"status": "success"})
        return b"".join(json.dumps(step).encode() + b"\n" for step in progress)

    def _chat(self, body: Body) -> bytes:
        model = str(body["model"])
        if not self._holds(model):
            return _error(404, f'model "{model}" not found, try pulling it first')
        if not body.get("messages"):  # a chat of no messages loads the model
            loaded: Fields = {"role": "assistant", "content": ""}
            return _json({"model": model, "message": loaded, "done": True, "done_reason": "load"})
        message = {"role": "assistant", "content": self.behaviour.chat(body)}
        return _json({"model": model, "message": message, "done": True, "done_reason": "stop"})

    def _holds(self, model: str) -> bool:
        return model in self.models or f"{model}:latest" in self.models


@asynccontextmanager
async def ollama_stand_in(models: Sequence[str] = ()) -> AsyncIterator[OllamaStandIn]:
    """Run the server on a free loopback port.

    Args:
        models: the names that it holds from the start, with tags.
    """
    stand_in = OllamaStandIn(models)
    server = await asyncio.start_server(stand_in.serve, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()[:2]
    stand_in.url = f"http://{host}:{port}"
    try:
        yield stand_in
    finally:
        server.close()
        await stand_in.end_connections()
        await server.wait_closed()


async def _read_request(reader: asyncio.StreamReader) -> tuple[str, Body] | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    request_line, *headers = head.split("\r\n")
    length = 0
    for header in headers:
        name, _, value = header.partition(":")
        if name.lower() == "content-length":
            length = int(value)
    content = await reader.readexactly(length)
    return request_line.split(" ")[1], json.loads(content) if content else {}


def _json(body: Body) -> bytes:
    return _http(200, json.dumps(body).encode())


def _error(status: int, message: str) -> bytes:
    return _http(status, json.dumps({"error": message}).encode())


def _chunk(content: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(content), content)


def _http(status: int, content: bytes, kind: str = "application/json") -> bytes:
    head = f"HTTP/1.1 {status} -\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content
