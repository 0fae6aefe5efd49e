"""The whole system as a bot finds it: `ricordo up` in processes of its own, looked at from outside."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Final

import psutil

from ricordo_services.bench.options import BenchFailed

_PROGRAM: Final = "from ricordo_services.cli import main; main()"
_START_TAKES: Final = 120.0
_STOP_TAKES: Final = 30.0
_MEGABYTE: Final = 1024**2
_PARTS: Final = {"nats-server": "nats", "postgres": "postgres", "java": "graph"}
_TOLD: Final = 2000  # characters of a log


class System:
    """A running `ricordo up`; made by `up`.

    Attributes:
        nats: the address at which it answers.
        ready_s: seconds from the start of the program until everything answered.
    """

    def __init__(self, program: asyncio.subprocess.Process, nats: str, ready_s: float) -> None:
        self.nats = nats
        self.ready_s = ready_s
        self._program = program

    async def stop(self) -> float:
        """Ask it to stop, and return after how many seconds all was gone.

        Raises:
            BenchFailed: it did not stop, or not well.
        """
        began = time.perf_counter()
        self._program.send_signal(signal.SIGTERM)
        try:
            status = await asyncio.wait_for(self._program.wait(), _STOP_TAKES)
        except TimeoutError:
            raise BenchFailed(f"the system has not stopped within {_STOP_TAKES:g} seconds") from None
        if status != 0:
            raise BenchFailed(f"the system ended with status {status}")
        return time.perf_counter() - began

    def memory_mb(self) -> float:
        """Return what all of its processes hold, what they share counted once."""
        return sum(map(_resident, self._processes())) / _MEGABYTE

    def cpu_s(self) -> Mapping[str, float]:
        """Return the processor seconds spent so far by each of workers, nats, postgres, graph."""
        spent: dict[str, float] = {}
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):  # it has just ended
                part, seconds = _spent(process)
                spent[part] = spent.get(part, 0.0) + seconds
        return spent

    def _processes(self) -> Iterator[psutil.Process]:
        try:
            root = psutil.Process(self._program.pid)
            family = [root, *root.children(recursive=True)]
        except psutil.NoSuchProcess:
            raise BenchFailed("the system has ended by itself") from None
        yield from family


@asynccontextmanager
async def up(folder: Path) -> AsyncIterator[System]:
    """Run the whole system on `folder`, and see to it that it is gone at the end.

    Raises:
        BenchFailed: it does not start.
    """
    began = time.perf_counter()
    with (folder.parent / f"{folder.name}.log").open("a+b") as log:
        program = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _PROGRAM, "up", "--json", "--data-dir", str(folder)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            env={"RICORDO_LOG__LEVEL": "warning", **os.environ},
        )
        try:
            nats = await _announced(program, log.name)
            yield System(program, nats, time.perf_counter() - began)
        finally:
            await _gone(program)


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield the path of a data folder that is not there yet; whatever is there at the end is removed."""
    with tempfile.TemporaryDirectory(prefix="ricordo-bench-", ignore_cleanup_errors=True) as parent:
        yield Path(parent) / "data"


async def _announced(program: asyncio.subprocess.Process, log: str) -> str:
    assert program.stdout is not None  # noqa: S101 - it was asked for
    try:
        line = await asyncio.wait_for(program.stdout.readline(), _START_TAKES)
        told = json.loads(line)
    except (TimeoutError, ValueError):
        raise BenchFailed(f"the system does not start: {_end_of(log)}") from None
    return str(told["nats"])


def _end_of(log: str) -> str:
    return Path(log).read_text(encoding="utf-8", errors="replace")[-_TOLD:].strip()


async def _gone(program: asyncio.subprocess.Process) -> None:
    if program.returncode is not None:
        return
    program.send_signal(signal.SIGTERM)
    try:
        await asyncio.wait_for(program.wait(), _STOP_TAKES)
    except TimeoutError:
        program.kill()
        await program.wait()


def _resident(process: psutil.Process) -> int:
    """Return the bytes that a process holds; 0 when it has just ended."""
    try:
        whole = process.memory_full_info()
        # Linux tells each process its share of what it has in common with others.
        return int(getattr(whole, "pss", whole.rss))
    except psutil.AccessDenied:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:  # a zombie holds nothing either
        return 0


def _spent(process: psutil.Process) -> tuple[str, float]:
    """Return what a process is part of, and the processor seconds that it has spent."""
    name, times = process.name(), process.cpu_times()
    part = next((part for known, part in _PARTS.items() if name.startswith(known)), "workers")
    # PostgreSQL has a process for each connection; what those have spent that have ended is its own too.
    ended = times.children_user + times.children_system if part == "postgres" else 0.0
    return part, float(times.user + times.system + ended)
