"""Room for the engine in process: the want of it is found out before the engine is.

The engine writes into files that are mapped into memory, and that take their room as they are filled. On a
full volume the kernel answers such a write with SIGBUS, which ends the whole process: no error can be caught
(seen with version 0.9, on tmpfs and ext4, while writing, flushing and loading). So nothing is written while
there is little room, not even a flush: what was acknowledged stands in the engine's log. Reading goes on.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

from ricordo.index.port import IndexUnavailable

_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Room:
    """The room on the volume of `folder`.

    Attributes:
        folder: of the engine's files; it must be there.
        least_mb: megabytes that have to be free for more to be taken on. What was taken on already is
            finished down to half of that.
    """

    folder: Path
    least_mb: int

    def require(self) -> None:
        """Return if there is room to take on more.

        Raises:
            IndexUnavailable: there is not.
            OSError: the folder is not there.
        """
        self._require(self.least_mb)

    def require_to_finish(self) -> None:
        """Return if there is room to finish what was taken on; the same errors as of `require`."""
        self._require(self.least_mb / 2)

    def _require(self, least_mb: float) -> None:
        free_mb = shutil.disk_usage(self.folder).free / _MB
        if free_mb < least_mb:
            raise IndexUnavailable(
                f"want of space: {free_mb:.0f} MB are free on the volume of {self.folder}, and the index "
                f"writes only while {self.least_mb} are; free some, and it goes on by itself"
            )
