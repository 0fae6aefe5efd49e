"""`ricordo up`: local servers and processes of workers. `ricordo worker`: some workers, in this process."""

import asyncio
import importlib.util
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import structlog
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from ricordo.runtime.process import stop_on_signals
from ricordo.runtime.tasks import cancel_and_wait, run_until
from ricordo.settings import Settings
from ricordo_services.cli import command_settings, worker_host
from ricordo_services.cli.album_command import album_link, print_album
from ricordo_services.cli.client_calls import (
    Call,
    FolderCall,
    ServerTarget,
    checked_url,
    data_dir_option,
    no_stack,
    running_stack,
)
from ricordo_services.cli.failures import Misused, discard_stream, program
from ricordo_services.cli.options import argument, offered, option
from ricordo_services.cli.output import out_console, print_json, print_line, print_remark
from ricordo_services.stack.endpoints import Endpoints, announced, write_stack_file
from ricordo_services.stack.local import LocalStack
from ricordo_services.stack.worker_processes import GROUPS, grouped, health_ports, usual_processes

ALL_WORKERS: Final = ("ingest", "enrichment", "embedding", "knowledge", "retrieval", "lifecycle", "gateway")
EVERY_NAME: Final = (*ALL_WORKERS, "encode", "index")
"""The `WORKERS` of `app.worker_process`, which loads slowly; `encode` and `index` are `embedding` in two."""
_HALVES: Final = ("encode", "index")
_log = structlog.stdlib.get_logger(__name__)

_OWNERS: Final = frozenset({"embedding", "index", "retrieval"})
"""Workers that open the vector index, which admits one process."""


def check_names(names: Sequence[str], listed: str = "") -> None:
    """Refuse names of workers that cannot run together in a process.

    Raises:
        Misused: a name is unknown or given twice, or what it takes is not installed.
    """
    if not names:
        raise Misused(f"{listed or 'this'} names no worker: choose from {', '.join(EVERY_NAME)}")
    if unknown := [name for name in dict.fromkeys(names) if name not in EVERY_NAME]:
        raise Misused(f"there is no worker {', '.join(unknown)}: choose from {', '.join(EVERY_NAME)}")
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise Misused(f"name each worker once: {', '.join(twice)} is named more often")
    if "embedding" in names and (halves := [name for name in _HALVES if name in names]):
        raise Misused(
            f"name each worker once: embedding is {' and '.join(_HALVES)} already, not {halves[0]} again"
        )
    if "gateway" in names and importlib.util.find_spec("fastapi") is None:
        raise Misused("HTTP is not installed: install the extra, with `pip install 'ricordo[gateway]'`")


