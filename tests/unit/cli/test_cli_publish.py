"""Lines come from whatever a shell can put in the place of a file, and are published."""

import asyncio
import gzip
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from tests.fixtures.sentence_tables import table

from ricordo.client import InvalidRequest, MemoryClient, Published, Receipt, StreamFull, Unavailable
from ricordo.messages.enumerations import MessageState
from ricordo.messages.events import MessageReceived
from ricordo_services import bulk_publication
from ricordo_services.cli import input_files
from ricordo_services.cli.failures import Failed
from ricordo_services.cli.input_files import in_thread, numbered_lines, rereadable
from ricordo_services.cli.publish_command import Acknowledged, Fault, LinePublisher
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


async def published(bus: Bus, *lines: bytes) -> LinePublisher:
    publication = LinePublisher(cast(MemoryClient, bus), str)
    await publication.publish(numbered(*lines), lambda *_: None)
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
    assert faults[0].reason.startswith("it is not JSON")
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
    async with aclosing(in_thread(numbered_lines("/dev/zero"))) as lines:
        with pytest.raises(Failed, match="1 is not text"):
            await LinePublisher(cast(MemoryClient, Bus()), str).publish(lines, lambda *_: None)


async def test_a_full_stream_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_publication, "_FULL_PAUSE_S", 0)
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
    shown: list[tuple[int, int | None]] = []
    refused = {2: "id_conflict: other content under the same id"}

    async def refusals(*_: object, **__: object) -> dict[int, str]:
        return refused

    watch = cast(IngestWatch, SimpleNamespace(refusals=refusals))
    await publication.await_remembered(watch, 1.0, lambda *one: shown.append(one))
    assert publication.faults == [Fault(2, "m-1", refused[2])]
    assert publication.remembered == 2
    assert shown == [(3, 3)]


WRONG = (
    *table(__file__, "wrong"),
    (message("m-1").decode().strip() + " {}", "it is not JSON: trailing characters at character "),
    ('{"id": ' + "[" * 5000, "it is not JSON: recursion limit exceeded at character "),
)


@pytest.mark.parametrize(("line", "reason"), WRONG)
async def test_what_is_wrong_with_a_line_is_said_in_words(line: str, reason: str) -> None:
    (fault,) = (await published(Bus(), line.encode() + b"\n")).faults
    assert fault.reason.startswith(reason)
    assert "column" not in fault.reason


PROGRAM = """
import asyncio
from ricordo_services.cli.input_files import in_thread, numbered_lines
async def main():
    async for number, line in in_thread(numbered_lines("-")):
        print(number, line.decode().strip(), flush=True)
asyncio.run(main())
"""


async def read(source: str) -> list[tuple[int, bytes]]:
    async with asyncio.timeout(10):
        return [each async for each in in_thread(numbered_lines(source)) if each[1].strip()]


async def test_lines_are_numbered_as_an_editor_does(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b"\xef\xbb\xbfa\n\n  \t\nb\r\nc")
    assert await read(str(file)) == [(1, b"a\n"), (4, b"b\r\n"), (5, b"c")]


async def test_a_named_pipe_is_read_while_the_loop_goes_on(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = asyncio.create_task(read(str(pipe)))
    await asyncio.sleep(0)  # nobody writes yet, and this goes on all the same
    writer = threading.Thread(target=lambda: pipe.write_bytes(b"a\nb\n"))
    writer.start()
    assert await reader == [(1, b"a\n"), (2, b"b\n")]
    writer.join()


async def test_what_cannot_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Failed, match="none cannot be read: No such file"):
        await read(str(tmp_path / "none"))
    with pytest.raises(Failed, match="Is a directory"):
        await read(str(tmp_path))
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(Failed, match="standard input is closed"):
        await read("-")


async def test_a_line_that_is_too_long_is_cut_and_the_next_ones_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(input_files, "LONGEST_LINE", 1000)
    (tmp_path / "lines").write_bytes(b"a\n" + 999 * b"x" + b"\n" + 5555 * b"y" + b"\nb\n" + 1001 * b"z")
    lengths = [(number, len(line)) for number, line in await read(str(tmp_path / "lines"))]
    assert lengths == [(1, 2), (2, 1000), (3, 1001), (4, 2), (5, 1001)]


async def test_standard_input_may_be_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for content, lines in ((b"", []), (b"a\nb\n", [(1, b"a\n"), (2, b"b\n")])):
        (tmp_path / "file").write_bytes(content)
        with (tmp_path / "file").open() as redirected:
            monkeypatch.setattr(sys, "stdin", redirected)
            assert await read("-") == lines


def test_standard_input_may_be_a_pipe_that_is_slow_and_an_interrupt_ends_the_wait() -> None:
    program, pipe = [sys.executable, "-c", PROGRAM], subprocess.PIPE
    with subprocess.Popen(program, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"a\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"1 a\n"  # before the end of input
        process.send_signal(signal.SIGINT)
        process.wait(10)
        assert process.stderr is not None
        assert b"Fatal" not in process.stderr.read()


def test_a_compressed_file_is_unpacked_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_files, "MAX_UNPACKED_BYTES", 1_000)
    path = tmp_path / "chat.gz"
    path.write_bytes(gzip.compress(b"x" * 1_000))
    with rereadable(str(path)) as unpacked:
        assert unpacked.stat().st_size == 1_000
    path.write_bytes(gzip.compress(b"x" * 1_001))
    with pytest.raises(Failed, match="more than 1,000 bytes when unpacked"), rereadable(str(path)):
        pass
