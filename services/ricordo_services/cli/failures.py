"""How commands end: errors become one line on standard error and an exit code."""

import functools
import inspect
import io
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, ParamSpec, TextIO

import typer


def replace_unencodable() -> None:
    """Write characters that the encoding of the standard streams lacks as question marks.

    One that was closed before this process began leads to nowhere.
    """
    for name in ("stdout", "stderr"):
        stream: object = getattr(sys, name)
        if stream is None:  # and its number is free: the next file to be opened would be written to
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def discard_stream(stream: TextIO) -> None:
    """Redirect `stream` to the null device, so that flushing it at exit does not raise."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


NAME: Final = "ricordo"
_TYPED: Final = re.compile(rf"`((?:RICORDO_\S+ )*){NAME} ")
"""The beginning of a command, after settings that may precede it."""


def program() -> str:
    """Return how to call this program again: `ricordo`, or its path if it is not on PATH."""
    called = Path(sys.argv[0]) if sys.argv else Path()
    if called.name != NAME:
        return NAME
    here = called.absolute()
    found = shutil.which(NAME)
    try:
        if found is not None and here.samefile(found):
            return NAME
        return shlex.quote(str(here.relative_to(Path.cwd())))
    except (ValueError, OSError):
        return shlex.quote(str(here))


def named(text: str) -> str:
    """Return `text` with its commands, which stand between backticks, as they can be typed here."""
    return _TYPED.sub(lambda found: f"`{found[1]}{program()} ", text)


P = ParamSpec("P")

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
INTERRUPTED: Final = 130

_SPEAKING: Final = ("ricordo", "ricordo_services")  # whose exceptions are sentences for a person


class Failed(Exception):
    """A command could not do its work; the message says why and what to do about it."""


class Misused(Failed):
    """Wrong usage: exit code 2."""


class Interrupted(Failed):
    """The command was stopped with Ctrl-C: exit code 130; the message says how far it came."""


def guarded(command: Callable[P, object]) -> Callable[P, None]:
    """Return `command` as the command line calls it: coroutines are run, exceptions become an exit code.

    Logs go to standard error, errors only, unless the command sets them up
    itself. With `RICORDO_DEBUG=1` an exception keeps its traceback.
    """

    @functools.wraps(command)
    def guard(*args: P.args, **kwargs: P.kwargs) -> None:
        from ricordo import log  # noqa: PLC0415 - slow to load, and a page of help needs no logs

        log.configure(level="error", readable=sys.stderr.isatty())
        try:
            outcome = command(*args, **kwargs)
            if inspect.iscoroutine(outcome):
                import asyncio  # noqa: PLC0415 - slow to load, and a page of help needs no loop

                asyncio.run(outcome)
        except BrokenPipeError:  # the reader of the output has closed it, as `head` does
            discard_stream(sys.stdout)
            raise typer.Exit(DONE) from None
        except typer.Exit:
            raise
        except (KeyboardInterrupt, Interrupted) as end:
            complain(f"interrupted: {end}" if str(end) else "interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            if os.environ.get("RICORDO_DEBUG", "") not in ("", "0"):
                raise
            complain(sentence(error))
            raise typer.Exit(USAGE if isinstance(error, Misused) else FAILED) from None

    return guard


def complain(text: str) -> None:
    """Write one line on standard error."""
    try:
        print(f"ricordo: {named(text)}", file=sys.stderr, flush=True)
    except BrokenPipeError:
        discard_stream(sys.stderr)


def sentence(error: BaseException) -> str:
    """Say in one line what went wrong; of a group, each thing once."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(dict.fromkeys(map(sentence, _leaves(error))))
    text = str(error).strip()
    if type(error).__module__.partition(".")[0] in _SPEAKING:
        field = getattr(error, "field", None)
        return f"{text} (field {field})" if field and str(field) not in text else text
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return (
        f"unexpected {type(error).__name__}: {' '.join(text.split())[:300]} (RICORDO_DEBUG=1 shows all of it)"
    )


def _leaves(error: BaseException) -> list[BaseException]:
    nested = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return [leaf for each in nested for leaf in _leaves(each)] or [error]
