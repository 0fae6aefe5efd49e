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
_GZIP: Final = b"\x1f\x8b"
_CHUNK: Final = 1024 * 1024
MAX_UNPACKED_BYTES: Final = 16 * 1024 * 1024 * 1024
"""The most that a compressed file is unpacked to."""
_MARK: Final = b"\xef\xbb\xbf"  # what some editors put before UTF-8


def title(source: str) -> str:
    """Return what a person calls the source."""
    return "standard input" if source == STANDARD_INPUT else source


async def numbered_lines(source: str) -> AsyncGenerator[tuple[int, bytes], None]:
    """Yield `(number, line)` for every line that is not blank, numbers from 1; of one too long, its begin.

    They are read in a thread: not every file can be waited for otherwise, none may hold up the loop. It is a
    daemon, since nothing can wake it when it waits for a line that nobody wants any more.
    """
    loop, items = asyncio.get_running_loop(), asyncio.Queue[bytes | Failed | None]()
    room, stopped = threading.Semaphore(_AHEAD), threading.Event()

    def read() -> None:
        for item in _lines(source, stopped):
            room.acquire()
            if stopped.is_set():
                return
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(items.put_nowait, item)

    threading.Thread(target=read, name="reading", daemon=True).start()
    number = 0
    try:
        while (item := await items.get()) is not None:
            room.release()
            if isinstance(item, Failed):
                raise item
            number += 1
            line = item.removeprefix(_MARK) if number == 1 else item
            if line.strip():
                yield number, line
    finally:
        stopped.set()
        room.release()


def _lines(source: str, stopped: threading.Event) -> Iterator[bytes | Failed | None]:
    """Yield the lines of a file, of one too long its begin, and None; or why it cannot be read."""
    try:
        with open_input(source) as file:
            while line := file.readline(LONGEST_LINE + 1):
                yield line
                while len(line) > LONGEST_LINE and not line.endswith(b"\n") and not stopped.is_set():
                    line = file.readline(LONGEST_LINE + 1)
        yield None
    except OSError as error:
        yield Failed(f"{title(source)} cannot be read: {error.strerror}")
    except Failed as error:
        yield error


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


M = TypeVar("M", bound=Message)

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
    try:
        is_object = isinstance(json.loads(line.rstrip()), dict)
    except json.JSONDecodeError as error:
        return f"it is no JSON object ({error.msg}: character {error.pos + 1}); {_ADVICE}"
    except (ValueError, RecursionError):
        is_object = True
    if is_object:
        return "it holds a number or a nesting that JSON readers refuse"
    return f"it is no JSON object; {_ADVICE}"


@contextmanager
def rereadable(source: str) -> Iterator[Path]:
    """Yield a file that holds what `source` does, as long as the `with` lasts, for nobody else's eyes."""
    path = Path(source)
    if source != STANDARD_INPUT:
        if path.is_dir():
            raise Failed(f"{source} is a folder: name a file")
        if not path.exists():
            raise Failed(f"there is no file {source}")
        if path.is_file():
            with path.open("rb") as file:
                is_packed = file.read(len(_GZIP)) == _GZIP
            if not is_packed:
                yield path
                return
    with tempfile.NamedTemporaryFile(prefix="ricordo-") as spool:
        try:
            _spool(source, spool)
        except (OSError, EOFError, zlib.error) as error:  # of gzip, too
            reason = getattr(error, "strerror", None) or error
            raise Failed(f"{title(source)} cannot be read: {reason}") from None
        yield Path(spool.name)


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
