"""How far a long job is: a bar for who watches, else a line now and then."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

_EVERY_S: Final = 10.0  # between two lines of progress, where nobody watches

Show = Callable[[int, int], None]
"""Takes how many are done, and of how many."""


@contextmanager
def progress(console: Console, done_what: str, *, quiet: bool) -> Iterator[Show]:
    """Yield what shows how far it is.

    Args:
        console: where.
        done_what: a participle, such as "encoded".
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
