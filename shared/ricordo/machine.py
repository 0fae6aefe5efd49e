"""The machine that a process runs on: its cores, and the user's folder for files that are built once."""

import os
import sys
from pathlib import Path


def usable_cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def default_cache_folder() -> Path:
    """Return `$XDG_CACHE_HOME/ricordo`, or `~/.cache/ricordo` if that variable is unset or relative."""
    configured = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (configured if configured.is_absolute() else Path.home() / ".cache") / "ricordo"