@asynccontextmanager
async def running(
    data_dir: Path, names: Sequence[str], settings: Settings, processes: int
) -> AsyncIterator[LocalStack]:
    """Run the servers of `data_dir`, and the workers `names`, for the length of an `async with`.

    It begins when all of them answer. At its end the workers finish what is in hand, then the servers stop.

    Args:
        settings: those of the environment, which the workers read for themselves.
        processes: of workers.

    Raises:
        StackError: the servers do not start, or a worker cannot do its work.
    """
    groups, port = grouped(names, processes), settings.worker.health_port
    async with LocalStack.open(data_dir, host_module=worker_host.__name__) as stack:
        watching = asyncio.create_task(stack.watch())
        starting = asyncio.create_task(stack.workers.start(groups, stack.endpoints, port))
        try:
            done, _ = await asyncio.wait((watching, starting), return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            await cancel_and_wait(starting)
            await cancel_and_wait(watching)
        yield stack


async def up(
    call: Annotated[Call, offered("data_dir", as_json="Print the addresses as one line of JSON.")],
    *,
    workers: Annotated[str | None, option("A,B", "Run these workers only.")] = None,
    processes: Annotated[
        int | None,
        option(
            "N",
            "Run the workers in 3 processes (serve, work and gateway), or in 1. Default: 3; 1 where there is "
            "one core.",
        ),
    ] = None,
) -> None:
    """Run everything on this machine, in the foreground, until Ctrl-C.

    The servers listen on free ports of the loopback address only; other commands find them by
    themselves. With --json, one line on standard output gives their addresses when all are ready, and the
    log is one for programs; without it, warnings alone are shown (RICORDO_LOG__LEVEL=info shows more).

    Examples:
        ricordo up
        ricordo up --data-dir ./memory --json
        ricordo up --workers ingest,embedding
    """
    names: Sequence[str] = ALL_WORKERS
    if processes not in (None, 1, len(GROUPS)):
        raise Misused(f"--processes is 1 or {len(GROUPS)}: {', '.join(GROUPS)}")
    if workers is not None:
        names = tuple(name.strip() for name in workers.split(",") if name.strip())
        check_names(names, "--workers")
    if not call.as_json:  # lines of JSON among those for a person would hide them
        command_settings.log_for_people("warning")
    settings = command_settings.read_settings()
    command_settings.set_up_logs(settings)
    count = processes or usual_processes()
    ports = health_ports(grouped(names, count), settings.worker.health_port)
    await command_settings.check_health_page(settings.worker, ports)
    stopping = asyncio.Event()
    if not call.as_json:
        print_remark(f"starting on {call.folder} …", "dim")

    async def serve() -> None:
        async with running(call.folder, names, settings, count) as stack:
            link = ""
            if "gateway" in names:
                at = announced(stack.endpoints, settings)
                target = ServerTarget(at.nats_url, settings.gateway.tenant, "the stack")
                link = await album_link(target, at.http_url, None, operator=True)
            _announce(stack, names, settings, link, as_json=call.as_json)
            await stack.watch()

    with stop_on_signals(stopping):
        await run_until(stopping, serve())
    if not call.as_json:
        print_remark("stopped", "dim")


def _announce(
    stack: LocalStack, names: Sequence[str], settings: Settings, album: str, *, as_json: bool
) -> None:
    """Write `stack.json` for other processes, and print where the servers are.

    Args:
        album: link to the album, which is for whoever reads the output only; empty without a gateway.
    """
    at, models = announced(stack.endpoints, settings), stack.workers.models
    where = {
        "ready": True,
        "nats": at.nats_url,
        "postgres": at.postgres_dsn,
        "bolt": at.bolt_url,
        **({"http": at.http_url, "http_key": at.http_key} if "gateway" in names else {}),
        "data_dir": str(at.data_dir),
        "model": models["model"],
        "precision": models["precision"],
    }

    def write() -> None:
        content = {**where, **at.document(), "workers": list(names), "pid": os.getpid()}
        write_stack_file(at.data_dir, {**content, "processes": stack.workers.describe()})

    write()
    stack.workers.on_restart = write  # it has another number then
    try:
        if as_json:
            print_json({**where, **({"album": album} if album else {})})
        else:
            with (console := out_console()).capture() as greeting:
                _greet(console, at, models, album)
            print_line(greeting.get())  # at once: workers that log meanwhile do not write between its lines
    except BrokenPipeError:  # whoever read had enough of it: the servers are there for others too
        discard_stream(sys.stdout)


def _greet(console: Console, at: Endpoints, models: Mapping[str, str | None], album: str) -> None:
    command, folder = program(), data_dir_option(at.data_dir)
    console.print(Text("Ricordo is up.", "bold green"))
    if album:
        print_album(console, album, f"{command} album{folder}")
    console.print(Text(f"The data folder is {at.data_dir}"), soft_wrap=True)
    precision = f", precision {models['precision']}" if models["precision"] else ""
    console.print(f"The embedding model is {models['model']}{precision}.", markup=False)
    if album:
        console.print("HTTP answers, too; its address and key, for a shell:")
        console.print(
            Text(f"\n  export RICORDO_URL={at.http_url} RICORDO_KEY={at.http_key}\n", "cyan"), soft_wrap=True
        )
    console.print("Stop it with Ctrl-C. In another terminal, try:")
    for purpose, words in (
        ("check the stack", "doctor"),
        ("remember a conversation (one JSON object per line)", "publish chat.jsonl --wait"),
        ("ask", "recall 'what did we do yesterday?' --user davide"),
        ("list facts", "facts --user davide"),
    ):
        # A command on a line of its own, which nothing breaks, can be copied.
        typed = (f"  {command} {words}{folder}", "cyan")
        console.print(Text.assemble((f"\n  # {purpose}\n", "dim"), typed), soft_wrap=True)
    console.print()
    console.print(Rule("log: warnings and errors", style="dim"), width=min(console.width, 80))


async def worker(
    call: FolderCall, names: Annotated[list[str], argument("NAME...", "Workers to run; each once.")]
) -> None:
    """Run workers with the servers in the settings, or with those of a running `up`.

    Settings are RICORDO_* variables, or the TOML file that RICORDO_CONFIG names. Workers: ingest,
    enrichment, embedding (or its halves encode and index), knowledge, retrieval, lifecycle, gateway. With
    --data-dir they join the stack that `up` runs on that folder; index and retrieval stay with the process
    that owns the vector index.

    Examples:
        ricordo worker ingest
        ricordo worker embedding knowledge
        ricordo worker encode --data-dir ./memory
    """
    check_names(names)
    settings = command_settings.read_settings()
    if call.data_dir is not None:
        settings = _of_running_stack(call.data_dir, names)
    elif call.nats is not None:
        settings = command_settings.with_bus(settings, checked_url(call.nats, "--nats"))
    command_settings.set_up_logs(settings)
    from ricordo_services.app import jobs, worker_process  # noqa: PLC0415 - takes seconds to load, and a wrong name none

    await command_settings.check_health_page(settings.worker)
    stopping = asyncio.Event()
    on_ready = partial(_log.info, "ready", workers=", ".join(names))
    with stop_on_signals(stopping):
        await run_until(stopping, jobs.prepare(settings))
        if not stopping.is_set():
            await worker_process.run_workers(settings, names, stopping=stopping, on_ready=on_ready)


def _of_running_stack(folder: Path, names: Sequence[str]) -> Settings:
    """Return settings that name the servers of the stack that runs on `folder`."""
    stack = running_stack(folder)
    if stack is None or "postgres" not in stack:
        raise no_stack(folder, "leave out --data-dir, and settings name the servers")
    present = stack.get("workers")
    owners = [name for name in names if name in _OWNERS]
    if owners and (not isinstance(present, list) or _OWNERS.intersection(present)):
        raise Misused(
            f"{' and '.join(owners)} cannot run beside this `ricordo up`: its process owns the vector index, "
            "which one process alone can open; name other workers"
        )
    return command_settings.of_stack(command_settings.read_settings(), folder, stack)
