"""The process that reads one document: `python -m ricordo.documents.readers.reader_main`.

Standard input is a line of JSON (name, media type, limits) and then the bytes; standard output is one object:
the parts, or why it is unreadable. Limits are set before the first byte is read.
"""

import json
import os
import resource
import sys
from dataclasses import asdict
from typing import Any, Final

from ricordo.documents.readers.dispatch import read
from ricordo.documents.reading_limits import ReadingLimits, Unreadable

TOO_MUCH: Final = "needs more memory than allowed"
_LESS_URGENT: Final = 10
_MEGABYTE: Final = 1024 * 1024


def main() -> None:
    """Read the document on standard input, and write the result."""
    header = json.loads(sys.stdin.buffer.readline())
    limits = ReadingLimits(**header["limits"])
    _limit(limits)
    json.dump(_answer(header, limits), sys.stdout)


def _answer(header: dict[str, Any], limits: ReadingLimits) -> dict[str, Any]:
    try:
        parts = read(header["name"], header["media_type"], sys.stdin.buffer.read(), limits)
    except Unreadable as error:
        return {"unreadable": str(error)}
    except MemoryError:
        return {"unreadable": TOO_MUCH}
    return {"parts": [asdict(part) for part in parts]}


def _limit(limits: ReadingLimits) -> None:
    os.nice(_LESS_URGENT)
    seconds = int(limits.seconds) + 1
    _set(resource.RLIMIT_CPU, seconds)
    _set(resource.RLIMIT_AS, limits.memory_mb * _MEGABYTE)
    _set(resource.RLIMIT_FSIZE, 0)  # it writes no files
    _set(resource.RLIMIT_CORE, 0)


def _set(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    try:
        resource.setrlimit(what, (allowed, allowed))
    except (
        OSError,
        ValueError,
    ):  # a system that has this limit in name only
        return


if __name__ == "__main__":
    main()
