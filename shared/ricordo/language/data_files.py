"""The files of words and patterns beside the code (`lexicon/*.toml`), read as they stand."""

import tomllib
from importlib import resources
from typing import Any


def read_table(name: str) -> dict[str, Any]:
    """Return the file `lexicon/<name>.toml`; whoever asks shapes it once and keeps what it made."""
    return tomllib.loads(
        resources.files("ricordo.language").joinpath(f"lexicon/{name}.toml").read_text("utf-8")
    )
