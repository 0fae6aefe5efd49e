"""Requests on a real NATS server, and answers in parts: by the client, and over HTTP."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing
from itertools import repeat, takewhile
from typing import Any
from uuid import UUID

import httpx
import nats
import nats.errors
import pytest
from tests.fixtures.eventually import eventually
from tests.fixtures.gateway import lone_gateway
from tests.fixtures.nats_server import NatsServerProcess
from tests.integration.runtime.conftest import running

from ricordo.bus.nats.nats_bus import NatsBus, open_bus
from ricordo.bus.nats.nats_connection import NatsSettings
from ricordo.bus.nats.topology import Topology
from ricordo.bus.port import BusUnavailable, ReceivedRequest
from ricordo.client import MemoryClient, NoResponders, Unavailable
from ricordo.clock import SystemClock
from ricordo.messages.answers import AnswerPart, AnswerReply, AnswerRequest
from ricordo.messages.enumerations import AnsweredBy
from ricordo.runtime.handling import QueryResult, QueryRoute, SendPart
from ricordo.runtime.query_server import QueryServer, ServerSettings

ASKED: dict[str, Any] = {"user_id": "u-1", "query": "Where do I live?"}
STREAMED = ASKED | {"stream": True}
PARTS = [AnswerPart(text="You live in Trieste.", sources=(UUID(int=7),)), AnswerPart(text="You like it.")]
REPLY = AnswerReply(answer="", answered=True, confidence=1, by=AnsweredBy.LLM, recall_id=UUID(int=1))


async def fail() -> None:
    raise RuntimeError("amid the parts")


async def in_parts(memory: MemoryClient) -> list[AnswerPart | AnswerReply]:
    return [one async for one in memory.answer_stream(**ASKED)]


def speaking(
    bus: NatsBus,
    after_each: Callable[[], Awaitable[object]],
    deadline: float = 5.0,
    parts: Iterable[AnswerPart] = PARTS,
    concurrency: int = 16,
) -> QueryServer:
    async def answer(_: str, __: AnswerRequest) -> QueryResult:
        return QueryResult(REPLY)

    async def in_parts(_: str, __: AnswerRequest, send: SendPart) -> QueryResult:
        for part in parts:
            await send(part)
            await after_each()
        return QueryResult(REPLY)

    routes = {"query.answer": QueryRoute(answer, in_parts=in_parts)}
    sides: dict[str, Any] = {"bus": bus, "clock": SystemClock()}
    sides["settings"] = ServerSettings(deadline=deadline, concurrency=concurrency)
    return QueryServer(name="retrieval", kind="query", routes=routes, **sides)


async def test_parts_come_before_the_reply_and_each_begins_the_deadline_anew(
    server: NatsServerProcess, bus: NatsBus
) -> None:
    async with await nats.connect(server.url) as nc:
        memory, sent = MemoryClient.over(nc, "acme", timeout=5), await nc.subscribe("_INBOX.>")
        async with running(speaking(bus, lambda: asyncio.sleep(1.2), deadline=2.0)):
            assert await in_parts(memory) == [*PARTS, REPLY]
            assert await memory.answer(**ASKED) == REPLY
        numbers = [((await sent.next_msg(5)).headers or {}).get("Ricordo-Part") for _ in range(4)]
        assert (numbers, sent.pending_msgs) == (["1", "2", None, None], 0)
        await sent.unsubscribe()  # the server tells one subscription alone that nobody answers
        with pytest.raises(NoResponders):
            await anext(memory.answer_stream(**ASKED))


async def test_answers_that_were_left_hold_up_no_query_and_answers_in_parts_wait_in_time(
    server: NatsServerProcess, bus: NatsBus
) -> None:
    ended = asyncio.Event()
    parts = takewhile(lambda _: not ended.is_set(), repeat(PARTS[0]))
    speaker = speaking(bus, lambda: asyncio.sleep(0.05), deadline=1.0, parts=parts, concurrency=2)
    async with await nats.connect(server.url) as nc, running(speaker):
        memory = MemoryClient.over(nc, "acme", timeout=10)
        async with aclosing(memory.answer_stream(**ASKED)) as left:
            assert await anext(left) == PARTS[0]
        with pytest.raises(Unavailable, match="too many requests are waiting"):
            await anext(memory.answer_stream(**ASKED))
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(in_parts(memory))
            assert await memory.answer(**ASKED) == REPLY
            ended.set()
        assert waiting.result() == [REPLY]


async def events(http: httpx.AsyncClient) -> list[tuple[str, Any]]:
    response = await http.post("/v1/answer", json=STREAMED)
    assert response.headers["content-type"].startswith("text/event-stream")
    lines = [line.partition(": ")[2] for line in response.text.splitlines() if line]
    return list(zip(lines[::2], map(json.loads, lines[1::2]), strict=True))


async def test_parts_are_events_over_http(server: NatsServerProcess, bus: NatsBus) -> None:
    parts, reply = [("sentence", one.model_dump(mode="json")) for one in PARTS], REPLY.model_dump(mode="json")
    async with lone_gateway(server.url, "acme") as (http, _, _):
        nobody = await http.post("/v1/answer", json=STREAMED)
        assert (nobody.status_code, nobody.json()["code"]) == (503, "unavailable")
        async with running(speaking(bus, lambda: asyncio.sleep(0))):
            assert await events(http) == [*parts, ("answer", reply)]
            assert (await http.post("/v1/answer", json=ASKED)).json() == reply
            assert (await http.post("/v1/answer", json=STREAMED | {"query": " "})).status_code == 422
        for after_each, code in ((fail, "internal"), (asyncio.Event().wait, "timeout")):
            async with running(speaking(bus, after_each, deadline=0.3)):
                first, (kind, problem) = await events(http)
            assert (first, kind, problem["code"]) == (parts[0], "error", code)
        found = (await http.get("/openapi.json")).json()["paths"]["/v1/answer"]["post"]["responses"]["200"]
        assert set(found["content"]) == {"application/json", "text/event-stream"}


async def test_a_client_that_leaves_ends_the_listening(server: NatsServerProcess, bus: NatsBus) -> None:
    speaker = speaking(bus, asyncio.Event().wait, deadline=1.0)
    async with (
        await nats.connect(server.url) as nc,
        lone_gateway(server.url, "acme") as gateway,
        running(speaker),
    ):
        asked = await nc.subscribe("memory.v1.acme.query.answer")
        async with gateway.http.stream("POST", "/v1/answer", json=STREAMED) as response:
            assert await anext(response.aiter_lines()) == "event: sentence"
        inbox = (await asked.next_msg(5)).reply

        async def is_left() -> bool:
            (answer,) = await asyncio.gather(nc.request(inbox, timeout=0.2), return_exceptions=True)
            return isinstance(answer, nats.errors.NoRespondersError)

        await eventually(is_left)


async def test_each_request_is_received_once_although_the_server_was_too_slow_at_first(
    server: NatsServerProcess, topology: Topology
) -> None:
    received, subject = list[bytes](), "memory.v1.acme.query.stats"

    def accept(request: ReceivedRequest) -> None:
        received.append(request.body)

    settings = NatsSettings(servers=(server.url,), request_timeout=1.0)
    async with open_bus(settings, topology) as bus, await nats.connect(server.url) as client:
        with server.paused(), pytest.raises(BusUnavailable):
            await bus.serve(subject, None, accept)
        await bus.serve(subject, None, accept)
        for body in (b"one", b"two"):
            await client.publish(subject, body)
        await eventually(lambda: b"two" in received)
    assert received == [b"one", b"two"]
