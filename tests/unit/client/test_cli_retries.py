"""`ricordo forget` and `ricordo export` ask again where an answer says that it is worth it."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from nats.aio.msg import Msg
from tests.unit.cli.conftest import CliResult
from tests.unit.client.conftest import Server, Worker

from ricordo.messages.commands import Erased, ExportReply, ForgetReply
from ricordo.messages.errors import ErrorBody, ErrorCode
from ricordo.messages.message_types import JsonObject, Message
from ricordo_services import export_stream
from ricordo_services.cli import curation_commands
from ricordo_services.cli.application import run

UNDER_WAY = ErrorBody.of(ErrorCode.UNAVAILABLE, "the erasure is under way: try again", None)
AWAY = ErrorBody.of(ErrorCode.UNAVAILABLE, "the graph is away: try again", None)


Ricordo = Callable[..., Awaitable[CliResult]]


@pytest.fixture
def ricordo(server: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ricordo:
    """Run the command line in a thread, whose pauses between two tries are short."""
    monkeypatch.setattr(curation_commands, "_PAUSE_S", 0.01)
    monkeypatch.setattr(export_stream, "_PAUSE_S", 0.01)

    async def call(*words: str) -> CliResult:
        code = await asyncio.to_thread(run, ["--nats", server.url_of(), "--tenant", "acme", *words])
        return CliResult(code, *capsys.readouterr())

    return call


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
