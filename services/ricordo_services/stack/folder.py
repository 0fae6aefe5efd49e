"""The data folder of a local stack: who may use it, which format it has, its secrets.

The lock is one open file that every process of the stack inherits, guards and servers included. It
is free exactly when the last of them is gone, which is what the next stack has to know: after a
``kill -9`` of everything but one server, the folder is still in use.

A restored folder replaces it atomically: it is made in a folder inside, and renamed when it is complete. From
then on it counts: whoever takes the data folder next, a `ricordo up` after a crash too, moves its parts into
their places before anything else.
"""

import asyncio
import base64
import contextlib
import fcntl
import hmac
import json
import os
import secrets
import shutil
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Final, Self

from ricordo_services import private_files as private
from ricordo_services.stack.child_process import (
    POLL_SECONDS,
    ChildPaths,
    kill_recorded,
    living,
    own_record,
    read_record,
    until_gone,
)
from ricordo_services.stack.endpoints import STACK_FILE
from ricordo_services.stack.servers import FolderRefused

RESTORING: Final = "restoring"
"""The folder of a restore that is not complete; it is removed at the next start."""
RESTORED: Final = "restored"
"""The folder of a complete restore that is not moved into place yet."""
DATA_FOLDERS: Final = ("nats", "postgres", "graph", "qdrant", "objects")
BACKED_UP: Final = (*DATA_FOLDERS, "format.json", "ports.json", "secrets.json")
"""The parts of a data folder that a backup holds."""
DATA_FORMAT = 1
FOLDERS = (*DATA_FOLDERS, "log", "run")
FILES = ("format.json", "lock", "owner.json", "ports.json", "secrets.json", STACK_FILE)
KNOWN = frozenset({*FOLDERS, *FILES, RESTORING, RESTORED})
MINIMUM_FREE_BYTES = 256 * 1024 * 1024
LEFTOVER_SECONDS = 8.0
KILLED_SECONDS = 4.0
DYING_SECONDS = 0.75  # a process that was killed a moment ago still shows


def activate(folder: Path) -> None:
    """Commit the complete `RESTORING` of a data folder, and move it into place."""
    os.sync()  # of thousands of files, one by one would take minutes
    (folder / RESTORING).rename(folder / RESTORED)
    sync(folder)
    finish_restore(folder)


def finish_restore(folder: Path) -> None:
    """Move a committed restore into place, and remove an incomplete one; idempotent."""
    remove(folder / RESTORING)
    restored = folder / RESTORED
    if not restored.is_dir():
        return
    for name in BACKED_UP:
        if (restored / name).exists():  # else it is in its place already
            remove(folder / name)
            (restored / name).rename(folder / name)
    sync(folder)
    remove(restored)


def sync(path: Path) -> None:
    """Call fsync on a file or a folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove(path: Path) -> None:
    """Remove a file or a folder with its contents, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Secrets:
    """The passwords of one data folder, drawn once: 192 random bits each, safe inside a URL."""

    nats: str
    postgres_owner: str
    postgres_worker: str
    bolt: str

    @property
    def http_key(self) -> str:
        """The key of the local gateway, the same at every start; it follows from a password."""
        digest = hmac.digest(self.nats.encode(), b"key of the local gateway", "sha256")
        return f"ricordo_local_{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"


