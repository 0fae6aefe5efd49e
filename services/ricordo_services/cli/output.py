"""What commands print: JSON lines for programs, colour for people at a terminal, plain text for a pipe."""

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Annotated, Final, TextIO
from zoneinfo import ZoneInfo

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from ricordo.messages.enumerations import Degradation
from ricordo_services.cli.failures import Misused, discard_stream, named
from ricordo_services.cli.options import Ids, Timezone, offered

_WIDE: Final = 10_000  # nobody's window: a pipe gets a memory a line


class _CommandConsole(Console):
    """A console that leaves a broken pipe of standard output to the command."""

    def on_broken_pipe(self) -> None:
        """Go on without standard error; raise for standard output."""
        if not self.stderr:
            raise BrokenPipeError from None
        self.quiet = True
        discard_stream(sys.stderr)


def out_console(width: int = _WIDE) -> Console:
    """Return the console of standard output, which has `width` where there is no window."""
    return _console(stderr=False, width=width)


def err_console() -> Console:
    """Return the console of standard error: progress and remarks."""
    return _console(stderr=True)


def _has_window(stream: TextIO) -> bool:
    return stream.isatty() or "COLUMNS" in os.environ


def _console(*, stderr: bool, width: int = _WIDE) -> Console:
    colourless = bool(os.environ.get("NO_COLOR"))
    return _CommandConsole(
        stderr=stderr,
        force_terminal=False if colourless else None,  # no escape codes at all, and so no bars that move
        color_system=None if colourless else "auto",
        width=None if _has_window(sys.stderr if stderr else sys.stdout) else width,
        highlight=False,
        emoji=False,
    )


def counted(number: int, plural: str) -> str:
    """Return a number with its noun: "2 memories", "1 memory", "1 row of memories"."""
    if number == 1:  # the first word in the plural is the noun that is counted
        plural = re.sub(r"(ies|s)\b", lambda end: "y" if end[1] == "ies" else "", plural, count=1)
    return f"{number} {plural}"


def plain(text: str) -> str:
    """Return `text` without control characters, which could move a terminal's cursor or change its title."""
    return "".join(
        char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in text
    )


def print_text(text: str, style: str = "") -> None:
    """Print a text on standard output as it is, without markup or wrapping."""
    out_console().print(Text(plain(text), style), soft_wrap=True)


def print_remark(text: str, style: str = "") -> None:
    """Print a text on standard error as it is, without markup or wrapping."""
    err_console().print(Text(plain(text), style), soft_wrap=True)


def print_block(block: RenderableType) -> None:
    """Print on standard output within the width of the window; in a pipe, lines are not wrapped."""
    console = out_console()
    console.print(block, soft_wrap=not (_has_window(sys.stdout) or console.is_terminal))


def print_line(text: str) -> None:
    """Print one line for a program and flush; letters that standard output lacks are spelled as in JSON."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = "".join(letter if letter.isascii() else json.dumps(letter)[1:-1] for letter in text)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def print_json(document: Mapping[str, object]) -> None:
    """Print `document` as one line of JSON, in the letters it has."""
    print_line(json.dumps(document, ensure_ascii=False, separators=(", ", ": ")))


_EVERY_S: Final = 10.0  # between two lines of progress, where nobody watches

Show = Callable[[int, int | None], None]
"""Takes the number done, and the total where it is known."""


@contextmanager
def progress(done_what: str, *, quiet: bool) -> Iterator[Show]:
    """Yield a function that shows progress: a bar at a terminal unless `quiet`, else a line now and then."""
    console = err_console()
    watched = console.is_terminal and not quiet
    columns = (TextColumn("{task.description:10}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not watched) as bar:
        task = bar.add_task(done_what, total=None)
        reported = time.monotonic()

        def show(done: int, of: int | None) -> None:
            nonlocal reported
            bar.update(task, total=of, completed=done)
            if not watched and time.monotonic() - reported >= _EVERY_S:
                reported = time.monotonic()
                console.print(f"{done if of is None else f'{done} of {of}'} {done_what}", soft_wrap=True)

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


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """How replies are shown: with ids, and times in a zone.

    Raises:
        Misused: there is no such zone.
    """

    ids: Ids = False
    timezone: Timezone = None

    def __post_init__(self) -> None:
        """Refuse a wrong zone before anybody is asked."""
        zone_of(self.timezone)

    def time(self, instant: datetime) -> str:
        """Return an instant as a person reads it."""
        return local_text(instant, zone_of(self.timezone))

    def id(self, value: object) -> str:
        """Return an id behind what it is of; nothing where ids are not wanted."""
        return f"  {value}" if self.ids else ""


PLAIN: Final = View()
"""Without ids, in the zone of this machine."""
TimesOnly = Annotated[View, offered("timezone")]


@dataclass(frozen=True, slots=True)
class TwoColumns:
    """Two columns of texts: a table at a terminal, else lines of any length."""

    rows: Sequence[tuple[Text, Text]]
    wide: bool = False  # whether the long ones take all the room that the window leaves

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        """Lay it out."""
        if options.no_wrap:  # as when printing with `soft_wrap`
            yield Text("\n").join(self._lines())
            return
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True)
        table.add_column(ratio=1 if self.wide else None)
        for short, long in self.rows:
            table.add_row(short, long)
        yield table

    def _lines(self) -> Iterable[Text]:
        indent = max(short.cell_len for short, _ in self.rows) + 2
        for short, long in self.rows:
            left = short.copy()
            for part in long.split("\n", allow_blank=True):
                left.pad_right(indent - left.cell_len)
                line = left + part
                line.rstrip()
                yield line
                left = Text()


def warn_degraded(degraded: Sequence[Degradation]) -> None:
    """Warn on standard error about degraded parts: a broken system must not look like an empty one."""
    if degraded:
        missing = ", ".join(part.value for part in degraded)
        print_remark(named(f"degraded: without {missing}; `ricordo doctor` says what to do"), "bold yellow")
