"""Runs `ricordo up` in processes of its own, and reads their memory and processor time from outside."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Final

import nats
import psutil
from nats.aio.client import Client

from ricordo.runtime.health_service import HEALTH_SUBJECT
from ricordo_lab.console import MeasurementFailed

_PROGRAM: Final = "from ricordo_services.cli import main; main()"
_START_S: Final = 120.0
_STOP_S: Final = 30.0
_HEALTH_S: Final = 0.3  # for which health answers are gathered
_LOG_TAIL: Final = 2000  # characters
_MEGABYTE: Final = 1024**2
_SERVERS: Final = {"nats-server": "nats", "postgres": "postgres", "java": "graph"}
WORKERS: Final = "workers"
"""The part of the system that is ours; its other parts are nats, postgres, graph."""


class Program:
    """A running command of `ricordo`; made by `started`.

    Args:
        process: its process.
        log: the file of its standard error.
    """

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
            raise self.failed() from None

    def failed(self) -> MeasurementFailed:
        """Return why it does not start: the end of its log."""
        log = self._log.read_text(encoding="utf-8", errors="replace")[-_LOG_TAIL:].strip()
        return MeasurementFailed(f"the system does not start: {log}")

    async def stop(self) -> None:
        """Send SIGTERM and wait until it has ended.

        Raises:
            MeasurementFailed: it did not end in time, or not with status 0.
        """
        self.process.send_signal(signal.SIGTERM)
        try:
            status = await asyncio.wait_for(self.process.wait(), _STOP_S)
        except TimeoutError:
            raise MeasurementFailed(f"the system has not stopped within {_STOP_S:g} seconds") from None
        if status != 0:
            raise MeasurementFailed(f"the system ended with status {status}")

    async def terminate(self) -> None:
        """Stop it if it still runs; kill it where it does not end in time."""
        if self.process.returncode is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(self.process.wait(), _STOP_S)
        except TimeoutError:
            self.process.kill()
            await self.process.wait()


class System:
    """A running `ricordo up`, and further processes of workers; made by `up`.

    Attributes:
        nats: the address of NATS.
        ready_s: seconds from the start of the program until everything answered.
    """

    def __init__(self, programs: Sequence[Program], nats: str, ready_s: float) -> None:
        self.nats = nats
        self.ready_s = ready_s
        self._programs = programs

    async def stop(self) -> float:
        """Stop it, and return after how many seconds it had ended.

        Raises:
            MeasurementFailed: it did not stop in time, or not with status 0.
        """
        began = time.perf_counter()
        for program in reversed(self._programs):
            await program.stop()
        return time.perf_counter() - began

    def memory_mb(self) -> Mapping[str, float]:
        """Return the memory of workers, nats, postgres, graph; shared pages are counted once."""
        return self._by_part(lambda process, _: _resident(process) / _MEGABYTE)

    def cpu_s(self) -> Mapping[str, float]:
        """Return the processor seconds spent so far by workers, nats, postgres, graph."""
        return self._by_part(_cpu_seconds)

    def handles(self) -> tuple[int, int]:
        """Return the open files and the threads of the workers."""
        files = self._by_part(lambda process, _: process.num_fds())
        threads = self._by_part(lambda process, _: process.num_threads())
        return round(files[WORKERS]), round(threads[WORKERS])

    def _by_part(self, measure: Callable[[psutil.Process, str], float]) -> Mapping[str, float]:
        found: dict[str, float] = {}
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):  # it has just ended
                name = process.name()
                part = next((part for known, part in _SERVERS.items() if name.startswith(known)), WORKERS)
                found[part] = found.get(part, 0.0) + measure(process, part)
        return found

    def _processes(self) -> Iterator[psutil.Process]:
        for program in self._programs:
            try:
                root = psutil.Process(program.process.pid)
                family = [root, *root.children(recursive=True)]
            except psutil.NoSuchProcess:
                raise MeasurementFailed("the system has ended by itself") from None
            yield from family


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield the path of a new data folder, which is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="ricordo-bench-", ignore_cleanup_errors=True) as parent:
        yield Path(parent) / "data"


@asynccontextmanager
async def up(
    folder: Path, split: Sequence[str] = (), settings: Mapping[str, str] | None = None
) -> AsyncIterator[System]:
    """Run the whole system on `folder`, and stop it at the end.

    Args:
        folder: holds its data.
        split: see `Options.split`.
        settings: variables of its environment.

    Raises:
        MeasurementFailed: it does not start.
    """
    began, log = time.perf_counter(), folder.parent / f"{folder.name}.log"
    async with AsyncExitStack() as exits:
        chosen = ("--workers", split[0]) if split else ()
        command = ("up", "--json", "--data-dir", str(folder), *chosen)
        first = await exits.enter_async_context(started(log, *command, settings=settings))
        address = str((await first.announced())["nats"])
        programs = [first]
        for names in split[1:]:
            worker = started(log, "worker", *names.split(","), settings=addresses(folder / "stack.json"))
            programs.append(await exits.enter_async_context(worker))
        if len(programs) > 1:
            await _wait_until_ready(address, programs)
        yield System(programs, address, time.perf_counter() - began)


@asynccontextmanager
async def started(
    log: Path, *words: str, settings: Mapping[str, str] | None = None
) -> AsyncIterator[Program]:
    """Run `ricordo` with `words`, and stop it at the end.

    Args:
        log: the file that its standard error is appended to.
        words: of the command line.
        settings: variables of its environment.
    """
    with log.open("a+b") as file:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _PROGRAM, *words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=file,
            env={"RICORDO_LOG__LEVEL": "warning", **os.environ, **(settings or {})},
        )
        program = Program(process, log)
        try:
            yield program
        finally:
            await program.terminate()


def addresses(stack_file: Path) -> Mapping[str, str]:
    """Return the addresses in the `stack.json` of a running `ricordo up` as environment variables."""
    stack = json.loads(stack_file.read_text(encoding="utf-8"))
    stores = {
        "POSTGRES_DSN": stack["postgres"],
        "POSTGRES_ADMIN_DSN": stack["postgres_admin"],
        **{name.upper(): stack[name] for name in ("bolt_user", "bolt_password", "bolt_database")},
        "BOLT_URL": stack["bolt"],
    }
    return {
        "RICORDO_BUS__URL": str(stack["nats"]),
        **{f"RICORDO_STORES__{name}": str(value) for name, value in stores.items()},
    }


async def _wait_until_ready(address: str, programs: Sequence[Program]) -> None:
    """Wait until each process answers for its health, or one of them has ended."""
    waiting = asyncio.create_task(_all_answer(address, len(programs)))
    ends = [asyncio.create_task(program.process.wait()) for program in programs]
    try:
        await asyncio.wait([waiting, *ends], timeout=_START_S, return_when=asyncio.FIRST_COMPLETED)
        if not waiting.done():
            ended = (one for one in programs if one.process.returncode is not None)
            raise next(ended, programs[-1]).failed()
        waiting.result()
    finally:
        for task in (waiting, *ends):
            task.cancel()


async def _all_answer(address: str, programs: int) -> None:
    bus = await nats.connect(address)
    try:
        while await _answering(bus) < programs:
            continue
    finally:
        await bus.close()


async def _answering(bus: Client) -> int:
    """Return how many processes answer a health request in time."""
    inbox = bus.new_inbox()
    answers = await bus.subscribe(inbox)
    await bus.publish(HEALTH_SUBJECT, reply=inbox)
    await asyncio.sleep(_HEALTH_S)
    count = int(answers.pending_msgs)
    await answers.unsubscribe()
    return count


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
