"""A real NATS server for the client, and a worker's side of it written for the tests."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import nats
import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js.api import DiscardPolicy, RetentionPolicy, StreamConfig
from tests.fixtures.nats_server import NatsServerProcess
from tests.unit.cli.conftest import CliResult

from ricordo.client import MemoryClient
from ricordo.messages.codec import encode
from ricordo.messages.errors import ErrorBody
from ricordo.messages.message_types import Message
from ricordo.messages.routing import STREAM_SUBJECTS
from ricordo.messages.subjects import STREAM_IN, Subject
from ricordo_services import export_stream
from ricordo_services.cli import forget_command
from ricordo_services.cli.application import run

USERS = [
    {"user": "admin", "password": "s3cret"},
    {
        "user": "bot",
        "password": "b0t",
        "permissions": {
            "publish": ["memory.v1.acme.message.received", "memory.v1.acme.query.>"],
            "subscribe": "_INBOX_acme.>",
        },
    },
]


class Server(NatsServerProcess):
    """A server with an administrator and a bot, who may not do much."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, max_payload=1024 * 1024, authorization={"users": USERS})

    @property
    def address(self) -> str:
        return self.url.removeprefix("nats://")

    def url_of(self, credentials: str = "admin:s3cret") -> str:
        return f"nats://{credentials}@{self.address}"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("nats"))
    asyncio.run(server.start())
    yield server
    server.stop()


@pytest.fixture
async def nc(server: Server) -> AsyncIterator[Client]:
    client = await nats.connect(server.url_of())
    yield client
    await client.close()


@pytest.fixture
async def stream(nc: Client) -> AsyncIterator[str]:
    """The input stream, as small as the tests need it."""
    jetstream = nc.jetstream()
    await jetstream.add_stream(
        StreamConfig(
            name=STREAM_IN,
            subjects=list(STREAM_SUBJECTS[STREAM_IN]),
            retention=RetentionPolicy.WORK_QUEUE,
            discard=DiscardPolicy.NEW,
            max_bytes=4_000_000,
            duplicate_window=0.1,
        )
    )
    yield STREAM_IN
    await jetstream.delete_stream(STREAM_IN)


@pytest.fixture
async def memory(server: Server) -> AsyncIterator[MemoryClient]:
    async with MemoryClient.connect(server.url_of(), tenant="acme", timeout=5) as memory:
        yield memory


@dataclass
class Worker:
    """Answers queries and commands of the tenant acme."""

    nc: Client

    async def answer(self, name: str, reply: Message | Callable[[Msg], Message | bytes]) -> list[Msg]:
        """Answer `name` with `reply`, or what it makes of the request; return the requests as they come."""
        asked: list[Msg] = []

        async def respond(message: Msg) -> None:
            asked.append(message)
            made = reply(message) if callable(reply) else reply
            body = made if isinstance(made, bytes) else encode(made)
            headers = made.headers() if isinstance(made, ErrorBody) else None
            await self.nc.publish(message.reply, body, headers=headers)

        await self.listen(name, respond)
        return asked

    async def listen(self, name: str, heard: Callable[[Msg], Awaitable[None]]) -> None:
        await self.nc.subscribe(str(Subject("acme", name)), cb=heard)
        await self.nc.flush()  # its PING can overtake the subscription, which waits in a buffer:
        await self.nc.flush()  # the second one cannot


@pytest.fixture
def worker(nc: Client) -> Worker:
    return Worker(nc)


Ricordo = Callable[..., Awaitable[CliResult]]


@pytest.fixture
def ricordo(server: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ricordo:
    """Run the command line in a thread, whose pauses between two tries are short."""
    monkeypatch.setattr(forget_command, "_PAUSE_S", 0.01)
    monkeypatch.setattr(export_stream, "_PAUSE_S", 0.01)

    async def call(*words: str) -> CliResult:
        code = await asyncio.to_thread(run, ["--nats", server.url_of(), "--tenant", "acme", *words])
        return CliResult(code, *capsys.readouterr())

    return call
