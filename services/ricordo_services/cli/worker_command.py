"""`ricordo worker`: what the containers run."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Final

import structlog
import typer

from ricordo.runtime.process import stop_on_signals
from ricordo.runtime.tasks import run_until
from ricordo.settings import Settings
from ricordo_services.cli.client_calls import checked_url, data_dir_option, running_stack
from ricordo_services.cli.command_options import DataDir, argument, global_options
from ricordo_services.cli.command_settings import check_health_page, of_stack, read_settings, set_up_logs
from ricordo_services.cli.failures import Failed, Misused
from ricordo_services.cli.up_command import check_names

_log = structlog.stdlib.get_logger(__name__)

_OWNERS: Final = frozenset({"embedding", "index", "retrieval"})
"""Workers that open the vector index, which admits one process."""

Names = Annotated[list[str], argument("NAME...", "Which ones; each once.")]


async def worker(context: typer.Context, names: Names, *, data_dir: DataDir = None) -> None:
    """Run workers against servers that settings name, or beside a running `up`."""
    check_names(names)
    wanted = tuple(names)
    folder = data_dir or global_options(context).data_dir
    settings = _at(context, read_settings()) if folder is None else _beside(folder, wanted)
    set_up_logs(settings)
    from ricordo_services.app import jobs, worker_process  # noqa: PLC0415 - takes seconds to load, and a wrong name none

    await check_health_page(settings.worker)
    stopping = asyncio.Event()
    with stop_on_signals(stopping):
        await run_until(stopping, jobs.prepare(settings))
        if not stopping.is_set():
            await worker_process.run_workers(settings, wanted, stopping=stopping, on_ready=_told(wanted))


def _told(names: tuple[str, ...]) -> Callable[[], None]:
    return lambda: _log.info("ready", workers=", ".join(names))


def _beside(folder: Path, names: Sequence[str]) -> Settings:
    """Return settings that name the servers of the stack that runs on `folder`."""
    stack = running_stack(folder)
    if stack is None or "postgres" not in stack:
        raise Failed(
            f"no stack runs on {folder}: start one with `ricordo up{data_dir_option(folder)}`, or leave out "
            "--data-dir, and settings name the servers"
        )
    theirs = stack.get("workers")
    apart = [name for name in names if name in _OWNERS]
    if apart and (not isinstance(theirs, list) or _OWNERS.intersection(theirs)):
        raise Misused(
            f"{' and '.join(apart)} cannot run beside this `ricordo up`: its process owns the vector index, "
            "which one process alone can open; name other workers"
        )
    settings, folder = of_stack(read_settings(), stack), folder.expanduser().absolute()
    stores = settings.stores.model_copy(update={"qdrant_url": None, "qdrant_dir": folder / "qdrant"})
    documents = settings.documents
    if documents.url is None and documents.dir is None:
        documents = documents.model_copy(update={"dir": folder / "objects"})
    return settings.model_copy(update={"stores": stores, "documents": documents})


def _at(context: typer.Context, settings: Settings) -> Settings:
    outer = global_options(context)
    if outer.nats is None:
        return settings
    return settings.model_copy(
        update={"bus": settings.bus.model_copy(update={"url": checked_url(outer.nats, "--nats")})}
    )
