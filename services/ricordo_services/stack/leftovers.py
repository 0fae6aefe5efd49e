"""Processes of a former stack that may still run: found by what was recorded, never by name.

A record names a process by its number and by when it started, so a number that now belongs to
somebody else is left alone.
"""

import asyncio
import contextlib
import json
import os
import signal
import time
from pathlib import Path

from ricordo_services.stack.guard import process_identity

POLL_SECONDS = 0.05


def own_record() -> str:
    """Return what names this process, to be recorded."""
    return json.dumps([os.getpid(), process_identity(os.getpid())])


def living(recorded: object) -> int | None:
    """Return the number of a recorded ``[pid, identity]`` if that very process still runs."""
    match recorded:
        case [int(pid), str(identity)] if process_identity(pid) == identity:
            return pid
    return None


def read_record(path: Path) -> object:
    """Return the content of a record, or None when there is none that can be read."""
    try:
        content: object = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content


def recorded_alive(record: Path) -> list[int]:
    """Return the processes of a guard's record that still run."""
    content = read_record(record)
    found = [living(process) for process in content.values()] if isinstance(content, dict) else []
    return [pid for pid in found if pid is not None and pid != os.getpid()]


def kill_recorded(record: Path) -> None:
    """Kill the guard and the server of a record, where they still run."""
    for pid in recorded_alive(record):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


async def until_gone(record: Path, seconds: float) -> bool:
    """Wait for the processes of a record to end, and kill them after ``seconds``.

    Returns:
        Whether they are gone; False when even killing did not help within as long again.
    """
    for insist in (False, True):
        if insist:
            kill_recorded(record)
        deadline = time.monotonic() + seconds
        while recorded_alive(record):
            if time.monotonic() >= deadline:
                break
            await asyncio.sleep(POLL_SECONDS)
        else:
            record.unlink(missing_ok=True)  # noqa: ASYNC240 - as short as a file operation gets
            return True
    return False
