"""`ricordo publish`: messages from a file or a pipe."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, aclosing, contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from ricordo_services.cli.asking import asking
from ricordo_services.cli.failures import FAILED, Failed, Interrupted
from ricordo_services.cli.ingest_watch import Reception, open_reception
from ricordo_services.cli.lines import STANDARD_INPUT, numbered_lines, title
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
    typer.Option(
        "--timeout", metavar="SECONDS", min=0.1, help="With --wait: give up without progress for so long."
    ),
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
    _check(source)
    question = asking(context, nats, tenant, data_dir, as_json=as_json)
    console = margin()
    bar = partial(_bar, console, shown=console.is_terminal and not as_json)
    publication = Publication(partial(_report, console, title(source)), title(source))
    try:
        async with AsyncExitStack() as exits:
            client = await exits.enter_async_context(question.client())
            reception = await exits.enter_async_context(open_reception(question.target)) if wait else None
            with bar("publishing", _size(source)) as advance:
                lines = await exits.enter_async_context(aclosing(numbered_lines(source)))
                await publish_lines(client, lines, publication, bulk=bulk, advance=advance)
            if wait:
                with bar("remembering", len(publication.acknowledged)) as advance:
                    refused = await refusals(reception, publication, timeout)
                    await await_remembered(client, publication, timeout, advance, refused)
    except asyncio.CancelledError:
        raise Interrupted(publication.so_far) from None
    _summarise(publication, wait=wait, as_json=as_json)
    if publication.faults:
        raise typer.Exit(FAILED)


def _check(source: str) -> None:
    """Refuse a file that is not there before anybody is connected to."""
    if source != STANDARD_INPUT:
        path = Path(source)
        if not path.exists():
            raise Failed(f"there is no file {source}")
        if path.is_dir():
            raise Failed(f"{source} is a folder: name a file of messages, a JSON object a line")


async def refusals(
    reception: Reception | None, publication: Publication, patience: float
) -> dict[int, str] | None:
    """Return why ingest gave up which of the messages, by their numbers; None where nobody can see it.

    Raises:
        Timeout, Unavailable: see `Reception.refusals`.
    """
    if reception is None:
        return None
    sequences = {one.sequence for one in publication.acknowledged}
    return await reception.refusals(sequences, patience, repeated=publication.repeated)


def _size(source: str) -> int | None:
    """Return how many bytes a file holds; None where that is not known before the end."""
    path = Path(source)
    return path.stat().st_size if source != STANDARD_INPUT and path.is_file() else None


@contextmanager
def _bar(console: Console, title: str, total: int | None, *, shown: bool) -> Iterator[Callable[[int], None]]:
    columns = (TextColumn("{task.description:12}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not shown) as progress:
        task = progress.add_task(title, total=total)
        yield lambda amount: progress.advance(task, amount)


def _report(console: Console, file: str, fault: Fault) -> None:
    who = f" ({fault.message_id})" if fault.message_id else ""
    console.print(Text(plain(f"{file}, line {fault.line}{who}: {fault.reason}"), "red"), soft_wrap=True)


def _summarise(publication: Publication, *, wait: bool, as_json: bool) -> None:
    failed = len(publication.faults)
    if as_json:
        faults = [
            {"line": fault.line, "id": fault.message_id, "message": fault.reason}
            for fault in sorted(publication.faults)
        ]
        remembered = {"remembered": publication.remembered} if wait else {}
        print_json(
            {"published": len(publication.acknowledged), **remembered, "failed": failed, "faults": faults}
        )
        return
    line = Text(f"{len(publication.acknowledged)} published")
    if wait:
        line.append(f", {publication.remembered} remembered", "green")
    if failed:
        line.append(f", {failed} failed", "bold red")
    screen().print(line)
