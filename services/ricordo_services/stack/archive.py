"""Backups of a data folder: compressed archives that begin with a manifest with checksums.

They contain memories and passwords: only their owner may read them.
"""

import gzip
import hashlib
import io
import stat
import tarfile
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ricordo_services import private_files as private
from ricordo_services.stack.folder import BACKED_UP, DATA_FORMAT, sync
from ricordo_services.stack.postgres import MAJOR_VERSION
from ricordo_services.stack.servers import BackupRefused

ARCHIVE_FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
_MANIFEST_BYTES: Final = 256 * 1024 * 1024
_CHUNK_BYTES: Final = 1024 * 1024
_LEVEL: Final = 3  # a third of the time of the default, for a few percent of size
_DAMAGE: Final = (tarfile.TarError, EOFError, ValueError, zlib.error, gzip.BadGzipFile)


class StoredFile(BaseModel):
    """Size in bytes and hexadecimal SHA-256 of a file of a backup."""

    model_config = ConfigDict(frozen=True)

    size: Annotated[int, Field(ge=0)]
    sha256: str


class Manifest(BaseModel):
    """Contents of a backup."""

    model_config = ConfigDict(frozen=True)

    ricordo: str  # the release that made it
    format: int = ARCHIVE_FORMAT  # of the archive
    data_format: int = DATA_FORMAT  # of the data folder
    schema_version: int  # of the database; 0 without a schema
    postgres: str = MAJOR_VERSION  # major version of the database files
    made_at: str  # RFC 3339
    folders: Sequence[str] = ()  # paths with `/`, parents first
    files: Mapping[str, StoredFile] = Field(default_factory=dict)  # by path

    @property
    def size(self) -> int:
        """Total size of the files, in bytes."""
        return sum(file.size for file in self.files.values())

    @model_validator(mode="after")
    def _stays_inside(self) -> Self:
        folders: set[str] = set()
        for name in self.folders:
            _refuse_outside(name, folders)
            folders.add(name)
        for name in self.files:
            _refuse_outside(name, folders)
        return self


def _refuse_outside(name: str, folders: Collection[str]) -> None:
    """Raise `ValueError` unless a name is new, normalised, inside a data folder, and in one of `folders`."""
    path = PurePosixPath(name)
    odd = str(path) != name or "\0" in name or ".." in path.parts
    if odd or path.parts[:1] not in {(one,) for one in BACKED_UP}:
        raise ValueError(f"{name!r} is no path inside a data folder")
    if name in folders or (len(path.parts) > 1 and path.parent.as_posix() not in folders):
        raise ValueError(f"{name!r} is there twice, or in no folder")


def write_backup(folder: Path, target: Path, manifest: Manifest) -> Manifest:
    """Write a backup of a data folder that is locked and not in use, atomically, with mode 0600.

    Returns:
        The manifest, with the folders and files.

    Raises:
        BackupRefused: the folder contains something else than files and folders.
        OSError: something cannot be read or written; there is no backup.
    """
    folders, files = _listed(folder)
    known = {}
    for name, path in files.items():
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        known[name] = StoredFile(size=path.stat().st_size, sha256=digest)
    manifest = manifest.model_copy(update={"folders": folders, "files": known})
    text = manifest.model_dump_json().encode()
    with (
        private.replacing(target) as raw,
        gzip.GzipFile("", "wb", _LEVEL, raw) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as archive,
    ):
        archive.addfile(_entry(MANIFEST, len(text)), io.BytesIO(text))
        for name, path in files.items():
            with path.open("rb") as file:
                archive.addfile(_entry(name, known[name].size), file)
    sync(target.parent)
    return manifest


@contextmanager
def open_backup(source: Path) -> Iterator["Backup"]:
    """Open a backup for the length of a `with`, and read its manifest.

    Raises:
        BackupRefused: it is none, is damaged, or a newer version made it.
        OSError: it cannot be read.
    """
    # `tarfile` raises all kinds of errors if it decompresses a damaged stream itself.
    with source.open("rb") as raw, gzip.GzipFile("", "rb", fileobj=raw) as packed:
        with _reading(source):
            archive = tarfile.open(fileobj=packed, mode="r|")  # noqa: SIM115 - closed below
        with archive:
            yield Backup(source, archive)


