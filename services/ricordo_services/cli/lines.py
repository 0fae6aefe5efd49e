"""Reading a file or standard input line by line, without holding up the connection meanwhile."""

import asyncio
import io
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from ricordo_services.cli.failures import Failed

LONGEST_LINE: Final = 16 * 1024 * 1024  # a document of the largest size, in base64, and its message
STANDARD_INPUT: Final = "-"
_AHEAD: Final = 512  # lines that are read before anybody takes them
_MARK: Final = b"\xef\xbb\xbf"  # what some editors put before UTF-8

_Item = bytes | Failed | None


def title(source: str) -> str:
    """Return what a person calls the source."""
    return "standard input" if source == STANDARD_INPUT else source


async def numbered_lines(source: str) -> AsyncGenerator[tuple[int, bytes], None]:
    """Yield `(number, line)` for every line that is not blank, numbers from 1.

    Args:
        source: a path, or - for standard input. Either may be a file, a pipe, a terminal or a device.

    Raises:
        Failed: it cannot be read, or a line is longer than any message.
    """
    reader = _Reader(source)
    number = 0
    try:
        while (line := await reader.next()) is not None:
            number += 1
            if number == 1:
                line = line.removeprefix(_MARK)
            if len(line) > LONGEST_LINE:
                raise Failed(f"{title(source)}, line {number} is longer than {LONGEST_LINE:,} bytes")
            if line.strip():
                yield number, line
    finally:
        reader.stop()


def _opened(source: str) -> BinaryIO:
    if source != STANDARD_INPUT:
        return Path(source).open("rb")
    if sys.stdin is None:
        raise Failed("standard input is closed")
    try:
        # Not `sys.stdin.buffer`: Python could not close that one while a thread waits for its next line.
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except io.UnsupportedOperation:
        return sys.stdin.buffer


class _Reader:
    """Reads in a thread of its own: not every file can be waited for otherwise, none may hold up the loop.

    The thread is a daemon, since nothing can wake it when it waits for a line that nobody wants any more.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._loop = asyncio.get_running_loop()
        self._items: asyncio.Queue[_Item] = asyncio.Queue()
        self._room = threading.Semaphore(_AHEAD)
        self._stopped = False
        threading.Thread(target=self._read, name="reading", daemon=True).start()

    async def next(self) -> bytes | None:
        """Return the next line with its end, None after the last; of one too long, more than is allowed."""
        item = await self._items.get()
        self._room.release()
        if isinstance(item, Failed):
            raise item
        return item

    def stop(self) -> None:
        """Let the thread go as soon as it can."""
        self._stopped = True
        self._room.release()

    def _read(self) -> None:
        try:
            with _opened(self._source) as file:
                self._hand_over_lines(file)
        except OSError as error:
            self._hand_over(Failed(f"{title(self._source)} cannot be read: {error.strerror}"))
        except Failed as error:
            self._hand_over(error)

    def _hand_over_lines(self, file: BinaryIO) -> None:
        line: bytes | None = b""
        while line is not None:
            self._room.acquire()
            if self._stopped:
                return
            line = file.readline(LONGEST_LINE + 1) or None
            self._hand_over(line)

    def _hand_over(self, item: _Item) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._items.put_nowait, item)
