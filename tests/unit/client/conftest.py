"""A real NATS server for the client, and a worker's side of it written for the tests."""

import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nats
import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js.api import DiscardPolicy, RetentionPolicy, StreamConfig

from ricordo.client import MemoryClient
from ricordo.messages.codec import encode
from ricordo.messages.errors import ErrorBody
from ricordo.messages.message_types import Message
from ricordo.messages.routing import STREAM_SUBJECTS
from ricordo.messages.subjects import STREAM_IN, Subject

CONFIGURATION = """
listen: "127.0.0.1:-1"
max_payload: 1MB
jetstream { store_dir: "%s", max_memory_store: 16MB, max_file_store: 64MB }
authorization { users = [
  { user: admin, password: "s3cret" }
  { user: bot, password: "b0t", permissions: {
      publish: ["memory.v1.acme.message.received", "memory.v1.acme.query.>"], subscribe: "_INBOX_acme.>" } }
] }
"""


@dataclass(frozen=True)
class Server:
    address: str

    def url(self, credentials: str = "admin:s3cret") -> str:
        return f"nats://{credentials}@{self.address}"


@contextmanager
def running_server(folder: Path) -> Iterator[tuple[Server, subprocess.Popen[str]]]:
    (folder / "nats.conf").write_text(CONFIGURATION % (folder / "store"))
    binary = shutil.which("nats-server", path=str(Path(sys.executable).parent))
    assert binary is not None
    command = [binary, "-c", str(folder / "nats.conf")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            address = ""
            for line in process.stderr:
                if match := re.search(r"Listening for client connections on (\S+)", line):
                    address = match[1]
                if "Server is ready" in line:
                    break
            assert address
            yield Server(address), process
        finally:
            process.kill()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("nats")) as (server, _):
        yield server


@pytest.fixture
async def nc(server: Server) -> AsyncIterator[Client]:
    client = await nats.connect(server.url())
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
    async with MemoryClient.connect(server.url(), tenant="acme", timeout=5) as memory:
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
