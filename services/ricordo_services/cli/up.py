"""`ricordo up`: everything on this machine, in the foreground."""

import asyncio
import os
from typing import Annotated

import typer
from rich.table import Table

from ricordo.runtime.process import stopped_by_signals
from ricordo.runtime.waiting import unless
from ricordo_services.cli.configuration import read_settings, set_up_logs
from ricordo_services.cli.failures import Misused
from ricordo_services.cli.folders import default_data_dir
from ricordo_services.cli.local import ALL_WORKERS, EVERY_NAME, LocalRun, running
from ricordo_services.cli.options import DataDir, Workers
from ricordo_services.cli.output import margin, print_json, screen
from ricordo_services.stack import Endpoints, write_stack_file

AsJson = Annotated[bool, typer.Option("--json", help="Say in one line of JSON where everything answers.")]


async def up(data_dir: DataDir = None, workers: Workers = None, as_json: AsJson = False) -> None:
    """Run everything on this machine, in the foreground, until Ctrl-C."""
    names = _names(workers)
    settings = read_settings()
    set_up_logs(settings)
    stopping = asyncio.Event()

    if not as_json:
        margin().print(f"starting on {data_dir or default_data_dir()} …", style="dim", markup=False)

    async def serve() -> None:
        async with running(data_dir or default_data_dir(), names, settings) as run:
            _announce(run, as_json)
            await run.last()

    with stopped_by_signals(stopping):
        await unless(stopping, serve())


def _names(workers: str | None) -> tuple[str, ...]:
    if workers is None:
        return ALL_WORKERS
    names = tuple(dict.fromkeys(name.strip() for name in workers.split(",") if name.strip()))
    unknown = [name for name in names if name not in EVERY_NAME]
    if unknown or not names:
        stranger = f"there is no worker {', '.join(unknown)}" if unknown else "--workers names none"
        raise Misused(f"{stranger}: choose from {', '.join(EVERY_NAME)}")
    return names


def _announce(run: LocalRun, as_json: bool) -> None:
    """Leave word for other processes in the data folder, and tell whoever started this one."""
    at = run.endpoints
    where = {
        "ready": True,
        "nats": at.nats_url,
        "postgres": at.postgres_dsn,
        "bolt": at.bolt_url,
        "data_dir": str(at.data_dir),
    }
    # For `doctor` and its like: the file is for its owner's eyes only.
    secret = {
        "postgres_admin": at.postgres_admin_dsn,
        "bolt_user": at.bolt_user,
        "bolt_password": at.bolt_password,
        "bolt_database": at.bolt_database,
    }
    write_stack_file(at.data_dir, {**where, **secret, "pid": os.getpid()})
    if as_json:
        print_json(where)
    else:
        _greet(at)


def _greet(at: Endpoints) -> None:
    console = screen()
    usual = at.data_dir == default_data_dir()
    folder = "" if usual else f" --data-dir {at.data_dir}"
    console.print("[bold green]Ricordo is up.[/] Memories are kept in", str(at.data_dir))
    console.print("Stop it with Ctrl-C. In another terminal, try:\n")
    table = Table.grid(padding=(0, 3))
    for command, purpose in (
        (f"ricordo doctor{folder}", "what works"),
        (f"ricordo publish chat.jsonl --wait{folder}", "remember a conversation, a message a line"),
        (f"ricordo recall 'what did we do yesterday?' --user davide{folder}", "ask"),
        (f"ricordo facts --user davide{folder}", "what is known"),
    ):
        table.add_row(f"  [cyan]{command}[/]", f"[dim]{purpose}[/]")
    console.print(table)
    console.print()
