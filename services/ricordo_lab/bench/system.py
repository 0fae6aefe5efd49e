"""Runs `ricordo up` in a process of its own, and reads their memory and processor time from outside."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Final

import psutil

from ricordo_lab.console import MeasurementFailed

_PROGRAM: Final = "from ricordo_services.cli import main; main()"
_START_S: Final = 120.0
_STOP_S: Final = 30.0
_LOG_TAIL: Final = 2000  # characters
_MEGABYTE: Final = 1024**2
_SERVERS: Final = {"nats-server": "nats", "postgres": "postgres", "java": "graph"}
WORKERS: Final = "workers"
"""The part of the system that is ours; its other parts are nats, postgres, graph."""


class Program:
    """A running command of `ricordo`; made by `started`."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self.process = process
        self._log = log

    async def announced(self) -> Mapping[str, object]:
        """Wait for the line with its addresses.

        Raises:
            MeasurementFailed: it does not start.
        """
        assert self.process.stdout is not None  # noqa: S101 - it is a pipe
        try:
            line = await asyncio.wait_for(self.process.stdout.readline(), _START_S)
            return dict(json.loads(line))
        except (TimeoutError, ValueError):
            log = self._log.read_text(encoding="utf-8", errors="replace")[-_LOG_TAIL:].strip()
            raise MeasurementFailed(f"the system does not start: {log}") from None

    async def stop(self) -> float:
        """Send SIGTERM, and return after how many seconds it has ended.

        Raises:
            MeasurementFailed: it did not end in time, or not with status 0.
        """
        began = time.perf_counter()
        self.process.send_signal(signal.SIGTERM)
        try:
            status = await asyncio.wait_for(self.process.wait(), _STOP_S)
        except TimeoutError:
            raise MeasurementFailed(f"the system has not stopped within {_STOP_S:g} seconds") from None
        if status != 0:
            raise MeasurementFailed(f"the system ended with status {status}")
        return time.perf_counter() - began

    async def terminate(self) -> None:
        """Stop it if it still runs; kill it where it does not end in time."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                await asyncio.wait_for(self.process.wait(), _STOP_S)
            except TimeoutError:
                self.process.kill()
                await self.process.wait()


class ProcessTree:
    """A process and all that it has started."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def memory_mb(self) -> Mapping[str, float]:
        """Return the memory by part (of `up`: workers, nats, postgres, graph); shared pages count once."""
        return self._by_part(lambda process, _: _resident(process) / _MEGABYTE)

    def cpu_s(self) -> Mapping[str, float]:
        """Return the processor seconds spent so far, by part."""
        return self._by_part(_cpu_seconds)

    def _by_part(self, measure: Callable[[psutil.Process, str], float]) -> Mapping[str, float]:
        found: dict[str, float] = {}
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):  # it has just ended
                name = process.name()
                part = next((part for known, part in _SERVERS.items() if name.startswith(known)), WORKERS)
                found[part] = found.get(part, 0.0) + measure(process, part)
        return found

    def _processes(self) -> list[psutil.Process]:
        try:
            root = psutil.Process(self.pid)
            return [root, *root.children(recursive=True)]
        except psutil.NoSuchProcess:
            raise MeasurementFailed("the system has ended by itself") from None


class System(ProcessTree):
    """A running `ricordo up`; made by `up`.

    Attributes:
        nats: the address of NATS.
        ready_s: seconds from the start of the program until everything answered.
        stop: see `Program.stop`.
        pids: of the processes of workers.
    """

    def __init__(self, program: Program, nats: str, ready_s: float, pids: Sequence[int]) -> None:
        super().__init__(program.process.pid)
        self.pids = pids
        self.nats = nats
        self.ready_s = ready_s
        self.stop = program.stop


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield the path of a new data folder, which is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="ricordo-bench-", ignore_cleanup_errors=True) as parent:
        yield Path(parent) / "data"


@asynccontextmanager
async def up(folder: Path, *options: str) -> AsyncIterator[System]:
    """Run the whole system on `folder`, with options of `ricordo up`, and stop it at the end.

    Raises:
        MeasurementFailed: it does not start.
    """
    began, log = time.perf_counter(), folder.parent / f"{folder.name}.log"
    async with started(log, "up", "--json", "--data-dir", str(folder), *options) as program:
        address, took = str((await program.announced())["nats"]), time.perf_counter() - began
        stack = json.loads((folder / "stack.json").read_text(encoding="utf-8"))
        yield System(program, address, took, [process["pid"] for process in stack["processes"].values()])


@asynccontextmanager
async def started(log: Path, *words: str) -> AsyncIterator[Program]:
    """Run `ricordo` with `words`, and stop it at the end."""
    with log.open("a+b") as file:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _PROGRAM, *words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=file,
            env={"RICORDO_LOG__LEVEL": "warning", **os.environ},
        )
        program = Program(process, log)
        try:
            yield program
        finally:
            await program.terminate()


def _resident(process: psutil.Process) -> int:
    """Return the bytes of a process; 0 when it has just ended."""
    try:
        whole = process.memory_full_info()
        return int(getattr(whole, "pss", whole.rss))  # Linux: shared pages divided by who shares them
    except psutil.AccessDenied:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:  # a zombie holds nothing either
        return 0


def _cpu_seconds(process: psutil.Process, part: str) -> float:
    times = process.cpu_times()
    # PostgreSQL has a process for each connection; it accounts for those that have ended.
    ended = times.children_user + times.children_system if part == "postgres" else 0.0
    return float(times.user + times.system + ended)
