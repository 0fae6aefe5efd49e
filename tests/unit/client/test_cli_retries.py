"""`ricordo forget` and `ricordo export` ask again where an answer says that it is worth it."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from nats.aio.msg import Msg
from tests.unit.client.conftest import Server, Worker

from ricordo.messages.commands import Erased, ExportReply, ForgetReply
from ricordo.messages.errors import ErrorBody, ErrorCode
from ricordo.messages.message_types import JsonObject, Message

COMMAND = (sys.executable, "-c", "from ricordo_services.cli import main; main()")
UNDER_WAY = ErrorBody.of(ErrorCode.UNAVAILABLE, "the erasure is under way: try again", None)
AWAY = ErrorBody.of(ErrorCode.UNAVAILABLE, "the graph is away: try again", None)


async def ricordo(server: Server, *words: str) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, "--nats", server.url(), "--tenant", "acme", *words]
    return await asyncio.to_thread(
        subprocess.run, command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )


async def test_an_erasure_is_waited_for_under_one_request(server: Server, worker: Worker) -> None:
    answers: Iterator[Message] = iter([UNDER_WAY, UNDER_WAY, ForgetReply(erased=Erased(rows=8, working=1))])
    asked = await worker.answer("command.forget", lambda _: next(answers))
    ended = await ricordo(server, "forget", "--user", "u-1", "--conversation", "c-1", "--yes")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "erased: 8 rows of messages and memories; 1 note\n"
    requests = [json.loads(one.data) for one in asked]
    assert len(requests) == 3
    assert requests[0]["conversation_id"] == "c-1"
    assert len({one["request_id"] for one in requests}) == 1


async def test_what_cannot_be_erased_now_is_not_waited_for(server: Server, worker: Worker) -> None:
    asked = await worker.answer("command.forget", AWAY)
    ended = await ricordo(server, "forget", "--user", "u-1", "--yes")
    assert (ended.returncode, ended.stdout, len(asked)) == (1, "", 1)
    assert "the graph is away" in ended.stderr
    assert "run it again" in ended.stderr


def piece(number: int, text: str, digest: str = "a") -> JsonObject:
    usual: JsonObject = {"item": "piece", "user_id": "u-1", "of": "note", "digest": digest, "pieces": 2}
    return {**usual, "number": number, "text": text}


async def test_a_page_is_asked_for_again_and_an_item_that_changed_begins_anew(
    server: Server, worker: Worker
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
        cursors.append(json.loads(request.data)["cursor"])
        return next(pages)

    await worker.answer("command.export", answer)
    ended = await ricordo(server, "export", "--user", "u-1")
    assert ended.returncode == 0, ended.stderr
    *items, end = map(json.loads, ended.stdout.splitlines())
    assert [one["value"] for one in items] == ["first", "x"]
    assert end == {"item": "end", "user_id": "u-1", "items": 2}
    assert cursors == [None, "1", "1", "2"]


async def test_nothing_is_left_of_a_file_that_did_not_become_whole(
    server: Server, worker: Worker, tmp_path: Path
) -> None:
    await worker.answer("command.export", AWAY)
    ended = await ricordo(server, "export", "--user", "u-1", str(tmp_path / "u-1.jsonl"))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert list(tmp_path.iterdir()) == []
