"""How the commands of the lab print lines, report progress and end."""

import os
import sys
from collections.abc import Callable
from typing import ClassVar, Final

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
_INTERRUPTED: Final = 130


class MeasurementFailed(Exception):
    """There is nothing to measure; the message says why."""

    code: ClassVar[int] = FAILED


class UnreadableData(MeasurementFailed):
    """A data set cannot be read, or has another shape; the message says where."""


class UnsuitableData(UnreadableData):
    """A data set was named for a command or an option that takes another kind."""

    code = USAGE


def exit_code(work: Callable[[], None]) -> int:
    """Call `work`, print in a line on standard error why it failed, and return the exit code."""
    try:
        work()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else USAGE
    except BrokenPipeError:  # the reader of standard output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        if error.filename is None:
            raise
        progress(f"ricordo: {error.filename} cannot be read or written: {error.strerror}")
        return FAILED
    except MeasurementFailed as failure:
        progress(f"ricordo: {failure}")
        return failure.code
    except KeyboardInterrupt:
        progress("ricordo: interrupted")
        return _INTERRUPTED
    return DONE


def print_line(text: str) -> None:
    """Print a line of results on standard output at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def progress(text: str) -> None:
    """Print a line on standard error at once."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
