"""The folder of a shard: one owner, damage and replacement of its files, and free space on its volume.

Loading a shard changes it: the engine replays and removes journals before it notices that another process has
the shard open, which then cannot flush any more ("tracker_journal.dat is shorter than expected", seen with
version 0.9). So a lock of our own is taken before the engine touches anything.
"""

import errno
import fcntl
import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ricordo.index.port import IndexUnavailable

_OS_ERROR: Final = re.compile(r"os error (\d+)")
_FILE_ERRORS: Final = frozenset({errno.ENOENT, errno.EINVAL})
_ID_TRACKER: Final = ("mutable_id_tracker.mappings", "mutable_id_tracker.versions")
_MB: Final = 1_000_000


class ShardFolder:
    """The folder `path` of a shard, with a lock file, a marker and a place for a damaged shard next to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = path.with_name(f"{path.name}.lock")
        self._marker = path.with_name(f"{path.name}.rebuild")
        self._aside = path.with_name(f"{path.name}.damaged")
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock, until `release` or the end of the process; repeating has no effect.

        Raises:
            IndexUnavailable: another process has it.
            OSError: the lock file cannot be created.
        """
        if self._descriptor is not None:
            return
        descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise IndexUnavailable(f"another process has the vector index in {self.path} open") from None
        self._descriptor = descriptor

    def release(self) -> None:
        """Release the lock; repeating has no effect."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def damage(self) -> str:
        """Return which files are damaged; empty if none is.

        The engine would load such a shard without an error, and without the points: a segment has the ids of
        its points in two files, which are empty only together.
        """
        for segment in self.path.glob("segments/*"):
            files = {name: segment / name for name in _ID_TRACKER}
            empty = [name for name, file in files.items() if not file.exists() or not file.stat().st_size]
            if len(empty) == 1 and self._was_flushed():
                return f"{segment.name}/{empty[0]} is empty"
        return ""

    def _was_flushed(self) -> bool:
        """Return whether the log was truncated: before that it has all points, whatever the files contain."""
        try:
            return bool(json.loads((self.path / "wal" / "first-index").read_bytes())["ack_index"])
        except (OSError, ValueError, KeyError, TypeError):
            return False  # a new shard, or one that the engine rejects itself

    @property
    def awaits_rebuild(self) -> bool:
        """Whether the shard has replaced a damaged one, and its points are not written again yet."""
        return self._marker.exists()

    def set_aside(self) -> None:
        """Move the shard away, and mark that its points are to be written again.

        Raises:
            OSError: it cannot be moved.
        """
        self._marker.touch()  # first: a crash in between causes an extra rebuild, not a missing one
        shutil.rmtree(self._aside, ignore_errors=True)
        self.path.rename(self._aside)

    def rebuilt(self) -> None:
        """Record that the points are written again; delete the damaged shard, as erasures miss it."""
        shutil.rmtree(self._aside, ignore_errors=True)
        self._marker.unlink(missing_ok=True)


def is_engine_error(error: BaseException) -> bool:
    """Return whether the engine raised it: an exception, or a panic, which is not an `Exception`."""
    return isinstance(error, Exception) or type(error).__module__ == "pyo3_runtime"


def tells_damage(error: BaseException) -> bool:
    """Return whether an error of the engine is about its files, and not about space or permissions."""
    numbers = {int(item) for item in _OS_ERROR.findall(str(error))}
    return not isinstance(error, OSError | IndexUnavailable) and numbers <= _FILE_ERRORS


@dataclass(frozen=True, slots=True)
class FreeSpace:
    """Free space on the volume of `folder`, checked before the engine writes.

    The engine writes into memory-mapped files that are allocated as they are filled. On a full volume the
    kernel answers with SIGBUS, which ends the process (seen with version 0.9, on tmpfs and ext4, while
    writing, flushing and loading). So nothing is written with little free space, not even a flush; reading
    goes on.

    Attributes:
        folder: of the engine's files; it must exist.
        least_mb: free megabytes required to begin new work; work in progress is finished down to half of
            that.
    """

    folder: Path
    least_mb: int

    def require(self, *, to_finish: bool = False) -> None:
        """Return if there is space to begin new work, or to finish work in progress.

        Raises:
            IndexUnavailable: there is not.
            OSError: the folder does not exist.
        """
        free_mb = shutil.disk_usage(self.folder).free / _MB
        if free_mb < self.least_mb / (1 + to_finish):
            raise IndexUnavailable(
                f"low disk space: {free_mb:.0f} MB are free on the volume of {self.folder}, and the index "
                f"requires {self.least_mb}; it resumes by itself when space is freed"
            )
