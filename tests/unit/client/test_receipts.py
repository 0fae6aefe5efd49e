"""Waiting until messages are remembered, and asking again."""

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import nats
import pytest
from nats.aio.msg import Msg
from tests.unit.client.conftest import Ricordo, Server, Worker

from ricordo.client import Forbidden, Internal, MemoryClient, Receipt, Timeout, Unavailable
from ricordo.client.connection import read
from ricordo.messages.codec import decode_as, encode
from ricordo.messages.commands import Erased, ExportReply, ForgetReply
from ricordo.messages.enumerations import MessageState
from ricordo.messages.errors import ErrorBody, ErrorCode
from ricordo.messages.events import MemoryRemembered, MessageReceived
from ricordo.messages.ids import memory_id, remembered_id
from ricordo.messages.message_types import JsonObject, Message
from ricordo.messages.queries import StatusReply, StatusRequest

SUBJECT = "memory.v1.acme.memory.remembered"


def receipt(message_id: str) -> bytes:
    event = MemoryRemembered(
        user_id="u-1", conversation_id="c-1", message_id=message_id, memory_id=memory_id("acme", message_id)
    )
    return encode(event.stamp(remembered_id("acme", message_id), datetime(2026, 2, 1, tzinfo=UTC)))


class Statuses:
    """What `query.status` answers, and who asked."""

    def __init__(self, **states: str) -> None:
        self.states = states
        self.asked = asyncio.Event()

    def __call__(self, message: Msg) -> StatusReply:
        self.asked.set()
        state = MessageState(self.states.get(decode_as(StatusRequest, message.data).message_id, "received"))
        return StatusReply(
            state=state, error="id_conflict: first wins" if state == MessageState.FAILED else None
        )


async def test_what_was_remembered_before_anyone_listened_is_found_by_its_status(
    memory: MemoryClient, worker: Worker
) -> None:
    await worker.answer("query.status", Statuses(a="remembered", b="remembered"))
    found = await memory.remembered(["a", "b", "a"])
    assert found == {name: Receipt(name, MessageState.REMEMBERED) for name in "ab"}


async def test_receipts_are_heard_while_waiting(memory: MemoryClient, worker: Worker) -> None:
    statuses = Statuses()
    await worker.answer("query.status", statuses)
    waiting = asyncio.create_task(memory.remembered(["a", "b"], timeout=30))
    await statuses.asked.wait()
    for body in (b"not an event", receipt("other"), receipt("a"), receipt("a"), receipt("b")):
        await worker.nc.publish(SUBJECT, body)
    assert set(await waiting) == {"a", "b"}


async def test_a_message_is_told_from_another_one_that_has_its_id(
    memory: MemoryClient, worker: Worker
) -> None:
    """The receipt of the id comes first, and is that of the other one."""
    fields = {"user_id": "u-1", "conversation_id": "c-1", "role": "user", "timestamp": "2026-02-01T13:30:00Z"}
    first, second = (
        read(MessageReceived, {**fields, "id": "a", "content": content}) for content in ("Hi.", "Ho.")
    )
    asked, stored = asyncio.Event(), False

    def answer(message: Msg) -> StatusReply:
        asked.set()
        if not stored:
            return StatusReply(state=MessageState.UNKNOWN)
        if decode_as(StatusRequest, message.data).digest == first.digest:
            return StatusReply(state=MessageState.REMEMBERED)
        return StatusReply(state=MessageState.FAILED, error="id_conflict: first wins")

    await worker.answer("query.status", answer)
    for message, state in ((first, MessageState.REMEMBERED), (second, MessageState.FAILED)):
        stored = False
        asked.clear()
        waiting = asyncio.create_task(memory.remembered([message], timeout=30))
        await asked.wait()
        stored = True
        await worker.nc.publish(SUBJECT, receipt("a"))
        assert (await waiting)["a"].state == state


async def test_receipts_are_enough_when_nobody_tells_the_status(memory: MemoryClient, worker: Worker) -> None:
    async def announce() -> None:
        while True:
            await worker.nc.publish(SUBJECT, receipt("a"))
            await asyncio.sleep(0.01)

    announcing = asyncio.create_task(announce())
    try:
        assert set(await memory.remembered(["a"], timeout=30)) == {"a"}
    finally:
        announcing.cancel()


async def test_the_status_is_enough_when_listening_is_not_allowed(server: Server, worker: Worker) -> None:
    statuses = Statuses()
    await worker.answer("query.status", statuses)
    async with MemoryClient.connect(server.url_of("bot:b0t"), tenant="acme") as memory:
        waiting = asyncio.create_task(memory.remembered(["a"], timeout=30))
        await statuses.asked.wait()
        statuses.states["a"] = "remembered"
        assert set(await waiting) == {"a"}


