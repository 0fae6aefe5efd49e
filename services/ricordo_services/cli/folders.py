"""Where things are kept when nothing is said."""

import os
from pathlib import Path


def default_data_dir() -> Path:
    """Return `ricordo` in the user's data folder: `$XDG_DATA_HOME`, else `~/.local/share`."""
    named = os.environ.get("XDG_DATA_HOME", "")
    base = Path(named) if os.path.isabs(named) else Path.home() / ".local" / "share"  # noqa: PTH117 - "" is no path
    return base / "ricordo"
