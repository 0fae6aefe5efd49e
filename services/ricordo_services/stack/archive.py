"""Backups of a data folder: gzip-compressed tar archives whose first entry is a manifest.

They contain memories and passwords: only their owner may read them.
"""

import gzip
import io
import stat
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt

from ricordo_services import private_files as private
from ricordo_services.stack.folder import BACKED_UP, DATA_FORMAT, sync
from ricordo_services.stack.postgres import MAJOR_VERSION
from ricordo_services.stack.servers import BackupRefused

ARCHIVE_FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
_LEVEL: Final = 3  # a third of the time of the default, for a few percent of size


class Manifest(BaseModel):
    """What a backup is. Earlier ones listed their folders here, which were no entries, and had no size."""

    model_config = ConfigDict(frozen=True)

    ricordo: str  # the release that made it
    format: int = ARCHIVE_FORMAT  # of the archive
    data_format: int = DATA_FORMAT  # of the data folder
    schema_version: int  # of the database; 0 without a schema
    postgres: str = MAJOR_VERSION  # major version of the database files
    made_at: str  # RFC 3339
    folders: Sequence[str] = Field((), exclude=True)  # paths with `/`, parents first
    size: NonNegativeInt = 0  # of all files, in bytes


def write_backup(folder: Path, target: Path, manifest: Manifest) -> None:
    """Write a backup of a data folder that is locked and not in use, atomically, with mode 0600.

    Raises:
        BackupRefused: the folder contains something else than files and folders.
        OSError: something cannot be read or written; there is no backup.
    """
    parts = [folder / name for name in BACKED_UP if (folder / name).exists()]
    size = 0
    for path in (each for part in parts for each in (part, *part.rglob("*"))):
        found = path.stat(follow_symlinks=path.parent == folder)  # a top-level folder may be a link
        if stat.S_ISREG(found.st_mode):
            size += found.st_size
        elif not stat.S_ISDIR(found.st_mode):
            raise BackupRefused(f"{path} is neither a file nor a folder: a backup cannot contain it")
    text = manifest.model_copy(update={"size": size}).model_dump_json().encode()
    first = tarfile.TarInfo(MANIFEST)
    first.size = len(text)
    with (
        private.replacing(target) as raw,
        # Hard links, and a top-level folder that is a link, are stored as what they lead to.
        tarfile.open(fileobj=raw, mode="w:gz", compresslevel=_LEVEL, dereference=True) as archive,
    ):
        archive.addfile(first, io.BytesIO(text))
        for part in parts:
            archive.add(part, part.name, filter=_checked)
    sync(target.parent)


def verify_backup(source: Path, oldest_schema: int, newest_schema: int) -> Manifest:
    """Read a backup to its end, and return its manifest if it can be upgraded to the newest schema version.

    Raises:
        BackupRefused: it is no backup, is damaged, a newer version made it, or one that is too old, or its
            database belongs to another server.
        OSError: it cannot be read.
    """
    with _opened(source) as (made, _):
        pass
    schema = f", schema version {made.schema_version}; this one knows up to {newest_schema}"
    known = "" if made.format > ARCHIVE_FORMAT else schema
    if made.format > ARCHIVE_FORMAT or made.data_format > DATA_FORMAT or made.schema_version > newest_schema:
        raise BackupRefused(
            f"{source} was made by a newer Ricordo ({made.ricordo}{known}): upgrade with  "
            "pip install '.[local]'  in a newer checkout, and restore then"
        )
    if 0 < made.schema_version < oldest_schema:  # 0: its database has no schema yet
        raise BackupRefused(
            f"{source} has schema version {made.schema_version}, and this Ricordo upgrades from "
            f"{oldest_schema} on: restore it with Ricordo 0.1.0 as of 24 November 2026, run its "
            "`ricordo up` once, and upgrade to this version then"
        )
    if made.postgres != MAJOR_VERSION:
        raise BackupRefused(
            f"{source} holds a database of PostgreSQL {made.postgres} and this Ricordo brings "
            f"{MAJOR_VERSION}: restore it with Ricordo {made.ricordo}"
        )
    return made


def unpack(source: Path, target: Path) -> None:
    """Extract a backup into an empty folder.

    Raises:
        BackupRefused: it is damaged, or contains something that does not belong to a data folder.
        OSError: something cannot be read or written.
    """
    with _opened(source) as (made, archive):
        # The filter leaves modes of folders to the umask, and PostgreSQL needs private ones. An attribute, as
        # the Python 3.11.2 of Debian 12 has no argument `filter`: there, `_checked` is all that guards.
        archive.extraction_filter = lambda one, path: tarfile.data_filter(one, path).replace(mode=one.mode)
        for name in made.folders:
            folder = tarfile.TarInfo(name)
            folder.type = tarfile.DIRTYPE
            archive.extract(_checked(folder), target)
        archive.extractall(target, map(_checked, iter(archive.next, None)))  # noqa: S202 - they are checked


@contextmanager
def _opened(source: Path) -> Iterator[tuple[Manifest, tarfile.TarFile]]:
    try:
        # Not the mode `r|gz`, which ignores the CRC-32, nor `r:gz`, which seeks back and decompresses again.
        with gzip.open(source) as packed, tarfile.open(fileobj=packed, mode="r|") as archive:
            first = archive.next()
            content = archive.extractfile(first) if first is not None and first.name == MANIFEST else None
            if content is None:
                raise BackupRefused(f"{source} is not a backup of Ricordo; nothing was changed")
            yield Manifest.model_validate_json(content.read()), archive
            packed.seek(0, io.SEEK_END)  # reads what is left, and compares the CRC-32
    except (tarfile.TarError, EOFError, ValueError, zlib.error, gzip.BadGzipFile) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise BackupRefused(
            f"{source} is damaged or not a backup ({reason}): take another one; nothing was changed"
        ) from error


def _checked(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Refuse what is no file or folder of a data folder; let the others be of nobody, and private."""
    parts = PurePosixPath(entry.name).parts
    inside = parts[:1] in {(name,) for name in BACKED_UP} and ".." not in parts
    if not inside or not (entry.isreg() or entry.isdir()):
        raise tarfile.TarError(f"{entry.name!r} does not belong to it")
    entry.mode = 0o700 if entry.isdir() else 0o600
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = int(entry.mtime)  # a fraction would take another header
    return entry
