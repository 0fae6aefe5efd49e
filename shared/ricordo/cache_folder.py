"""The user's folder for files that are built once on a machine."""

import os
from pathlib import Path


def default_cache_folder() -> Path:
    """Return `$XDG_CACHE_HOME/ricordo`, or `~/.cache/ricordo` if that variable is unset or relative."""
    configured = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (configured if configured.is_absolute() else Path.home() / ".cache") / "ricordo"
