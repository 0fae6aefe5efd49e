"""The folder of a shard: one owner, a look at its files before they are opened, and its replacement.

Loading a shard changes it: the engine replays and removes the journals of its stores before it finds out
that another process has the shard open. That process cannot flush from then on ("tracker_journal.dat is
shorter than expected", seen with version 0.9). So a lock of our own is taken before the engine touches
anything.
"""

import errno
import fcntl
import json
import os
import re
import shutil
from pathlib import Path
from typing import Final

from ricordo.index.port import IndexUnavailable

_OF_THE_SYSTEM: Final = re.compile(r"os error (\d+)")
_OF_FILES: Final = frozenset({errno.ENOENT, errno.EINVAL})
_ID_TRACKER: Final = ("mutable_id_tracker.mappings", "mutable_id_tracker.versions")


class ShardFolder:
    """The folder `path`, and what stands beside it under the same name.

    Attributes:
        path: of the shard.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = path.with_name(f"{path.name}.lock")
        self._marker = path.with_name(f"{path.name}.rebuild")
        self._aside = path.with_name(f"{path.name}.damaged")
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock, which is held until `release` or the end of the process; twice does nothing.

        Raises:
            IndexUnavailable: somebody else has it.
            OSError: the lock file cannot be made.
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
        """Give the lock back; twice does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def damage(self) -> str:
        """Return which files cannot be those of a whole shard; empty where none is seen.

        That is what the engine would load without a word, and without the points: a segment keeps the ids of
        its points in two files, of which one is empty only together with the other.
        """
        for segment in self.path.glob("segments/*"):
            sizes = {name: _size(segment / name) for name in _ID_TRACKER}
            empty = [name for name, size in sizes.items() if not size]
            if len(empty) == 1 and self._was_flushed():
                return f"{segment.name}/{empty[0]} is empty"
        return ""

    def _was_flushed(self) -> bool:
        """Whether the log has let go of anything: before that it holds all points, whatever the files say."""
        try:
            return bool(json.loads((self.path / "wal" / "first-index").read_bytes())["ack_index"])
        except (OSError, ValueError, KeyError, TypeError):
            return False  # a new shard, or one that the engine refuses by itself

    @property
    def awaits_rebuild(self) -> bool:
        """Whether the shard has replaced a damaged one, and its points have not been written anew."""
        return self._marker.exists()

    def set_aside(self) -> None:
        """Move the shard out of the way, and leave word that its points are to be written anew.

        Raises:
            OSError: it cannot be moved.
        """
        self._marker.touch()  # first: a crash in between leads to one rebuild too many, not to one too few
        shutil.rmtree(self._aside, ignore_errors=True)
        self.path.rename(self._aside)

    def rebuilt(self) -> None:
        """Note that the points are written anew, and delete the damaged shard: erasures do not reach it."""
        shutil.rmtree(self._aside, ignore_errors=True)
        self._marker.unlink(missing_ok=True)


def is_engine_error(error: BaseException) -> bool:
    """Whether the engine raised it: an exception, or one of its panics, which are no `Exception`."""
    return isinstance(error, Exception) or type(error).__module__ == "pyo3_runtime"


def tells_damage(error: BaseException) -> bool:
    """Whether an error of the engine tells of its files, and not of the machine: no room, no permission."""
    numbers = {int(one) for one in _OF_THE_SYSTEM.findall(str(error))}
    return not isinstance(error, OSError | IndexUnavailable) and numbers <= _OF_FILES


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0
