"""Files that hold memories or passwords: only their owner may read them, from the first byte on."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

_OWNER_ONLY: Final = 0o600


@contextmanager
def made(path: Path) -> Iterator[IO[bytes]]:
    """Make a file, and yield it to be written.

    Raises:
        FileExistsError: something of that name is there, be it a link.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
    with os.fdopen(descriptor, "wb") as file:
        yield file


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file to be written that takes the place of `path` in one step once it is whole and on the disk.

    Where writing it fails, what was there stays, and nothing is left of the new one.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    try:
        with made(fresh) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def write(path: Path, text: str) -> None:
    """Replace `path` by `text` in one step."""
    with replacing(path) as file:
        file.write(text.encode())
