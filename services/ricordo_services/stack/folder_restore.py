"""Replaces a data folder by a restored one, atomically.

It is made in a folder inside, and renamed when it is complete: from then on it counts. Whoever takes the data
folder next, a `ricordo up` after a crash too, moves its parts into their places before anything else.
"""

import os
import shutil
from pathlib import Path
from typing import Final

RESTORING: Final = "restoring"
"""The folder of a restore that is not complete; it is removed at the next start."""
RESTORED: Final = "restored"
"""The folder of a complete restore that is not moved into place yet."""
BACKED_UP: Final = (
    "nats",
    "postgres",
    "graph",
    "qdrant",
    "objects",
    "format.json",
    "ports.json",
    "secrets.json",
)
"""The parts of a data folder that a backup holds."""


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
