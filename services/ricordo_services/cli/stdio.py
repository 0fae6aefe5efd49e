"""Standard output and error as they are given to a command: closed, in few letters, or read by nobody."""

import io
import os
import sys
from typing import Final, TextIO

_NAMES: Final = ("stdout", "stderr")


def take_any_letter() -> None:
    """Let the standard streams take every text: what their encoding lacks is written as a question mark.

    One that was closed before this process began leads to nowhere.
    """
    for name in _NAMES:
        stream: object = getattr(sys, name)
        if stream is None:  # and its number is free: the next file to be opened would be written to
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def let_go_of(stream: TextIO) -> None:
    """Point `stream` to nowhere, so that flushing what nobody reads raises nothing at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
