"""Reads the files of words and patterns in `data/`: one folder for each language, and `common`."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

_DATA: Final = resources.files("ricordo.language") / "data"
_COMMON: Final = "common"
NEVER: Final = "(?!)"
"""A pattern that matches nothing."""
_WORD_END: Final = r"(?:(?<=')|(?!\w))"  # an elided article ends at its apostrophe: "l'altra"
_MATCHES: Final = {
    "words": rf"\b{{}}{_WORD_END}",
    "beginning": rf"^[\W_]{{{{0,10}}}}{{}}{_WORD_END}",
    "whole": r"^[\W_]{{0,10}}{}[\W_]{{0,10}}$",
    "ending": r"(?<!\w){}\s?$",
    "anywhere": "{}",
}
"""How the alternatives of a list are matched."""
_EMPTY: Final[dict[str, Any]] = {"text": "", "pattern": NEVER, "list": [], "table": {}, "flag": False} | {
    match: [] for match in _MATCHES
}
_PLACEHOLDER: Final = re.compile(r"(?<!\?P)<(\w+)>")


def _by_key(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the type of each key, of which the schema lists the keys of each type."""
    types = {key: kind for kind, keys in schema.items() if isinstance(keys, str) for key in keys.split()}
    return types | {name: _by_key(part) for name, part in schema.items() if isinstance(part, dict)}


_SCHEMA: Final = _by_key(tomllib.loads(_DATA.joinpath("schema.toml").read_text("utf-8")))

LANGUAGES: Final = tuple(
    sorted(folder.name for folder in _DATA.iterdir() if folder.is_dir() and folder.name != _COMMON)
)
"""The languages that have a folder, ISO 639-1."""


@cache
def languages_with(name: str) -> tuple[str, ...]:
    """Return the languages that have the file `<name>.toml`."""
    return tuple(each for each in LANGUAGES if _DATA.joinpath(each, f"{name}.toml").is_file())


class Patterns(SimpleNamespace):
    """Compiled patterns of a data file, by attribute; its comments say what each is for."""

    if TYPE_CHECKING:

        def __getattribute__(self, name: str, /) -> re.Pattern[str]: ...


class WordSets(SimpleNamespace):
    """Sets of words of a data file, by attribute; its comments say what each is for."""

    if TYPE_CHECKING:

        def __getattribute__(self, name: str, /) -> frozenset[str]: ...


def either(patterns: Iterable[str]) -> str:
    """Return the pattern that matches where one of `patterns` does."""
    return "|".join(f"(?:{pattern})" for pattern in patterns) or NEVER


def read_table(name: str, language: str = _COMMON) -> dict[str, Any]:
    """Return the file `data/<language>/<name>.toml`; the caller shapes it once and keeps what it made.

    What a language lacks is empty: a key without a value, and all keys of a file that is not there. An empty
    pattern matches nothing.

    Raises:
        KeyError: the schema has no such file.
        ValueError: a key is unknown or of another type than the schema says.
    """
    schema = _SCHEMA[_COMMON if language == _COMMON else "language"][name]
    file = _DATA.joinpath(language, f"{name}.toml")
    return _complete(tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}, schema, file.name)


def word_list(name: str) -> frozenset[str]:
    """Return a list of `fact_lists.toml`."""
    return frozenset(read_table("fact_lists")[name].split())


def _complete(table: Mapping[str, Any], schema: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Check a table against its schema, and add what it lacks."""
    for key, value in table.items():
        kind = schema.get(key, "")
        wanted = dict if isinstance(kind, dict) else type(_EMPTY.get(kind))
        if type(value) is not wanted:
            raise ValueError(f"{place}: schema.toml has no {key} of this type")
    return {
        key: _complete(table.get(key, {}), kind, f"{place}, {key}")
        if isinstance(kind, dict)
        else table.get(key, _EMPTY[kind])
        for key, kind in schema.items()
    }


@cache
def read_patterns(name: str, language: str) -> dict[str, Any]:
    """Return a file of patterns, compiled; the caller leaves what it is given as it is.

    A pattern or a list of them is a regular expression, a text a set of words, a table within the file
    `Patterns` of its own. A placeholder `<name>` in an alternative stands for the entry of the table `parts`.

    Raises:
        KeyError: the schema has no such file, or a placeholder no entry.
        ValueError: the file differs from the schema.
    """
    table = read_table(name, language)
    return _compiled(table, _SCHEMA["language"][name], table.pop("parts", {}))


def _compiled(
    table: Mapping[str, Any], schema: Mapping[str, Any], parts: Mapping[str, Any]
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in table.items():
        match schema[key]:
            case dict() as inner:
                found[key] = Patterns(**_compiled(value, inner, parts))
            case "text":
                found[key] = frozenset(value.split())
            case "pattern":
                found[key] = re.compile(value)
            case "list":
                found[key] = re.compile(either(value))
            case kind:
                found[key] = re.compile(_pattern(kind, [_expanded(each, parts) for each in value]))
    return found


def _pattern(match: str, alternatives: Sequence[str]) -> str:
    if not alternatives:
        return NEVER
    if match == "anywhere":
        return "|".join(alternatives)
    return _MATCHES[match].format(f"(?:{'|'.join(alternatives)})")


def _expanded(text: str, parts: Mapping[str, str | list[str]]) -> str:
    def part(found: re.Match[str]) -> str:
        value = parts[found[1]]
        return _expanded(value if isinstance(value, str) else f"(?:{'|'.join(value)})", parts)

    return _PLACEHOLDER.sub(part, text)