class DataFolder:
    """A data folder that this process holds; made by ``DataFolder.hold``.

    Attributes:
        lock_fd: descriptor of the lock, to be inherited by every process of the stack.
    """

    def __init__(self, path: Path, lock_fd: int) -> None:
        self.path = path
        self.lock_fd = lock_fd

    @classmethod
    async def hold(cls, path: Path) -> Self:
        """Take the folder for this process, making it if need be, and ready it for the servers.

        What a killed stack left running is given some seconds to end, then ended.

        Raises:
            FolderRefused: a living stack has it, a newer release wrote it, it cannot be written, is full, or
                holds something else.
        """
        path = path.expanduser().absolute()  # noqa: ASYNC240 - no disk is asked
        try:
            _make(path)
            folder = cls(path, os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            try:
                await folder._lock()
                await folder._end_leftovers()
                folder._open()
            except BaseException:
                folder.release()
                raise
        except OSError as error:
            raise unusable(path, error) from error
        return folder

    def release(self) -> None:
        """Let go of the folder; another process may take it once the servers are gone too."""
        with contextlib.suppress(OSError):
            os.close(self.lock_fd)

    def forget_run(self) -> None:
        """Remove what only makes sense while the stack runs."""
        for name in (STACK_FILE, "owner.json"):
            (self.path / name).unlink(missing_ok=True)

    def files_of(self, server: str) -> ChildPaths:
        """Return where the guard of ``server`` records its process ids, and what it inherits."""
        record, log = self.path / "run" / f"{server}.json", self.path / "log" / f"{server}.log"
        return ChildPaths(record=record, log=log, lock_fd=self.lock_fd)

    def secrets(self) -> Secrets:
        """Return the folder's passwords, drawing them the first time.

        Raises:
            FolderRefused: they are lost while the data they open is still there.
        """
        path = self.path / "secrets.json"
        try:
            return Secrets(**json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            if (self.path / "postgres" / "cluster").exists():
                raise FolderRefused(f"{path} is missing: restore it, its passwords open the data") from None
        except (ValueError, TypeError) as error:
            raise FolderRefused(f"{path} cannot be read ({error}): restore it from a copy") from error
        drawn = Secrets(**{password.name: secrets.token_urlsafe(24) for password in fields(Secrets)})
        private.write(path, json.dumps(asdict(drawn)))
        return drawn

    async def _lock(self) -> None:
        """Take the lock, giving the processes of a killed stack time to end before they are killed."""
        began = time.monotonic()
        while True:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(self.lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            waited = time.monotonic() - began
            owner = living(read_record(self.path / "owner.json"))
            if waited >= (DYING_SECONDS if owner else LEFTOVER_SECONDS + KILLED_SECONDS):
                raise _already_running(self.path, owner)
            if waited >= LEFTOVER_SECONDS:
                for record in self._records():
                    kill_recorded(record)
            await asyncio.sleep(POLL_SECONDS)
        private.write(self.path / "owner.json", own_record())

    async def _end_leftovers(self) -> None:
        """End recorded processes that are alive without the lock (a file system that lost it)."""
        for record in self._records():
            if not await until_gone(record, KILLED_SECONDS):
                raise _already_running(self.path, None)

    def _records(self) -> list[Path]:
        return sorted((self.path / "run").glob("*.json"))

    def _open(self) -> None:
        (self.path / STACK_FILE).unlink(missing_ok=True)
        finish_restore(self.path)
        self._check_format()
        free = shutil.disk_usage(self.path).free
        if free < MINIMUM_FREE_BYTES:
            raise FolderRefused(
                f"{self.path} has {free // 1_000_000} MB free and the servers need "
                f"{MINIMUM_FREE_BYTES // 1_000_000}: free some space or choose another folder with --data-dir"
            )
        for name in FOLDERS:
            (self.path / name).mkdir(mode=0o700, exist_ok=True)

    def _check_format(self) -> None:
        path = self.path / "format.json"
        try:
            written = json.loads(path.read_text(encoding="utf-8"))
            found = int(written["format"])
        except FileNotFoundError:
            private.write(path, json.dumps({"format": DATA_FORMAT}))
            return
        except (ValueError, TypeError, KeyError) as error:
            raise FolderRefused(f"{path} cannot be read ({error!r}): restore it from a copy") from error
        if found > DATA_FORMAT:
            raise FolderRefused(
                f"{self.path} was written by a newer Ricordo (data format {found}, this one knows up to "
                f"{DATA_FORMAT}): upgrade with  pip install '.[local]'  in a newer checkout, or name another "
                "with --data-dir"
            )


def _already_running(path: Path, pid: int | None) -> FolderRefused:
    who, stop = (f" (process {pid})", f"kill {pid}") if pid else ("", "Ctrl-C in its terminal")
    return FolderRefused(
        f"Ricordo is already running on {path}{who}: stop it with {stop}, "
        "or name another folder with --data-dir"
    )


def _make(path: Path) -> None:
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if (path / "format.json").exists():
        return
    strangers = sorted(entry.name for entry in path.iterdir() if entry.name not in KNOWN)
    if strangers:
        raise FolderRefused(
            f"{path} is not a Ricordo data folder and is not empty (it holds {', '.join(strangers[:3])}): "
            "choose an empty or a new one with --data-dir"
        )


def unusable(path: Path, error: OSError) -> FolderRefused:
    """Tell somebody whose folder met ``error`` what to do."""
    reason = error.strerror or str(error)
    return FolderRefused(
        f"the data folder {path} cannot be used ({reason}): choose another one with --data-dir"
    )
