"""Queries and commands: typed answers, typed failures."""

from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from nats.aio.msg import Msg
from tests.unit.client.conftest import Server, Worker

from ricordo.client import (
    Forbidden,
    Internal,
    InvalidRequest,
    MemoryClient,
    NoResponders,
    NotFound,
    RicordoError,
    Timeout,
    Unavailable,
)
from ricordo.messages.codec import decode_as
from ricordo.messages.commands import Discard, Forget
from ricordo.messages.entities import GraphRequest
from ricordo.messages.errors import ErrorBody, ErrorCode
from ricordo.messages.message_types import Message
from ricordo.messages.routing import CONTRACTS, Contract, ContractKind

ID = UUID(int=7)
GOLDEN = Path(__file__).parents[1] / "messages/golden/v1"


def reply_to(contract: Contract) -> Message:
    assert contract.reply is not None
    return decode_as(contract.reply, (GOLDEN / f"{contract.name}.reply.full.json").read_bytes())


async def test_every_query_and_every_command_has_its_call(memory: MemoryClient, worker: Worker) -> None:
    replies = {name: reply_to(one) for name, one in CONTRACTS.items() if one.kind is not ContractKind.EVENT}
    asked = {name: await worker.answer(name, reply) for name, reply in replies.items()}
    start, end = "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"
    answers: dict[str, Message] = {
        "query.recall": await memory.recall("u-1", "cane"),
        "query.context": await memory.context("u-1", "cane", token_budget=100),
        "query.answer": await memory.answer("u-1", "cane", style="full"),
        "query.history": await memory.history("u-1", before=start, limit=5),
        "query.facts": await memory.facts("u-1", predicate="lives_in", as_of=end),
        "query.timeline": await memory.timeline("u-1", start, end),
        "query.working": await memory.working("u-1", "c-1"),
        "query.status": await memory.status("m-1"),
        "query.stats": await memory.stats("u-1"),
        "query.expand": await memory.expand("u-1", ID),
        "query.memory": await memory.memory("u-1", ID),
        "query.memories": await memory.memories(
            "u-1", text="cane", order="used", filters={"kinds": ["note"]}
        ),
        "query.entities": await memory.entities("u-1", kind="person", limit=1),
        "query.graph": await memory.graph("u-1", between=("Max", "Nora"), depth=3),
        "query.periods": await memory.periods("u-1", "month", timezone="Europe/Rome"),
        "query.users": await memory.users(limit=1),
        "command.forget": await memory.forget("u-1", message_id="m-1", request_id="r-1"),
        "command.discard": await memory.forget("u-1", memory_id=ID, request_id="r-2"),
        "command.pin": await memory.pin("u-1", ID),
        "command.edit": await memory.edit("u-1", ID, tags=["star"], expires_at=None),
        "command.verify": await memory.verify("u-1", memory_id=ID),
        "command.correct": await memory.correct("u-1", memory_id=str(ID), content="Un gatto"),
        "command.reject": await memory.reject("u-1", ID),
        "command.assert": await memory.assert_facts(
            "u-1", [{"subject": "user", "predicate": "has_pet", "object": "Micio"}]
        ),
        "command.identify": await memory.identify("u-1", ("Nico", "Nicola")),
        "command.feedback": await memory.feedback("u-1", uuid4(), used=[ID]),
        "command.note": await memory.note("u-1", "c-1", "umore", {"oggi": "sereno"}),
        "command.export": await memory.export("u-1"),
    }
    assert answers == replies
    graph = decode_as(GraphRequest, asked["query.graph"][0].data)
    assert (graph.entity, graph.from_, graph.to, graph.depth) == (None, "Max", "Nora", 3)
    forget = decode_as(Forget, asked["command.forget"][0].data)
    assert (forget.message_id, forget.conversation_id, forget.request_id) == ("m-1", None, "r-1")
    discard = decode_as(Discard, asked["command.discard"][0].data)
    assert (discard.memory_id, discard.request_id) == (ID, "r-2")


