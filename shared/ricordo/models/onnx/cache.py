"""Models built once and kept in the user's cache folder.

A file carries the checksum of its content in its name, so that one file, moved into place in one step, is
either whole or recognised as broken: there is no second file that could disagree with it.
"""

import os
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

_BLOCK = 1 << 20


def default_cache_folder() -> Path:
    """Return `$XDG_CACHE_HOME/ricordo`, or `~/.cache/ricordo` where that variable is unset or relative."""
    configured = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (configured if configured.is_absolute() else Path.home() / ".cache") / "ricordo"


def cached_model(folder: Path, name: str, build: Callable[[], bytes]) -> Path:
    """Return the file of the model `name`, building it where there is none that is whole.

    Args:
        folder: where built models lie; made when missing.
        name: names the content: what it was built from, and the version of the builder.
        build: returns the bytes of the model file.

    Raises:
        OSError: the folder cannot be written.
    """
    for file in sorted(folder.glob(f"{name}-????????.onnx")):
        if _is_whole(file):
            return file
        file.unlink(missing_ok=True)
    return _write(folder, name, build())


def _is_whole(file: Path) -> bool:
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
    target = folder / f"{name}-{zlib.crc32(content):08x}.onnx"
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
