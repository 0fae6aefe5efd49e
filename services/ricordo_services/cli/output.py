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
    """A console that leaves it to the command what becomes of it when nobody reads its output any more."""

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
    return console.is_terminal or "COLUMNS" in os.environ


def page() -> Console:
    """Return the console of standard output for what is laid out as a page, wherever it goes."""
    return _console(stderr=False, width=_PAGE)


def _console(*, stderr: bool, width: int = _WIDE) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    watched = stream.isatty()
    return _Paper(
        stderr=stderr,
        no_color=bool(os.environ.get("NO_COLOR")),
        width=None if watched or "COLUMNS" in os.environ else width,
        highlight=False,
        emoji=False,
    )


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