@pytest.mark.parametrize(
    ("scopes", "field"),
    [
        ({"memory_id": ID, "message_id": "m-1"}, "message_id"),
        ({"memory_id": ID, "conversation_id": "c-1"}, "conversation_id"),
        ({"memory_id": ""}, "memory_id"),
    ],
)
async def test_one_memory_is_never_sent_as_more_than_it(
    memory: MemoryClient, worker: Worker, scopes: dict[str, Any], field: str
) -> None:
    names = ("command.forget", "command.discard")
    asked = [await worker.answer(name, reply_to(CONTRACTS[name])) for name in names]
    with pytest.raises(InvalidRequest) as caught:
        await memory.forget("u-1", **scopes)
    assert (caught.value.field, asked) == (field, [[], []])


async def test_what_is_out_of_range_is_refused_before_sending(memory: MemoryClient, worker: Worker) -> None:
    asked = await worker.answer("query.recall", reply_to(CONTRACTS["query.recall"]))
    with pytest.raises(InvalidRequest, match="limit must be less than or equal to 200") as caught:
        await memory.recall("u-1", "cane", limit=201)
    with pytest.raises(InvalidRequest, match=r"filters\.end"):
        await memory.recall("u-1", "cane", filters={"end": "yesterday"})
    with pytest.raises(TypeError, match="limits"):
        await memory.recall("u-1", "cane", limits=3)  # type: ignore[call-arg] # the mistake under test
    with pytest.raises(TypeError, match="answer_stream"):
        await memory.answer("u-1", "cane", stream=True)  # type: ignore[call-arg] # the mistake under test
    assert caught.value.field == "limit"
    assert asked == []


ERRORS = (InvalidRequest, Forbidden, NotFound, Internal, Unavailable, Timeout)


@pytest.mark.parametrize(("code", "expected"), list(zip(ErrorCode, ERRORS, strict=True)))
async def test_an_error_reply_becomes_its_exception(
    memory: MemoryClient, worker: Worker, code: ErrorCode, expected: type[RicordoError]
) -> None:
    await worker.answer("query.stats", ErrorBody.of(code, "a precise sentence", "user_id"))
    with pytest.raises(expected) as caught:
        await memory.stats("u-1")
    told = (caught.value.code, caught.value.message, caught.value.field)
    assert told == (code, "a precise sentence", "user_id")


async def test_a_body_or_a_header_alone_is_an_error_too(memory: MemoryClient, worker: Worker) -> None:
    body = b'{"error": {"code": "not_found", "message": "no such memory"}}'
    await worker.answer("query.expand", lambda _: body)

    async def respond(message: Msg) -> None:
        headers = {"Nats-Service-Error": "forbidden: not yours", "Nats-Service-Error-Code": "403"}
        await worker.nc.publish(message.reply, b"", headers=headers)

    await worker.listen("query.stats", respond)
    with pytest.raises(NotFound, match="no such memory"):
        await memory.expand("u-1", ID)
    with pytest.raises(Forbidden, match="not yours"):
        await memory.stats("u-1")


@pytest.mark.parametrize("body", [b"", b"not json", b"[]", b'{"memories": "many"}'])
async def test_an_unreadable_answer_is_internal(memory: MemoryClient, worker: Worker, body: bytes) -> None:
    await worker.answer("query.timeline", lambda _: body)
    with pytest.raises(Internal, match=r"the answer to query\.timeline cannot be read"):
        await memory.timeline("u-1", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z")


async def test_nobody_there_is_unavailable_at_once_with_advice(memory: MemoryClient) -> None:
    with pytest.raises(NoResponders, match=r"nobody answers query\.recall.*ricordo up"):
        await memory.recall("u-1", "cane", timeout=30)


async def test_a_late_answer_is_a_timeout(memory: MemoryClient, worker: Worker) -> None:
    async def wait(message: Msg) -> None:
        assert message.reply

    await worker.listen("query.recall", wait)
    with pytest.raises(Timeout, match=r"within 0\.05 s"):
        await memory.recall("u-1", "cane", timeout=0.05)


async def test_without_permission_asking_is_forbidden_at_once(server: Server) -> None:
    async with MemoryClient.connect(server.url_of("bot:b0t"), tenant="acme", timeout=30) as memory:
        with pytest.raises(Forbidden, match=r"memory\.v1\.acme\.command\.pin"):
            await memory.pin("u-1", ID)
