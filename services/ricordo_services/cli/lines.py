"""Reading a file or standard input line by line, without holding up the connection meanwhile."""

import asyncio
import os
import stat
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from ricordo_services.cli.failures import Failed

LONGEST_LINE: Final = 16 * 1024 * 1024  # a document of the largest size, in base64, and its message


async def numbered_lines(source: str) -> AsyncIterator[tuple[int, bytes]]:
    """Yield `(number, line)` for every line that is not blank, numbers from 1.

    Args:
        source: a path, or - for standard input.

    Raises:
        Failed: the file cannot be read, or a line is longer than any message.
    """
    number = 0
    async for line in _standard_input() if source == "-" else _file(Path(source)):
        number += 1
        if not line.isspace():
            yield number, line


async def _file(path: Path) -> AsyncIterator[bytes]:
    try:
        with path.open("rb") as file:
            for line in file:
                yield line
    except OSError as error:
        raise Failed(f"{path} cannot be read: {error.strerror}") from None


async def _standard_input() -> AsyncIterator[bytes]:
    if stat.S_ISREG(os.fstat(sys.stdin.fileno()).st_mode):  # a file is always ready, and no selector takes it
        for line in sys.stdin.buffer:
            yield line
        return
    reader = asyncio.StreamReader(limit=LONGEST_LINE)
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    while line := await _line(reader):
        yield line


async def _line(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readline()
    except ValueError:
        raise Failed(f"a line is longer than {LONGEST_LINE:,} bytes, which no message may be") from None