async def test_what_stays_under_way_is_a_timeout_that_counts(memory: MemoryClient, worker: Worker) -> None:
    await worker.answer("query.status", Statuses(a="remembered"))
    with pytest.raises(Timeout, match=r"2 of 3 messages are not remembered after 0\.3 s"):
        await memory.remembered(["a", "b", "c"], timeout=0.3)


async def test_a_failure_of_the_other_side_is_raised_as_what_it_is(
    memory: MemoryClient, worker: Worker
) -> None:
    await worker.answer("query.status", ErrorBody.of(ErrorCode.INTERNAL, "the request failed"))
    with pytest.raises(Internal, match="the request failed"):
        await memory.remembered(["a", "b", "c"], timeout=30)


async def test_who_may_not_ask_for_the_status_is_told(server: Server) -> None:
    async with MemoryClient.connect(server.url_of("bot:b0t"), tenant="other") as memory:
        with pytest.raises(Forbidden):
            await memory.remembered(["a", "b"], timeout=30)


async def test_waiting_over_a_closed_connection_is_unavailable(server: Server) -> None:
    client = await nats.connect(server.url_of())
    memory = MemoryClient.over(client, tenant="acme")
    await client.close()
    with pytest.raises(Unavailable, match="closed"):
        await memory.remembered(["a"], timeout=30)


UNDER_WAY = ErrorBody.of(ErrorCode.UNAVAILABLE, "the erasure is under way: try again", None)
AWAY = ErrorBody.of(ErrorCode.UNAVAILABLE, "the graph is away: try again", None)


async def test_an_erasure_is_waited_for_under_one_request(ricordo: Ricordo, worker: Worker) -> None:
    answers: Iterator[Message] = iter([UNDER_WAY, UNDER_WAY, ForgetReply(erased=Erased(rows=8, working=1))])
    asked = await worker.answer("command.forget", lambda _: next(answers))
    ended = await ricordo("forget", "--user", "u-1", "--conversation", "c-1", "--yes")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "erased: 8 rows of messages and memories; 1 note\n"
    requests = [json.loads(one.data) for one in asked]
    assert len(requests) == 3
    assert requests[0]["conversation_id"] == "c-1"
    assert len({one["request_id"] for one in requests}) == 1


async def test_what_cannot_be_erased_now_is_not_waited_for(ricordo: Ricordo, worker: Worker) -> None:
    asked = await worker.answer("command.forget", AWAY)
    ended = await ricordo("forget", "--user", "u-1", "--yes")
    assert (ended.code, ended.out, len(asked)) == (1, "", 1)
    assert "the graph is away" in ended.err
    assert "run it again" in ended.err


def piece(number: int, text: str, digest: str = "a") -> JsonObject:
    usual: JsonObject = {"item": "piece", "user_id": "u-1", "of": "note", "digest": digest, "pieces": 2}
    return {**usual, "number": number, "text": text}


async def test_a_page_is_asked_for_again_and_an_item_that_changed_begins_anew(
    ricordo: Ricordo, worker: Worker
) -> None:
    note: JsonObject = {"item": "note", "user_id": "u-1", "value": "x"}
    text = json.dumps(note)
    pages: Iterator[Message] = iter(
        [
            ExportReply(items=({**note, "value": "first"}, piece(0, "old")), next="1"),
            AWAY,
            ExportReply(items=(piece(0, text[:20], "b"),), next="2"),
            ExportReply(items=(piece(1, text[20:], "b"),)),
        ]
    )
    cursors: list[str | None] = []

    def answer(request: Msg) -> Message:
        cursors.append(json.loads(request.data).get("cursor"))
        return next(pages)

    await worker.answer("command.export", answer)
    ended = await ricordo("export", "--user", "u-1")
    assert ended.code == 0, ended.err
    *items, end = map(json.loads, ended.out.splitlines())
    assert [one["value"] for one in items] == ["first", "x"]
    assert end == {"item": "end", "user_id": "u-1", "items": 2}
    assert cursors == [None, "1", "1", "2"]


async def test_nothing_is_left_of_a_file_that_did_not_become_whole(
    ricordo: Ricordo, worker: Worker, tmp_path: Path
) -> None:
    await worker.answer("command.export", AWAY)
    ended = await ricordo("export", "--user", "u-1", str(tmp_path / "u-1.jsonl"))
    assert (ended.code, ended.out) == (1, "")
    assert list(tmp_path.iterdir()) == []
