"""Opens an export: a file, a zip or an unpacked folder, with limits on what is read from it."""

import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

MAX_JSON_BYTES: Final = 512 * 1024 * 1024
"""The largest JSON file: it is loaded as a whole, and takes several times its size."""
MAX_TEXT_BYTES: Final = 16 * 1024 * 1024 * 1024
"""The largest file that is read line by line, unpacked."""
MAX_LINE_BYTES: Final = 16 * 1024 * 1024

_ZIP: Final = b"PK"
# Besides damage: of a compression that is not known NotImplementedError, of an encrypted file RuntimeError.
_BROKEN: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, RuntimeError)
_NO_EXPORT: Final = re.compile(r"(^|/)(__MACOSX/|\.)")


class UnreadableExport(Exception):
    """A file is not an export of the service, or is broken; the message says where and what to do."""

    def without(self, place: str) -> str:
        """Return the message without the place that begins it."""
        return str(self).removeprefix(place).lstrip(" ,")


@dataclass(frozen=True, slots=True)
class ExportArchive:
    """The files of an export.

    All that reads raises `UnreadableExport` for a file that is not there, is too large, or is broken.
    """

    title: str  # what the user calls it
    names: tuple[str, ...]  # paths within the zip or folder, sorted; of a single file, its name
    is_single: bool  # whether the user named one file, neither a zip nor a folder
    _open: Callable[[str], IO[bytes]]
    _size: Callable[[str], int]

    def matching(self, pattern: str) -> list[str]:
        """Return the names in which `pattern` is found, case ignored."""
        return [name for name in self.names if re.search(pattern, name, re.IGNORECASE)]

    def required(self, pattern: str, advice: str) -> list[str]:
        """Return the names in which `pattern` is found, at least one; a single file may have any name."""
        found = list(self.names) if self.is_single else self.matching(pattern)
        if not found:
            raise UnreadableExport(f"{self.title} contains no {advice}")
        return found

    def place(self, name: str) -> str:
        """Return how a message for people names a file."""
        return self.title if self.is_single else f"{self.title}: {name}"

    def document(self, name: str) -> Any:  # noqa: ANN401 - any JSON
        """Return the content of a JSON file."""
        place = self.place(name)
        with self._reading(name, MAX_JSON_BYTES) as file:
            data = file.read()
        try:
            return json.loads(data)
        except json.JSONDecodeError as error:
            raise UnreadableExport(
                f"{place}, line {error.lineno}, character {error.colno} is no JSON ({error.msg}): the file "
                "is incomplete or of another kind; export it again, or name the right service with --from"
            ) from None
        except (ValueError, RecursionError):  # no UTF-8, or nested too deeply
            raise UnreadableExport(f"{place} is no JSON in UTF-8: export it again") from None

    def optional_document(self, pattern: str) -> Any:  # noqa: ANN401 - any JSON
        """Return the content of the first JSON file in whose name `pattern` is found; None without one."""
        found = [] if self.is_single else self.matching(pattern)
        return self.document(found[0]) if found else None

    def lines(self, name: str) -> Iterator[tuple[int, bytes]]:
        """Yield `(number, line)` of a file, numbers from 1; the file is never in memory as a whole."""
        number = 0
        with self._reading(name, MAX_TEXT_BYTES) as file:
            while line := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                if len(line) > MAX_LINE_BYTES:
                    raise UnreadableExport(
                        f"{self.place(name)}, line {number} is longer than {MAX_LINE_BYTES:,} bytes: this is "
                        "no text file of an export"
                    )
                yield number, line

    def text_lines(self, name: str) -> Iterator[tuple[int, str]]:
        """Yield `(number, line)` of a text in UTF-8; where the file is cut, the last line has no end."""
        for number, line in self.lines(name):
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise UnreadableExport(
                    f"{self.place(name)}, line {number} is not text in UTF-8: name the exported file itself"
                ) from None
            yield number, text

    @contextmanager
    def _reading(self, name: str, limit: int) -> Iterator[IO[bytes]]:
        try:
            if (size := self._size(name)) > limit:
                raise UnreadableExport(
                    f"{self.place(name)} has {size:,} bytes when unpacked, more than the limit of {limit:,}: "
                    "export a shorter period, or fewer conversations at a time"
                )
            with self._open(name) as file:
                yield file
        except _BROKEN as error:
            raise UnreadableExport(
                f"{self.place(name)} cannot be read ({error}): download or export it again"
            ) from None


@contextmanager
def open_export(path: Path, title: str) -> Iterator[ExportArchive]:
    """Open the export at `path` for the length of a `with`.

    Raises:
        UnreadableExport: it is a broken zip.
        OSError: it cannot be read.
    """
    if path.is_dir():
        files = (str(each.relative_to(path)) for each in path.rglob("*") if each.is_file())
        names = tuple(sorted(name for name in files if not _NO_EXPORT.search(name)))
        yield ExportArchive(
            title,
            names,
            is_single=False,
            _open=lambda name: (path / name).open("rb"),
            _size=lambda name: (path / name).stat().st_size,
        )
        return
    with path.open("rb") as file:
        is_zip = file.read(len(_ZIP)) == _ZIP
    if is_zip:
        try:
            packed = zipfile.ZipFile(path)
        except _BROKEN as error:
            raise UnreadableExport(f"{title} is a broken zip ({error}): download it again") from None
        with packed:
            # zipfile reads no more of a member than the size that its directory declares.
            sizes = {info.filename: info.file_size for info in packed.infolist() if not info.is_dir()}
            names = tuple(sorted(name for name in sizes if not _NO_EXPORT.search(name)))
            yield ExportArchive(title, names, is_single=False, _open=packed.open, _size=sizes.__getitem__)
    else:
        yield ExportArchive(
            title,
            (title,),
            is_single=True,
            _open=lambda _: path.open("rb"),
            _size=lambda _: path.stat().st_size,
        )
