"""Input that is read more than once: what comes from a pipe, or is compressed, is put into a file first."""

import gzip
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from ricordo_services.cli.failures import Failed
from ricordo_services.cli.lines import STANDARD_INPUT, title

_GZIP: Final = b"\x1f\x8b"


@contextmanager
def at_rest(source: str) -> Iterator[Path]:
    """Yield a file that holds what `source` does, as long as the `with` lasts, for nobody else's eyes.

    Args:
        source: a path, or - for standard input: a file, a pipe or a device, which may be compressed by gzip.

    Raises:
        Failed: there is no such file, or it cannot be read.
    """
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
    if source == STANDARD_INPUT:
        if sys.stdin is None:
            raise Failed("standard input is closed")
        shutil.copyfileobj(sys.stdin.buffer, spool)
    else:
        with Path(source).open("rb") as file:
            shutil.copyfileobj(file, spool)
    spool.flush()
    if not _is_compressed(Path(spool.name)):
        return
    with tempfile.TemporaryFile() as plain:
        with gzip.open(spool.name) as packed:
            shutil.copyfileobj(packed, plain)
        plain.seek(0)
        spool.seek(0)
        spool.truncate()
        shutil.copyfileobj(plain, spool)
        spool.flush()
