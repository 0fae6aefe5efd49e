"""Lines come from whatever a shell can put in the place of a file."""

import asyncio
import gzip
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ricordo_services.cli import input_files
from ricordo_services.cli.failures import Failed
from ricordo_services.cli.input_files import numbered_lines, rereadable

PROGRAM = """
import asyncio
import gzip
from ricordo_services.cli.input_files import numbered_lines
async def main():
    async for number, line in numbered_lines("-"):
        print(number, line.decode().strip(), flush=True)
asyncio.run(main())
"""


async def read(source: str) -> list[tuple[int, bytes]]:
    async with asyncio.timeout(10):
        return [each async for each in numbered_lines(source)]


async def test_lines_are_numbered_as_an_editor_does_and_blank_ones_left_out(tmp_path: Path) -> None:
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
