"""`ricordo dlq list|show|replay`: the events that were given up."""

import json
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from ricordo_services.cli.failures import Misused, guarded
from ricordo_services.cli.groups import group
from ricordo_services.cli.letters import Letter, open_letters
from ricordo_services.cli.options import DataDir, Nats
from ricordo_services.cli.output import margin, print_json, screen
from ricordo_services.cli.servers import target
from ricordo_services.cli.views import plain
from ricordo_services.cli.zones import local_text

app = group("Look at the events that were given up, and send them on their way again.")

AsJson = Annotated[bool, typer.Option("--json", help="Print a JSON object a letter.")]


@app.command("list")
@guarded
async def list_(
    context: typer.Context,
    *,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="The last so many.")] = 50,
    nats: Nats = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """List the last dead letters, with the reason of each."""
    async with open_letters(target(context, nats, None, data_dir)) as letters:
        found = await letters.newest(limit)
    if as_json:
        for letter in found:
            print_json(letter.summary())
    elif found:
        screen().print(_table(found))
    else:
        margin().print("no dead letters")


@app.command("show")
@guarded
async def show(
    context: typer.Context,
    sequence: Annotated[int, typer.Argument(metavar="NUMBER", help="As listed.", show_default=False)],
    *,
    nats: Nats = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Show one dead letter with its headers and its body."""
    async with open_letters(target(context, nats, None, data_dir)) as letters:
        letter = await letters.one(sequence)
    body = letter.body.decode("utf-8", "replace")
    if as_json:
        print_json({**letter.summary(), "headers": dict(letter.headers), "body": body})
        return
    console = screen()
    for name, value in letter.summary().items():
        told = local_text(letter.at, None) if name == "at" else "-" if value is None else str(value)
        console.print(Text.assemble((f"{name:12}", "bold cyan"), plain(told)))
    for name, value in letter.headers.items():
        console.print(Text.assemble((f"{name:12}", "dim"), " ", plain(value)))
    console.print()
    console.print(Text(plain(_indented(body))), soft_wrap=True)


@app.command("replay")
@guarded
async def replay(
    context: typer.Context,
    sequences: Annotated[
        list[int] | None, typer.Argument(metavar="NUMBER...", help="As listed.", show_default=False)
    ] = None,
    *,
    everything: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    nats: Nats = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Send dead letters on their way again, each to the consumer that gave it up.

    One that fails again comes back with a new number.
    """
    if bool(sequences) == everything:
        raise Misused("name the dead letters to replay, or all of them with --all")
    async with open_letters(target(context, nats, None, data_dir)) as letters:
        numbers = dict.fromkeys(sequences or ())  # each once
        chosen = await letters.newest(_ALL) if everything else [await letters.one(one) for one in numbers]
        for letter in chosen:
            await letters.replay(letter)
            if as_json:
                print_json(letter.summary())
    if not as_json:
        margin().print(f"{len(chosen)} replayed")


_ALL = 1_000_000_000


def _table(letters: list[Letter]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("number", "given up", "consumer", "subject", "message", "attempts", "reason"):
        table.add_column(column, overflow="fold")
    for letter in letters:
        reason = Text.assemble((plain(letter.code), "red"), ": ", plain(letter.reason))
        message, subject = plain(letter.message_id or "-"), plain(letter.subject)
        place = (str(letter.sequence), local_text(letter.at, None), letter.consumer, subject, message)
        table.add_row(*place, plain(letter.attempts), reason)
    return table


def _indented(body: str) -> str:
    try:
        return json.dumps(json.loads(body), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return body
