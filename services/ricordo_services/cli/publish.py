"""`ricordo publish`: messages from a file or a pipe."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from ricordo_services.cli.asking import asking
from ricordo_services.cli.failures import FAILED
from ricordo_services.cli.lines import numbered_lines
from ricordo_services.cli.options import DataDir, Json, Nats, Tenant
from ricordo_services.cli.output import margin, print_json, screen
from ricordo_services.cli.publishing import Fault, Publication, await_remembered, publish_lines
from ricordo_services.cli.views import plain

Source = Annotated[
    str, typer.Argument(metavar="FILE", help="JSON Lines; - for standard input.", show_default=False)
]
Wait = Annotated[bool, typer.Option("--wait", help="Return when all of them are remembered.")]
Bulk = Annotated[bool, typer.Option("--bulk", help="Use the lane of imports, which delays nobody.")]
Patience = Annotated[
    float,
    typer.Option("--timeout", metavar="SECONDS", help="With --wait: give up without progress for so long."),
]


async def publish(
    context: typer.Context,
    source: Source,
    *,
    wait: Wait = False,
    bulk: Bulk = False,
    timeout: Patience = 120.0,
    nats: Nats = None,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Publish messages, a JSON object a line."""
    question = asking(context, nats, tenant, data_dir, as_json=as_json)
    console = margin()
    bar = partial(_bar, console, shown=console.is_terminal and not as_json)
    publication = Publication(partial(_report, console))
    async with question.client() as client:
        with bar("publishing", _size(source)) as advance:
            await publish_lines(client, numbered_lines(source), publication, bulk=bulk, advance=advance)
        if wait:
            with bar("remembering", len(publication.acknowledged)) as advance:
                await await_remembered(client, publication, timeout, advance)
    _summarise(publication, wait=wait, as_json=as_json)
    if publication.faults:
        raise typer.Exit(FAILED)


def _size(source: str) -> int | None:
    """Return how many bytes a file holds; None where that is not known before the end."""
    path = Path(source)
    return path.stat().st_size if source != "-" and path.is_file() else None


@contextmanager
def _bar(console: Console, title: str, total: int | None, *, shown: bool) -> Iterator[Callable[[int], None]]:
    columns = (TextColumn("{task.description:12}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not shown) as progress:
        task = progress.add_task(title, total=total)
        yield lambda amount: progress.advance(task, amount)


def _report(console: Console, fault: Fault) -> None:
    who = f" ({fault.message_id})" if fault.message_id else ""
    console.print(Text(plain(f"line {fault.line}{who}: {fault.reason}"), "red"))


def _summarise(publication: Publication, *, wait: bool, as_json: bool) -> None:
    failed = len(publication.faults)
    if as_json:
        faults = [
            {"line": fault.line, "id": fault.message_id, "message": fault.reason}
            for fault in publication.faults
        ]
        remembered = {"remembered": publication.remembered} if wait else {}
        print_json({"published": publication.published, **remembered, "failed": failed, "faults": faults})
        return
    line = Text(f"{publication.published} published")
    if wait:
        line.append(f", {publication.remembered} remembered", "green")
    if failed:
        line.append(f", {failed} failed", "bold red")
    screen().print(line)
