"""Reads files of the corpus and of users' data sets, and says of each what is wrong with it."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ricordo_lab.console import UnreadableData


@contextmanager
def reading(file: Path, shape: str) -> Iterator[None]:
    """Name the file in errors of the block.

    Args:
        shape: what it should be, such as "a list of turns".

    Raises:
        UnreadableData: it cannot be read, or is something else.
    """
    try:
        yield
    except OSError as error:
        raise UnreadableData(f"{error.filename or file} cannot be read: {error.strerror}") from error
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise UnreadableData(f"{file} is not {shape}: {type(error).__name__}: {error}") from error


def json_lines(file: Path) -> list[Mapping[str, Any]]:
    """Return the objects of a file, one a line."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def by_conversation(file: Path) -> Mapping[str, list[Mapping[str, Any]]]:
    """Return the turns or questions of a file, one a line, by conversation."""
    found = defaultdict(list)
    for row in json_lines(file):
        found[row["c"]].append(row)
    return found
