"""Keeps files that are built once on a machine, in the user's cache folder."""

import os
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ricordo.machine import default_cache_folder

_BLOCK: Final = 1 << 20


def cached_file(name: str, build: Callable[[], bytes]) -> Path:
    """Return the file `name` in the cache folder, built if there is no intact one.

    A file has the checksum of its content in its name and is moved into place atomically, so that it is
    intact or recognised as broken.

    Args:
        name: of the content: its source and the version of the builder.

    Raises:
        OSError: the folder cannot be written.
    """
    folder = default_cache_folder()
    for file in sorted(folder.glob(f"{name}-????????.bin")):
        if _is_intact(file):
            return file
        file.unlink(missing_ok=True)
    return _write(folder, name, build())


def _is_intact(file: Path) -> bool:
    checksum = 0
    try:
        with file.open("rb") as stream:
            while block := stream.read(_BLOCK):
                checksum = zlib.crc32(block, checksum)
    except OSError:
        return False
    return file.stem.endswith(f"-{checksum:08x}")


def _write(folder: Path, name: str, content: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}-{zlib.crc32(content):08x}.bin"
    with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{name}-", delete=False) as stream:
        try:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
            # Published weights are no secret, and an image may be built by one user and run by another.
            os.fchmod(stream.fileno(), 0o644)
            Path(stream.name).replace(target)
        except BaseException:
            Path(stream.name).unlink(missing_ok=True)
            raise
    return target
