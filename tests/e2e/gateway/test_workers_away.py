"""A gateway before a NATS server without any worker: what JetStream has acknowledged is accepted."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterator
from logging.handlers import BufferingHandler
from pathlib import Path

import httpx
import nats
import pytest
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from tests.fixtures.gateway import LoneGateway, lone_gateway
from tests.fixtures.nats_server import NatsServerProcess
from tests.fixtures.wire import msg, wait_for

from ricordo.bus.nats.nats_bus import open_bus
from ricordo.bus.nats.nats_connection import NatsSettings
from ricordo.bus.nats.topology import ricordo_topology
from ricordo.messages.errors import DEAD_LETTER_REASON, DEAD_LETTER_SEQUENCE
from ricordo.messages.subjects import STREAM_DEAD_LETTERS, STREAM_IN


@pytest.fixture
async def alone(tmp_path: Path) -> AsyncIterator[LoneGateway]:
    async with NatsServerProcess(tmp_path) as server:
        async with open_bus(NatsSettings(servers=(server.url,)), ricordo_topology()) as bus:
            await bus.provision()
        async with lone_gateway(server.url, grace_s=2) as gateway:
            yield gateway


@pytest.fixture
def logged() -> Iterator[BufferingHandler]:
    handler, root = BufferingHandler(capacity=10_000), logging.getLogger()
    root.addHandler(handler)
    yield handler
    root.removeHandler(handler)


@pytest.fixture
def http(alone: LoneGateway) -> httpx.AsyncClient:
    return alone.http


@pytest.fixture
async def streams(alone: LoneGateway) -> AsyncIterator[JetStreamContext]:
    client = await nats.connect(alone.nats_url)
    yield client.jetstream()
    await client.close()


async def wait_until_stored(streams: JetStreamContext, number: int, stream: str = STREAM_IN) -> None:
    """Wait until the stream has taken so many messages in since it was made."""

    async def last() -> int:
        return (await streams.stream_info(stream)).state.last_seq

    await wait_for(last, lambda found: found >= number)


def some_lines(number: int) -> bytes:
    return b"".join(json.dumps(msg(f"m-{n}", "Adoro il mare.")).encode() + b"\n" for n in range(number))


async def test_messages_are_accepted_and_nothing_is_told_that_is_not_known(http: httpx.AsyncClient) -> None:
    many = [msg(f"m-{n}", "Adoro il mare.") for n in range(3)]
    for path in ("/v1/messages", "/v1/messages?wait=remembered&timeout=1"):
        answer = await http.post(path, json=many)
        assert answer.status_code == 202, answer.text
        assert [one["state"] for one in answer.json()["messages"]] == ["received"] * 3
    status = await http.get("/v1/messages/m-0")
    assert (status.status_code, status.json()["code"]) == (503, "unavailable")
    assert status.headers["retry-after"]


async def test_an_import_that_waits_for_ingest_is_counted_when_the_gateway_stops(
    alone: LoneGateway, streams: JetStreamContext
) -> None:
    importing = asyncio.create_task(alone.http.post("/v1/imports", content=some_lines(1_200)))
    await wait_until_stored(streams, 1_200)
    await alone.stop()
    found = (await importing).json()
    assert found == {"accepted": 1_200, "rejected": 0, "conflicts": 0, "unchecked": 1_200, "errors": []}


async def test_an_import_of_long_lines_is_published_by_their_size(
    alone: LoneGateway, streams: JetStreamContext
) -> None:
    async def lines() -> AsyncIterator[bytes]:
        for line in some_lines(9).splitlines():
            yield line.ljust(1 << 20) + b"\n"
        await wait_until_stored(streams, 8)  # before the import ends

    importing = asyncio.create_task(alone.http.post("/v1/imports", content=lines()))
    await wait_until_stored(streams, 9)
    await alone.stop()
    assert (await importing).json()["accepted"] == 9


async def test_dead_letters_hold_no_upload_up_and_are_read_at_its_end(
    alone: LoneGateway, streams: JetStreamContext
) -> None:
    letters, read, read_meanwhile = 1_000, asyncio.Queue[Msg](), 0
    client = await nats.connect(alone.nats_url)
    await client.subscribe(f"$JS.API.STREAM.MSG.GET.{STREAM_DEAD_LETTERS}", cb=read.put)
    await client.flush()

    async def lines() -> AsyncIterator[bytes]:
        nonlocal read_meanwhile
        every = some_lines(1_500).splitlines(keepends=True)
        yield b"".join(every[:500])
        await wait_until_stored(streams, 500)
        for n in range(letters):
            refused = {DEAD_LETTER_SEQUENCE: "3", DEAD_LETTER_REASON: "id_conflict: first wins"}
            headers = refused if n == letters - 1 else None
            await client.publish("dlq.ingest.memory.v1.default.message.received", b"{}", headers=headers)
        await wait_until_stored(streams, letters, STREAM_DEAD_LETTERS)
        await streams.purge_stream(STREAM_IN)  # as ingest takes messages out
        yield b"".join(every[500:])
        await wait_until_stored(streams, 1_500)
        await client.flush()
        read_meanwhile = read.qsize()
        await streams.purge_stream(STREAM_IN)

    found = (await alone.http.post("/v1/imports", content=lines())).json()
    await client.close()
    assert 0 < read_meanwhile < letters / 2
    assert (found["accepted"], found["conflicts"], found["unchecked"]) == (1_499, 1, 0)
    assert [one["line"] for one in found["errors"]] == [3]


async def test_an_import_waits_for_a_worker_that_is_busy_with_others(
    alone: LoneGateway, streams: JetStreamContext
) -> None:
    importing = asyncio.create_task(alone.http.post("/v1/imports", content=some_lines(2)))
    await wait_until_stored(streams, 2)
    answered, _ = await asyncio.wait({importing}, timeout=6)  # of the 30 seconds that it waits
    assert not answered
    await streams.purge_stream(STREAM_IN)  # as ingest takes messages out
    found = (await importing).json()
    assert (found["accepted"], found["unchecked"]) == (2, 0)


async def test_what_is_in_flight_when_the_gateway_stops_is_answered(
    alone: LoneGateway, logged: BufferingHandler
) -> None:
    """What is stored is accepted, what is asked may be asked again, and no error is logged."""
    subjects = {f"memory.v1.default.{name}" for name in ("query.recall", "message.received")}
    asked = asyncio.Queue[Msg]()
    client = await nats.connect(alone.nats_url)
    for subject in subjects:  # as a worker does that is long about its answer
        await client.subscribe(subject, cb=asked.put)
    await client.flush()
    waiting = [
        asyncio.create_task(alone.http.post(f"/v1/{path}", json=body))
        for path, body in (
            ("messages?wait=remembered", msg("m-1", "Adoro il mare.")),
            ("recall", {"user_id": "u-1", "query": "Che cosa adoro?"}),
        )
    ]
    async with asyncio.timeout(30):
        assert {(await asked.get()).subject for _ in waiting} == subjects
        await alone.stop()
        stored, recalled = await asyncio.gather(*waiting)
    await client.close()
    assert (stored.status_code, stored.json()["messages"]) == (202, [{"id": "m-1", "state": "received"}])
    assert (recalled.status_code, recalled.json()["code"]) == (503, "unavailable")
    assert recalled.headers["content-type"] == "application/problem+json"
    assert recalled.headers["retry-after"]
    assert not [one for one in logged.buffer if one.exc_info or one.levelname == "ERROR"]
