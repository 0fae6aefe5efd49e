"""What commands print: JSON lines for programs, colour for people at a terminal, plain text for a pipe."""

import json
import os
import sys
from collections.abc import Mapping
from typing import Final

from rich.console import Console

from ricordo_services.cli.stdio import let_go_of

_WIDE: Final = 10_000  # nobody's window: a pipe gets a memory a line
_PAGE: Final = 100  # columns, where there is no window to look at


class _Paper(Console):
    """A console that leaves it to the command what becomes of it when nobody reads its output any more.

    Attributes:
        is_window: whether lines must fit its width.
    """

    is_window: bool

    def on_broken_pipe(self) -> None:
        """Go on without standard error; without standard output, let the command decide.

        Raises:
            BrokenPipeError: nobody reads standard output.
        """
        if not self.stderr:
            raise BrokenPipeError from None
        self.quiet = True
        let_go_of(sys.stderr)


def screen() -> Console:
    """Return the console of standard output."""
    return _console(stderr=False)


def margin() -> Console:
    """Return the console of standard error: progress, and what is said beside a result."""
    return _console(stderr=True)


def is_window(console: Console) -> bool:
    """Return whether lines must fit the width of `console`; in a pipe they are as long as what they hold."""
    return console.is_window if isinstance(console, _Paper) else console.is_terminal


def page() -> Console:
    """Return the console of standard output for what is laid out as a page, wherever it goes."""
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
    """Print one line for a program, and hand it over at once.

    Letters that the encoding of standard output lacks are spelled as JSON spells them.

    Raises:
        BrokenPipeError: nobody reads any more.
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
