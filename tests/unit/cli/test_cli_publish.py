import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from types import SimpleNamespace
from typing import cast

import pytest

from ricordo.client import InvalidRequest, MemoryClient, Published, Receipt, StreamFull, Unavailable
from ricordo.messages.enumerations import MessageState
from ricordo.messages.events import MessageReceived
from ricordo_services.cli import input_files
from ricordo_services.cli import publish_command as publishing
from ricordo_services.cli.failures import Failed
from ricordo_services.cli.publish_command import (
    Acknowledged,
    Fault,
    Publication,
    await_remembered,
    publish_lines,
)
from ricordo_services.ingest_watch import IngestWatch


class Bus:
    """Stands in for the client: takes messages, unless told what to raise for an id."""

    def __init__(self) -> None:
        self.taken: list[str] = []
        self.refusals: dict[str, list[Exception]] = {}
        self.failed: dict[str, str] = {}

    async def publish(self, message: MessageReceived, *, bulk: bool = False) -> Published:
        if waiting := self.refusals.get(message.id):
            raise waiting.pop(0)
        self.taken.append(message.id)
        return Published(message.id, "RICORDO_IN", len(self.taken), duplicate=False)

    async def remembered(self, ids: list[str], timeout: float) -> dict[str, Receipt]:
        states = {True: MessageState.FAILED, False: MessageState.REMEMBERED}
        return {one: Receipt(one, states[one in self.failed], self.failed.get(one)) for one in ids}


def message(name: str) -> bytes:
    fields = {"user_id": "u", "conversation_id": "c", "role": "user", "timestamp": "2026-05-04T10:00:00Z"}
    return json.dumps({"id": name, "content": "hello", **fields}).encode() + b"\n"


async def numbered(*lines: bytes) -> AsyncIterator[tuple[int, bytes]]:
    for number, line in enumerate(lines, start=1):
        yield number, line


async def published(bus: Bus, *lines: bytes) -> Publication:
    publication = Publication(lambda _: None)
    await publish_lines(
        cast(MemoryClient, bus), numbered(*lines), publication, bulk=False, advance=lambda _: None
    )
    return publication


async def test_a_line_that_cannot_be_published_does_not_hold_up_the_others() -> None:
    bus = Bus()
    bus.refusals["m-4"] = [InvalidRequest("the message takes 2,000,000 bytes")]
    publication = await published(
        bus, message("m-1"), b"nonsense\n", b'{"id": "m-3"}\n', message("m-4"), message("m-5")
    )
    assert sorted(bus.taken) == ["m-1", "m-5"]
    assert publication.acknowledged == [Acknowledged(1, "m-1", 1), Acknowledged(5, "m-5", 2)]
    faults = sorted(publication.faults)
    assert [fault.line for fault in faults] == [2, 3, 4]
    assert "“nonsense” is no JSON object" in faults[0].reason
    assert faults[1].reason.endswith("are required")
    assert faults[2] == Fault(4, "m-4", "the message takes 2,000,000 bytes")


async def test_a_line_that_is_too_long_is_a_fault_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_files, "LONGEST_LINE", 1_000)
    long = message("m-1").replace(b"hello", "è".encode() * 500)[:1_001]
    publication = await published(Bus(), long, message("m-2"))
    assert publication.faults == [Fault(1, "m-1", "it is longer than 1,000 bytes")]
    assert len(publication.acknowledged) == 1


async def test_a_binary_file_without_an_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_files, "LONGEST_LINE", 1_000)
    async with aclosing(input_files.numbered_lines("/dev/zero")) as lines:
        with pytest.raises(Failed, match="line 1 is not text"):
            await publish_lines(
                cast(MemoryClient, Bus()), lines, Publication(print), bulk=False, advance=lambda _: None
            )


async def test_a_full_stream_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "_FULL_PAUSE_S", 0)
    bus = Bus()
    bus.refusals["m-1"] = [StreamFull("full"), StreamFull("full")]
    assert len((await published(bus, message("m-1"))).acknowledged) == 1
    bus.refusals["m-2"] = [StreamFull("full")] * 1000
    with pytest.raises(StreamFull, match="do the workers run"):
        await published(bus, message("m-2"))


async def test_a_lost_connection_ends_it_and_says_how_far_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    bus = Bus()
    bus.refusals["m-2"] = [Unavailable("the connection is gone")]
    with pytest.raises(Unavailable, match="gone; 1 message was acknowledged"):
        await published(bus, message("m-1"), message("m-2"))


async def test_what_was_refused_is_a_fault_even_where_its_id_is_remembered() -> None:
    bus = Bus()
    publication = await published(bus, message("m-1"), message("m-1"), message("m-2"))
    advanced: list[int] = []
    refused = {2: "id_conflict: other content under the same id"}

    async def refusals(*_: object, **__: object) -> dict[int, str]:
        return refused

    watch = cast(IngestWatch, SimpleNamespace(refusals=refusals))
    await await_remembered(cast(MemoryClient, bus), publication, watch, 1.0, advanced.append)
    assert publication.faults == [Fault(2, "m-1", refused[2])]
    assert publication.remembered == 2
    assert sum(advanced) == 3


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"hello\n", "“hello” is no JSON object: each line must hold one whole JSON object"),
        (b"[1]\n", "“[1]” is no JSON object"),
        (b'{"id": "m-1",\n', "it ends within the JSON object"),
        (b'{"id": "m-1}\n', "the text that begins at character 8 has no closing quote"),
        (b"{'id': 'm-1'}\n", "it is no JSON from character 2 on: “'id': 'm-1'}”"),
        (message("m-1").strip() + b" {}\n", "something follows the JSON object: “{}”"),
        (b'{"id": ' + b"[" * 5000 + b"\n", "it holds a number or a nesting that JSON readers refuse"),
        (b'{"id": "m-1"}\n', "user_id, conversation_id, role, content, timestamp are required"),
    ],
)
async def test_what_is_wrong_with_a_line_is_said_in_words(line: bytes, reason: str) -> None:
    (fault,) = (await published(Bus(), line)).faults
    assert fault.reason.startswith(reason)
    assert "column" not in fault.reason
