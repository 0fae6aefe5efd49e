"""`ricordo worker`: what the containers run."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from ricordo.runtime.process import stop_on_signals
from ricordo.runtime.tasks import run_until
from ricordo.settings import Settings
from ricordo_services.cli.client_calls import Call, checked_url, data_dir_option, running_stack
from ricordo_services.cli.command_settings import (
    check_health_page,
    of_stack,
    read_settings,
    set_up_logs,
    with_bus,
)
from ricordo_services.cli.failures import Failed, Misused
from ricordo_services.cli.up_command import check_names

_log = structlog.stdlib.get_logger(__name__)

_OWNERS: Final = frozenset({"embedding", "index", "retrieval"})
"""Workers that open the vector index, which admits one process."""


async def worker(call: Call, names: list[str]) -> None:
    """Run workers against servers that settings name, or beside a running `up`."""
    check_names(names)
    wanted = tuple(names)
    settings = read_settings()
    if call.data_dir is not None:
        settings = _of_running_stack(call.data_dir, wanted)
    elif call.nats is not None:
        settings = with_bus(settings, checked_url(call.nats, "--nats"))
    set_up_logs(settings)
    from ricordo_services.app import jobs, worker_process  # noqa: PLC0415 - takes seconds to load, and a wrong name none

    await check_health_page(settings.worker)
    stopping = asyncio.Event()
    on_ready = partial(_log.info, "ready", workers=", ".join(wanted))
    with stop_on_signals(stopping):
        await run_until(stopping, jobs.prepare(settings))
        if not stopping.is_set():
            await worker_process.run_workers(settings, wanted, stopping=stopping, on_ready=on_ready)


def _of_running_stack(folder: Path, names: Sequence[str]) -> Settings:
    """Return settings that name the servers of the stack that runs on `folder`."""
    stack = running_stack(folder)
    if stack is None or "postgres" not in stack:
        raise Failed(
            f"no stack runs on {folder}: start one with `ricordo up{data_dir_option(folder)}`, or leave out "
            "--data-dir, and settings name the servers"
        )
    present = stack.get("workers")
    owners = [name for name in names if name in _OWNERS]
    if owners and (not isinstance(present, list) or _OWNERS.intersection(present)):
        raise Misused(
            f"{' and '.join(owners)} cannot run beside this `ricordo up`: its process owns the vector index, "
            "which one process alone can open; name other workers"
        )
    return of_stack(read_settings(), folder, stack)
