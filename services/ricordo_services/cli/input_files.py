"""Input files: read line by line, or more than once, with faults that say where they are.

The file of an export is read once as a whole, so that it is complete or refused, then kind by kind.
"""

import asyncio
import gzip
import io
import json
import sys
import tempfile
import threading
import tomllib
import zlib
from collections import defaultdict
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar, cast

from ricordo.messages.codec import decode_as
from ricordo.messages.errors import DeadLetterCode, DecodeError
from ricordo.messages.message_types import Message
from ricordo_services.cli.failures import Failed
from ricordo_services.export_stream import END

LONGEST_LINE: Final = 16 * 1024 * 1024  # a document of the largest size, in base64, and its message
STANDARD_INPUT: Final = "-"
_AHEAD: Final = 64  # lines that are read before anybody takes them; each may hold a document
_GZIP: Final = b"\x1f\x8b"
_CHUNK: Final = 1024 * 1024
MAX_UNPACKED_BYTES: Final = 16 * 1024 * 1024 * 1024
"""The most that a compressed file is unpacked to."""
_MARK: Final = b"\xef\xbb\xbf"  # what some editors put before UTF-8

T = TypeVar("T")
M = TypeVar("M", bound=Message)


def title(source: str) -> str:
    """Return what a person calls the source."""
    return "standard input" if source == STANDARD_INPUT else source


def numbered_lines(source: str) -> Iterator[tuple[int, bytes]]:
    """Yield `(number, line)` for every line, numbers from 1; of one too long its begin, then empty lines.

    Raises:
        Failed: it cannot be read.
    """
    number, begins = 0, True
    try:
        with open_input(source) as file:
            while line := file.readline(LONGEST_LINE + 1):
                number += begins
                yield number, line.removeprefix(_MARK if number == 1 else b"") if begins else b""
                begins = line.endswith(b"\n") or len(line) <= LONGEST_LINE
    except OSError as error:
        raise Failed(f"{title(source)} cannot be read: {error.strerror}") from None


