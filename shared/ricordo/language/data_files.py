"""Reads the files of words and patterns in `data/`: one folder for each language, and `common`."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

_DATA: Final = resources.files("ricordo.language") / "data"
_COMMON: Final = "common"
_TYPES: Final[dict[str, type]] = {"text": str, "list": list, "table": dict, "flag": bool}
_SCHEMA: Final[dict[str, dict[str, dict[str, str]]]] = tomllib.loads(
    _DATA.joinpath("schema.toml").read_text("utf-8")
)


def _is_complete(language: str) -> bool:
    return all(_DATA.joinpath(language, f"{name}.toml").is_file() for name in _SCHEMA["language"])


LANGUAGES: Final = tuple(sorted(folder.name for folder in _DATA.iterdir() if _is_complete(folder.name)))
"""The languages that all files are there for, ISO 639-1."""


class Patterns(SimpleNamespace):
    """Compiled patterns of a data file, by attribute; its comments say what each is for."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> re.Pattern[str]: ...


def compiled(table: Mapping[str, str | Sequence[str]]) -> dict[str, re.Pattern[str]]:
    """Compile the patterns of a table; a list matches where one of its patterns does."""
    return {
        name: re.compile(value if isinstance(value, str) else "|".join(f"(?:{each})" for each in value))
        for name, value in table.items()
    }


def read_table(name: str, language: str = _COMMON) -> dict[str, Any]:
    """Return the file `data/<language>/<name>.toml`; the caller shapes it once and keeps what it made.

    Args:
        name: a file that `data/schema.toml` describes.
        language: a folder of `data`.

    Raises:
        KeyError: the schema has no such file.
        FileNotFoundError: the language does not have it.
        ValueError: a key is missing, unknown or of another type than the schema says.
    """
    schema = _SCHEMA[_COMMON if language == _COMMON else "language"][name]
    table = tomllib.loads(_DATA.joinpath(language, f"{name}.toml").read_text("utf-8"))
    wrong = sorted(schema.keys() ^ table.keys())
    wrong += [key for key in schema.keys() & table.keys() if not isinstance(table[key], _TYPES[schema[key]])]
    if wrong:
        raise ValueError(f"data/{language}/{name}.toml differs from schema.toml in {', '.join(wrong)}")
    return table
