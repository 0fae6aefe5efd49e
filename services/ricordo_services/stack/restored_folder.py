"""A restored data folder takes the place of the one that is there: all of it or nothing.

It is made in a folder inside, and renamed when it is complete: from then on it counts. Whoever takes the data
folder next, a `ricordo up` after a crash too, moves its parts into their places before anything else.
"""

import os
import shutil
from pathlib import Path
from typing import Final

RESTORING: Final = "restoring"
"""A restored folder that is not complete; what is left of one is removed."""
RESTORED: Final = "restored"
"""One that is complete, and not in its place yet."""
CARRIED: Final = (
    "nats",
    "postgres",
    "graph",
    "qdrant",
    "objects",
    "format.json",
    "ports.json",
    "secrets.json",
)
"""What a data folder consists of; the rest only makes sense where and while it is used."""


def activate(folder: Path) -> None:
    """Let the complete `RESTORING` of a data folder count from now on, and move it into place."""
    os.sync()  # of thousands of files, one by one would take minutes
    (folder / RESTORING).rename(folder / RESTORED)
    sync(folder)
    finish_restore(folder)


def finish_restore(folder: Path) -> None:
    """Move what a restore has left into place, and remove what one has not completed; safe to repeat."""
    remove(folder / RESTORING)
    restored = folder / RESTORED
    if not restored.is_dir():
        return
    for name in CARRIED:
        if (restored / name).exists():  # else it is in its place already
            remove(folder / name)
            (restored / name).rename(folder / name)
    sync(folder)
    remove(restored)


def sync(path: Path) -> None:
    """Have a file, or the names in a folder, survive a power failure."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove(path: Path) -> None:
    """Remove a file or a folder with all in it, where it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