async def in_thread(items: Iterable[T]) -> AsyncGenerator[T, None]:
    """Yield items, which are read in a thread and some ahead: not every file can be waited for otherwise.

    It is a daemon, since nothing can wake it when it waits for a line that nobody wants any more.
    """
    loop, taken = asyncio.get_running_loop(), asyncio.Queue[T | Exception | None]()
    room, stopped = threading.Semaphore(_AHEAD), threading.Event()

    def hand_over(item: T | Exception | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(taken.put_nowait, item)

    def read() -> None:
        try:
            for item in items:
                room.acquire()
                if stopped.is_set():
                    return
                hand_over(item)
            hand_over(None)
        except Exception as error:  # noqa: BLE001 - it is raised where the items are taken
            hand_over(error)

    threading.Thread(target=read, name="reading", daemon=True).start()
    try:
        while (item := await taken.get()) is not None:
            if isinstance(item, Exception):
                raise item
            room.release()
            yield item
    finally:
        stopped.set()
        room.release()


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


_ADVICE: Final = 'each line must hold one whole JSON object, such as {"id": "m-1", ...}'


def read_document(model: type[M], line: bytes) -> M:
    """Read a line as `model`.

    Raises:
        DecodeError: it cannot be; the message says why to a person who wrote it.
    """
    if len(line) > LONGEST_LINE:
        raise DecodeError(DeadLetterCode.INVALID, f"it is longer than {LONGEST_LINE:,} bytes")
    try:
        return decode_as(model, line.rstrip())
    except DecodeError as error:
        if error.field is not None:
            raise
        reason = error.message.replace("the body", "it").replace("line 1 column", "character")
        raise DecodeError(error.code, f"{reason}; {_ADVICE}") from None


def require_file(source: str) -> None:
    """Refuse a folder, and what is not there, before anything is done."""
    path = Path(source)
    if source != STANDARD_INPUT and path.is_dir():
        raise Failed(f"{source} is a folder: name a file")
    if source != STANDARD_INPUT and not path.exists():
        raise Failed(f"there is no file {source}")


@contextmanager
def rereadable(source: str) -> Iterator[Path]:
    """Yield a file that holds what `source` does, as long as the `with` lasts, for nobody else's eyes."""
    require_file(source)
    with open_input(source) as opened, tempfile.NamedTemporaryFile(prefix="ricordo-") as spool:
        file = io.BufferedReader(cast("io.RawIOBase", opened))
        packed = file.peek(len(_GZIP)).startswith(_GZIP)
        if not packed and source != STANDARD_INPUT and Path(source).is_file():
            yield Path(source)
            return
        plain = gzip.GzipFile(fileobj=file) if packed else file
        try:
            while chunk := plain.read(_CHUNK):
                spool.write(chunk)
                if packed and spool.tell() > MAX_UNPACKED_BYTES:
                    limit = f"more than {MAX_UNPACKED_BYTES:,} bytes when unpacked"
                    raise Failed(f"{title(source)} has {limit}: unpack it yourself")
        except (OSError, EOFError, zlib.error) as error:  # of gzip, too
            reason = getattr(error, "strerror", None) or error
            raise Failed(f"{title(source)} cannot be read: {reason}") from None
        spool.flush()
        yield Path(spool.name)


ITEMS: Final = tomllib.loads((resources.files(__package__) / "export_items.toml").read_text(encoding="utf-8"))
"""The kinds of items, in the order of an export, with the plural of each."""
_FIELDS: Final = {kind: tuple(item["fields"]) for kind, item in ITEMS.items()} | {END: ("items",)}

_UNCHANGED: Final = "nothing was imported"
Item = dict[str, Any]


@dataclass(slots=True)
class ExportFile:
    """A complete export of one user.

    Attributes:
        places: of the items of each kind, their lines and where these begin in the file.
        documents: where the document of each message begins.
        blank: messages without text, which are not published.
    """

    path: Path
    title: str
    user_id: str = ""
    places: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    documents: dict[str, int] = field(default_factory=dict)
    blank: int = 0

    @classmethod
    def read(cls, path: Path, title: str) -> "ExportFile":
        """Read a file as a whole.

        Raises:
            Failed: a line is no item of an export, or is missing, or is of another user.
        """
        exported, place, ended = cls(path, title), 0, False
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    if ended:
                        raise exported._failed(number, f"is after the end of the export: {_UNCHANGED}")
                    ended = exported._add(number, place, exported._item(number, line))
                place += len(line)
        if not exported.places and not ended:
            raise Failed(f"{title} holds nothing")
        if not ended:
            raise Failed(
                f"{title} is incomplete: its last line is not the end of an export; nothing was imported"
            )
        return exported

    def items(self, kind: str) -> Iterator[Item]:
        """Yield all items of a kind."""
        with self.path.open("rb") as file:
            for _, place in self.places[kind]:
                yield _at(file, place)

    def bodies(self) -> Iterator[tuple[int, bytes]]:
        """Yield the messages as they are published, with the numbers of their lines."""
        with self.path.open("rb") as file:
            for number, place in self.places["message"]:
                body = _at(file, place)["message"] | {"user_id": self.user_id}
                if (document := self.documents.get(body["id"])) is not None:
                    item = _at(file, document)
                    body["document"] = {name: item[name] for name in ("name", "media_type", "data")}
                if body.get("content", "").strip():
                    yield number, json.dumps(body, ensure_ascii=False).encode()

    def _item(self, number: int, line: bytes) -> Item:
        try:
            item: Item = json.loads(line)
            kind = item["item"]
            missing = [name for name in _FIELDS.get(kind, ()) if name not in item]
            is_whole = isinstance(item["user_id"], str) and not missing
            if kind == "message":
                is_whole = is_whole and isinstance(item["message"].get("content", ""), str)
            if is_whole and kind in _FIELDS:
                return item
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            missing = []
        what = f" ({missing[0]} is missing)" if missing else ""
        raise self._failed(
            number,
            f"is not an item of an export{what}: {_UNCHANGED}; `ricordo export` writes such files, and "
            "`ricordo publish` takes messages",
        )

    def _add(self, number: int, place: int, item: Item) -> bool:
        """Note where an item is; return whether it is the end."""
        self.user_id = self.user_id or item["user_id"]
        if item["user_id"] != self.user_id:
            raise self._failed(number, "is of another user: import each user by itself")
        kind = item["item"]
        if kind == END:
            there, exported = sum(map(len, self.places.values())), item["items"]
            if there != exported:
                raise Failed(f"{self.title} holds {there} items, and {exported} were exported: {_UNCHANGED}")
            return True
        self.places[kind].append((number, place))
        if kind == "message":
            self.blank += not item["message"].get("content", "").strip()
        elif kind == "document" and item["data"] is not None:
            self.documents[item["message_id"]] = place
        return False

    def _failed(self, number: int, fault: str) -> Failed:
        return Failed(f"{self.title}, line {number} {fault}")


def _at(file: BinaryIO, place: int) -> Any:  # noqa: ANN401 - the JSON of an item
    file.seek(place)
    return json.loads(file.readline())