class Backup:
    """A backup, read as a stream; see `open_backup`."""

    def __init__(self, source: Path, archive: tarfile.TarFile) -> None:
        self._source = source
        self._archive = archive
        self.manifest = self._read_manifest()

    def check_version(self, oldest_schema: int, newest_schema: int) -> None:
        """Refuse a backup that this release cannot restore.

        Args:
            oldest_schema: the oldest schema version that can be upgraded here.
            newest_schema: the schema version of this release.

        Raises:
            BackupRefused: a newer version made it, or one that is too old, or its database belongs to another
                server.
        """
        made = self.manifest
        if made.data_format > DATA_FORMAT or made.schema_version > newest_schema:
            raise BackupRefused(
                f"{self._source} was made by a newer Ricordo ({made.ricordo}, schema version "
                f"{made.schema_version}; this one knows up to {newest_schema}): upgrade with  "
                "pip install '.[local]'  in a newer checkout, and restore then"
            )
        if 0 < made.schema_version < oldest_schema:  # 0: its database has no schema yet
            raise BackupRefused(
                f"{self._source} has schema version {made.schema_version}, and this Ricordo upgrades from "
                f"{oldest_schema} on: restore it with Ricordo 0.1.0 as of 24 November 2026, run its "
                "`ricordo up` once, and upgrade to this version then"
            )
        if made.postgres != MAJOR_VERSION:
            raise BackupRefused(
                f"{self._source} holds a database of PostgreSQL {made.postgres} and this Ricordo brings "
                f"{MAJOR_VERSION}: restore it with Ricordo {made.ricordo}"
            )

    def unpack(self, target: Path) -> None:
        """Extract everything into an empty folder, and verify the checksums.

        Raises:
            BackupRefused: it is damaged.
            OSError: something cannot be written.
        """
        for name in self.manifest.folders:
            (target / name).mkdir(mode=0o700)
        missing = dict(self.manifest.files)
        with _reading(self._source):
            while (member := self._archive.next()) is not None:
                expected = missing.pop(member.name, None)
                if expected is None or not member.isreg() or member.size != expected.size:
                    raise BackupRefused(_damaged(self._source, f"{member.name!r} does not belong to it"))
                self._write(member, expected, target / member.name)
        if missing:
            raise BackupRefused(_damaged(self._source, f"{next(iter(missing))!r} is missing"))

    def _write(self, member: tarfile.TarInfo, expected: StoredFile, path: Path) -> None:
        content = self._archive.extractfile(member)
        digest = hashlib.sha256()
        with private.made(path) as file:
            while content is not None and (chunk := content.read(_CHUNK_BYTES)):
                digest.update(chunk)
                file.write(chunk)
        if digest.hexdigest() != expected.sha256:
            raise BackupRefused(_damaged(self._source, f"{member.name!r} differs from its checksum"))

    def _read_manifest(self) -> Manifest:
        """Read the first entry; of a newer format, only its release is used."""
        with _reading(self._source):
            first = self._archive.next()
            if first is None or first.name != MANIFEST or not first.isreg() or first.size > _MANIFEST_BYTES:
                raise BackupRefused(f"{self._source} is not a backup of Ricordo; nothing was changed")
            content = self._archive.extractfile(first)
            text = b"" if content is None else content.read()
        try:
            manifest = Manifest.model_validate_json(text)
        except ValueError as error:
            reason = str(error).splitlines()[0]
            raise BackupRefused(_damaged(self._source, f"{MANIFEST} cannot be read: {reason}")) from error
        if manifest.format > ARCHIVE_FORMAT:
            raise BackupRefused(
                f"{self._source} was made by a newer Ricordo ({manifest.ricordo}): upgrade with  "
                "pip install '.[local]'  in a newer checkout, and restore then"
            )
        return manifest


def _listed(folder: Path) -> tuple[list[str], dict[str, Path]]:
    """Return the folders and files of a data folder that belong to a backup."""
    folders: list[str] = []
    files: dict[str, Path] = {}
    left = [folder / name for name in reversed(BACKED_UP) if (folder / name).exists()]
    while left:
        path = left.pop()
        name = path.relative_to(folder).as_posix()
        mode = path.stat(follow_symlinks=path.parent == folder).st_mode  # a top-level folder may be a link
        if stat.S_ISDIR(mode):
            folders.append(name)
            left.extend(sorted(path.iterdir(), reverse=True))
        elif stat.S_ISREG(mode):
            files[name] = path
        else:
            raise BackupRefused(f"{path} is neither a file nor a folder: a backup cannot contain it")
    return folders, files


@contextmanager
def _reading(source: Path) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        raise BackupRefused(_damaged(source, str(error) or type(error).__name__)) from error


def _entry(name: str, size: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o600
    return entry


def _damaged(source: Path, reason: str) -> str:
    return f"{source} is damaged or not a backup ({reason}): take another one; nothing was changed"
