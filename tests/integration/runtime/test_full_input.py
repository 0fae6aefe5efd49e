"""A full input stream refuses and loses nothing: each kind of publisher is told what, and what to do."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Final

import nats
import nats.js.errors
import pytest
from nats.aio.client import Client
from tests.fixtures.nats_server import NatsServerProcess
from tests.fixtures.wire import msg

from ricordo.bus.nats.nats_bus import NatsBus, open_bus
from ricordo.bus.nats.nats_connection import NatsSettings
from ricordo.bus.nats.topology import ricordo_topology
from ricordo.client import MemoryClient, StreamFull
from ricordo.messages.subjects import STREAM_IN

ROOM: Final = 64_000
LONG: Final = "parole " * 500
MOST_BYTES: Final = 10077
"""What a full stream answers, by the server's own number."""


@pytest.fixture
async def small(server: NatsServerProcess) -> AsyncIterator[NatsBus]:
    """Ricordo's streams, the one that bots write to with room for some twenty messages."""
    topology = ricordo_topology(incoming_bytes=ROOM)
    async with open_bus(NatsSettings(servers=(server.url,)), topology) as opened:
        await opened.provision()
        yield opened


@pytest.fixture
async def client(server: NatsServerProcess, small: NatsBus) -> AsyncIterator[Client]:
    """A connection of the test's own, while the streams are there."""
    connection = await nats.connect(server.url)
    yield connection
    await connection.close()


async def stored(client: Client) -> int:
    return (await client.jetstream().stream_info(STREAM_IN)).state.messages


async def fill(client: Client, tenant: str) -> int:
    """Publish until the stream refuses; return how many it took."""
    body = json.dumps(msg("filler", LONG)).encode()
    for number in range(1000):
        try:
            await client.jetstream().publish(f"memory.v1.{tenant}.message.received", body)
        except nats.js.errors.APIError:
            return number
    raise AssertionError("it is never full")


async def worked_off(bus: NatsBus, until: int) -> list[str]:
    """Take out what is there, as ingest does, until so many ids came; return them in order."""
    subscription = await bus.subscribe("ingest")
    found: list[str] = []
    async with asyncio.timeout(30):
        while len(found) < until:
            for delivery in await subscription.fetch(10, 0.5):
                found.append(json.loads(delivery.body)["id"])
                await delivery.ack(confirmed=True)
    return found


async def test_who_speaks_plain_nats_reads_it_in_the_acknowledgement(client: Client) -> None:
    held = await fill(client, "acme")
    for name in ("message.received", "message.imported", "session.ended"):
        answer = await client.request(f"memory.v1.acme.{name}", LONG.encode(), timeout=5)
        error = json.loads(answer.data)["error"]
        told = error["code"], error["err_code"], error["description"]
        assert told == (503, MOST_BYTES, "maximum bytes exceeded"), name
    assert await stored(client) == held, "what is refused pushes nothing out"


async def test_a_bot_is_told_to_publish_again_and_then_it_is_taken(
    server: NatsServerProcess, small: NatsBus, client: Client
) -> None:
    held = await fill(client, "other")
    async with MemoryClient.connect(server.url, "acme") as memory:
        with pytest.raises(StreamFull, match="publish again when the workers caught up"):
            await memory.publish(msg("late", LONG))
        assert set(await worked_off(small, held)) == {"filler"}
        await memory.publish(msg("late", LONG))
    assert await worked_off(small, 1) == ["late"]
