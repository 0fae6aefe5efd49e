"""How a command that measures ends: its exit code, whatever stopped it."""

import os
import sys
from collections.abc import Callable
from typing import Final

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
_INTERRUPTED: Final = 130


def exit_code(work: Callable[[], None], failures: tuple[type[Exception], ...]) -> int:
    """Do `work`, say in a line what it failed of, and return the exit code.

    Args:
        work: may end by SystemExit, as a parser of arguments does.
        failures: exceptions whose message is a sentence for the user; a file that cannot be read is another.
    """
    try:
        work()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else USAGE
    except BrokenPipeError:  # whoever read had enough of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        if error.filename is None:
            raise
        sys.stderr.write(f"ricordo: {error.filename} cannot be read or written: {error.strerror}\n")
        return FAILED
    except failures as failure:
        sys.stderr.write(f"ricordo: {failure}\n")
        return FAILED
    except KeyboardInterrupt:
        sys.stderr.write("ricordo: interrupted\n")
        return _INTERRUPTED
    return DONE
