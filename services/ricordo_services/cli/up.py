"""`ricordo up`: everything on this machine, in the foreground."""

import asyncio
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.text import Text

from ricordo.runtime.cancellation import unless
from ricordo.runtime.process import stopped_by_signals
from ricordo_services.cli.configuration import check_health_page, read_settings, set_up_logs
from ricordo_services.cli.globals import folder_of
from ricordo_services.cli.local import ALL_WORKERS, LocalRun, check_names, running
from ricordo_services.cli.naming import program
from ricordo_services.cli.options import DataDir, Workers
from ricordo_services.cli.output import margin, print_json, screen
from ricordo_services.cli.servers import said_folder
from ricordo_services.cli.stdio import let_go_of
from ricordo_services.stack import Endpoints, write_stack_file

AsJson = Annotated[bool, typer.Option("--json", help="Say in one line of JSON where everything answers.")]


async def up(
    context: typer.Context, data_dir: DataDir = None, workers: Workers = None, as_json: AsJson = False
) -> None:
    """Run everything on this machine, in the foreground, until Ctrl-C."""
    names = _names(workers)
    settings = read_settings()
    set_up_logs(settings)
    await check_health_page(settings.worker)
    stopping = asyncio.Event()
    folder = folder_of(context, data_dir)
    if not as_json:
        margin().print(f"starting on {folder} …", style="dim", markup=False)

    async def serve() -> None:
        async with running(folder, names, settings) as run:
            _announce(run, names, as_json)
            await run.last()

    with stopped_by_signals(stopping):
        await unless(stopping, serve())
    if not as_json:
        margin().print("stopped", style="dim")


def _names(workers: str | None) -> tuple[str, ...]:
    if workers is None:
        return ALL_WORKERS
    names = tuple(name.strip() for name in workers.split(",") if name.strip())
    check_names(names, "--workers")
    return names


def _announce(run: LocalRun, names: Sequence[str], as_json: bool) -> None:
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
    write_stack_file(at.data_dir, {**where, **secret, "workers": list(names), "pid": os.getpid()})
    try:
        if as_json:
            print_json(where)
        else:
            _greet(at)
    except BrokenPipeError:  # whoever read had enough of it: the servers are there for others too
        let_go_of(sys.stdout)


def _greet(at: Endpoints) -> None:
    console = screen()
    command, folder = program(), said_folder(at.data_dir)
    console.print(Text.assemble(("Ricordo is up.", "bold green"), f" Memories are kept in {at.data_dir}"))
    console.print("Stop it with Ctrl-C. In another terminal, try:")
    for purpose, words in (
        ("what works", "doctor"),
        ("remember a conversation, a JSON object a line", "publish chat.jsonl --wait"),
        ("ask", "recall 'what did we do yesterday?' --user davide"),
        ("what is known", "facts --user davide"),
    ):
        # A command on a line of its own, which nothing breaks, can be copied.
        console.print(Text(f"\n  # {purpose}", "dim"))
        console.print(Text(f"  {command} {words}{folder}", "cyan"), soft_wrap=True)
    console.print()
