"""The whole system as a bot finds it: `ricordo up` in processes of its own, looked at from outside."""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Final

import psutil

from ricordo_lab.bench.options import BenchFailed
from ricordo_lab.bench.processes import Program, addresses, all_answer, started

_START_TAKES: Final = 120.0
_MEGABYTE: Final = 1024**2
_PARTS: Final = {"nats-server": "nats", "postgres": "postgres", "java": "graph"}
WORKERS: Final = "workers"
"""The part of the system that is ours; its other parts are nats, postgres, graph."""


class System:
    """A running `ricordo up`, and processes of workers beside it; made by `up`.

    Attributes:
        nats: the address at which it answers.
        ready_s: seconds from the start of the program until everything answered.
    """

    def __init__(self, programs: Sequence[Program], nats: str, ready_s: float) -> None:
        self.nats = nats
        self.ready_s = ready_s
        self._programs = programs

    async def stop(self) -> float:
        """Ask it to stop, and return after how many seconds all was gone.

        Raises:
            BenchFailed: it did not stop, or not well.
        """
        began = time.perf_counter()
        for program in reversed(self._programs):
            await program.stop()
        return time.perf_counter() - began

    def memory_mb(self) -> float:
        """Return what all of its processes hold, what they share counted once."""
        return sum(self.memory_mb_of_parts().values())

    def memory_mb_of_parts(self) -> Mapping[str, float]:
        """Return what each of workers, nats, postgres, graph holds, what they share counted once."""
        held: dict[str, float] = {}
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):
                part = _part(process)
                held[part] = held.get(part, 0.0) + _resident(process) / _MEGABYTE
        return held

    def handles(self) -> tuple[int, int]:
        """Return how many files the workers have open, and how many threads they have."""
        files = threads = 0
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):
                if _part(process) == WORKERS:
                    files += process.num_fds()
                    threads += process.num_threads()
        return files, threads

    def cpu_s(self) -> Mapping[str, float]:
        """Return the processor seconds spent so far by each of workers, nats, postgres, graph."""
        spent: dict[str, float] = {}
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):  # it has just ended
                part = _part(process)
                spent[part] = spent.get(part, 0.0) + _spent(process, part)
        return spent

    def _processes(self) -> Iterator[psutil.Process]:
        for program in self._programs:
            try:
                root = psutil.Process(program.pid)
                family = [root, *root.children(recursive=True)]
            except psutil.NoSuchProcess:
                raise BenchFailed("the system has ended by itself") from None
            yield from family


@asynccontextmanager
async def up(
    folder: Path, split: Sequence[str] = (), settings: Mapping[str, str] | None = None
) -> AsyncIterator[System]:
    """Run the whole system on `folder`, and see to it that it is gone at the end.

    Args:
        folder: keeps its data.
        split: the workers of each process, with commas between their names; the first one's are with the
            servers and the vector index. None for all workers in one process.
        settings: variables of its environment.

    Raises:
        BenchFailed: it does not start.
    """
    began, log = time.perf_counter(), folder.parent / f"{folder.name}.log"
    async with AsyncExitStack() as exits:
        chosen = ("--workers", split[0]) if split else ()
        command = ("up", "--json", "--data-dir", str(folder), *chosen)
        first = await exits.enter_async_context(started(log, *command, settings=settings))
        address = str((await first.announced())["nats"])
        programs = [first]
        for names in split[1:]:
            beside = started(log, "worker", *names.split(","), settings=addresses(folder / "stack.json"))
            programs.append(await exits.enter_async_context(beside))
        if len(programs) > 1:
            await _all_ready(address, programs)
        yield System(programs, address, time.perf_counter() - began)


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield the path of a data folder that is not there yet; whatever is there at the end is removed."""
    with tempfile.TemporaryDirectory(prefix="ricordo-bench-", ignore_cleanup_errors=True) as parent:
        yield Path(parent) / "data"


async def _all_ready(address: str, programs: Sequence[Program]) -> None:
    waiting = asyncio.create_task(all_answer(address, len(programs)))
    ends = [asyncio.create_task(program.ended()) for program in programs]
    try:
        await asyncio.wait([waiting, *ends], timeout=_START_TAKES, return_when=asyncio.FIRST_COMPLETED)
        if not waiting.done():
            raise next((one for one in programs if one.has_ended), programs[-1]).failed()
        waiting.result()
    finally:
        for task in (waiting, *ends):
            task.cancel()


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


def _part(process: psutil.Process) -> str:
    """Return what a process is part of."""
    name = process.name()
    return next((part for known, part in _PARTS.items() if name.startswith(known)), WORKERS)


def _spent(process: psutil.Process, part: str) -> float:
    """Return the processor seconds that a process has spent."""
    times = process.cpu_times()
    # PostgreSQL has a process for each connection; what those have spent that have ended is its own too.
    ended = times.children_user + times.children_system if part == "postgres" else 0.0
    return float(times.user + times.system + ended)
