"""Input files: read line by line, or more than once, with faults that say where they are."""

import asyncio
import gzip
import io
import json
import sys
import tempfile
import threading
import zlib
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO, Final, TypeVar, cast

from ricordo.messages.codec import decode_as
from ricordo.messages.errors import DeadLetterCode, DecodeError
from ricordo.messages.message_types import Message
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
    """Yield `(number, line)` for every line that is not blank, numbers from 1; of one too long, its begin."""
    reader = _LineReader(source)
    number = 0
    try:
        while (line := await reader.next()) is not None:
            number += 1
            if number == 1:
                line = line.removeprefix(_MARK)
            if line.strip():
                yield number, line
    finally:
        reader.stop()


def open_input(source: str) -> BinaryIO:
    """Open a file, or standard input."""
    if source != STANDARD_INPUT:
        return Path(source).open("rb")
    if sys.stdin is None:
        raise Failed("standard input is closed")
    try:
        # Not `sys.stdin.buffer`: Python could not close that one while a thread waits for its next line.
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except io.UnsupportedOperation:
        return sys.stdin.buffer


class _LineReader:
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
            with open_input(self._source) as file:
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
            rest = line or b""
            while len(rest) > LONGEST_LINE and not rest.endswith(b"\n") and not self._stopped:
                rest = file.readline(LONGEST_LINE + 1)

    def _hand_over(self, item: _Item) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._items.put_nowait, item)


M = TypeVar("M", bound=Message)

_SHOWN: Final = 24  # characters around a fault
_ADVICE: Final = 'each line must hold one whole JSON object, such as {"id": "m-1", ...}'


def read_document(model: type[M], line: bytes) -> M:
    """Read a line as `model`.

    Raises:
        DecodeError: it cannot be; the message says why to a person who wrote it.
    """
    if len(line) > LONGEST_LINE:
        raise DecodeError(DeadLetterCode.INVALID, f"it is longer than {LONGEST_LINE:,} bytes")
    try:
        return decode_as(model, line)
    except DecodeError as error:
        if error.code is not DeadLetterCode.NOT_JSON and error.field is not None:
            raise
        raise DecodeError(error.code, _fault(line), error.field) from None


def is_text(line: bytes) -> bool:
    """Return whether `line` is UTF-8 without the NUL characters of binary files; one too long may be cut."""
    try:
        return "\x00" not in line.decode(errors="ignore" if len(line) > LONGEST_LINE else "strict")
    except UnicodeDecodeError:
        return False


def _fault(line: bytes) -> str:
    if not is_text(line):
        return "it is not text in UTF-8"
    text = line.decode().strip()
    if not text:
        return f"it is empty: {_ADVICE}"
    if not text.startswith("{"):
        return f"“{_short(text)}” is no JSON object: {_ADVICE}"
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return _misspelt(text, error)
    except (ValueError, RecursionError):
        pass
    return "it holds a number or a nesting that JSON readers refuse"


def _misspelt(text: str, error: json.JSONDecodeError) -> str:
    if error.pos >= len(text):
        return f"it ends within the JSON object: {_ADVICE}"
    if error.msg.startswith("Extra data"):
        return f"something follows the JSON object: “{_short(text[error.pos :])}”; {_ADVICE}"
    if error.msg.startswith("Unterminated string"):
        return f"the text that begins at character {error.pos + 1} has no closing quote"
    return f"it is no JSON from character {error.pos + 1} on: “{_short(text[error.pos :])}”"


def _short(text: str) -> str:
    shown = "".join(char if char.isprintable() else " " for char in text)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


_GZIP: Final = b"\x1f\x8b"
_CHUNK: Final = 1024 * 1024
MAX_UNPACKED_BYTES: Final = 16 * 1024 * 1024 * 1024
"""The most that a compressed file is unpacked to."""


@contextmanager
def rereadable(source: str) -> Iterator[Path]:
    """Yield a file that holds what `source` does, as long as the `with` lasts, for nobody else's eyes."""
    path = Path(source)
    if source != STANDARD_INPUT:
        if path.is_dir():
            raise Failed(f"{source} is a folder: name a file")
        if not path.exists():
            raise Failed(f"there is no file {source}")
        if path.is_file() and not _is_compressed(path):
            yield path
            return
    with tempfile.NamedTemporaryFile(prefix="ricordo-") as spool:
        try:
            _spool(source, spool)
        except (OSError, EOFError, zlib.error) as error:  # of gzip, too
            reason = getattr(error, "strerror", None) or error
            raise Failed(f"{title(source)} cannot be read: {reason}") from None
        yield Path(spool.name)


def _is_compressed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_GZIP)) == _GZIP


def _spool(source: str, spool: IO[bytes]) -> None:
    with open_input(source) as opened:
        file = io.BufferedReader(cast("io.RawIOBase", opened))
        packed = file.peek(len(_GZIP)).startswith(_GZIP)
        plain = gzip.GzipFile(fileobj=file) if packed else file
        while chunk := plain.read(_CHUNK):
            spool.write(chunk)
            if packed and spool.tell() > MAX_UNPACKED_BYTES:
                raise Failed(
                    f"{title(source)} has more than {MAX_UNPACKED_BYTES:,} bytes when unpacked: "
                    "unpack it yourself"
                )
    spool.flush()
