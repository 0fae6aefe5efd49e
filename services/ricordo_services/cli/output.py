"""What commands print: JSON lines for programs, colour for people at a terminal, plain text for a pipe."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ricordo_services.cli.failures import Misused, discard_stream

_WIDE: Final = 10_000  # nobody's window: a pipe gets a memory a line
_PAGE: Final = 100  # columns, where there is no window to look at


class _Paper(Console):
    """A console that leaves a broken pipe of standard output to the command.

    Attributes:
        is_window: whether lines must fit its width.
    """

    is_window: bool

    def on_broken_pipe(self) -> None:
        """Go on without standard error; raise for standard output."""
        if not self.stderr:
            raise BrokenPipeError from None
        self.quiet = True
        discard_stream(sys.stderr)


def out_console() -> Console:
    """Return the console of standard output."""
    return _console(stderr=False)


def err_console() -> Console:
    """Return the console of standard error: progress and remarks."""
    return _console(stderr=True)


def is_window(console: Console) -> bool:
    """Return whether lines must fit the width of `console`; in a pipe they are as long as what they hold."""
    return console.is_window if isinstance(console, _Paper) else console.is_terminal


def page() -> Console:
    """Return the console of standard output with the width of a page."""
    return _console(stderr=False, width=_PAGE)


def _console(*, stderr: bool, width: int = _WIDE) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    is_window = stream.isatty() or "COLUMNS" in os.environ
    plain = bool(os.environ.get("NO_COLOR"))
    console = _Paper(
        stderr=stderr,
        force_terminal=False if plain else None,  # no escape codes at all, and so no bars that move
        color_system=None if plain else "auto",
        width=None if is_window else width,
        highlight=False,
        emoji=False,
    )
    console.is_window = is_window or console.is_terminal
    return console


def print_line(text: str) -> None:
    """Print one line for a program and flush.

    Letters that the encoding of standard output lacks are spelled as JSON spells them.
    """
    sys.stdout.write(_spelled(text) + "\n")
    sys.stdout.flush()


def print_json(document: Mapping[str, object]) -> None:
    """Print `document` as one line of JSON, in the letters it has."""
    print_line(json.dumps(document, ensure_ascii=False, separators=(", ", ": ")))


def _spelled(text: str) -> str:
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return "".join(letter if letter.isascii() else json.dumps(letter)[1:-1] for letter in text)
    return text


_EVERY_S: Final = 10.0  # between two lines of progress, where nobody watches

Show = Callable[[int, int], None]
"""Takes the number done and the total."""


@contextmanager
def progress(console: Console, done_what: str, *, quiet: bool) -> Iterator[Show]:
    """Yield a function that shows progress: a bar at a terminal, else a line now and then.

    Args:
        quiet: whether no bar is wanted.
    """
    watched = console.is_terminal and not quiet
    columns = (TextColumn("{task.description:10}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not watched) as bar:
        task = bar.add_task(done_what, total=None)
        told = time.monotonic()

        def show(done: int, of: int) -> None:
            nonlocal told
            bar.update(task, total=of, completed=done)
            if not watched and time.monotonic() - told >= _EVERY_S:
                told = time.monotonic()
                console.print(f"{done} of {of} {done_what}", soft_wrap=True)

        yield show


def zone_of(name: str | None) -> tzinfo | None:
    """Return the zone `name`; None, which is this machine's own, where no name is given."""
    try:
        return ZoneInfo(name) if name else None
    except (ValueError, OSError, KeyError):  # what is no name, names a folder, or names nothing
        raise Misused(f"there is no time zone {name}: name one such as Europe/Rome") from None


def local_text(instant: datetime, zone: tzinfo | None) -> str:
    """Return `instant` as a person reads it, to the minute and with the zone's name."""
    return instant.astimezone(zone).strftime("%a %d %b %Y %H:%M %Z")
