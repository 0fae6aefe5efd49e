"""The processes of workers: one host loads their code, and forks a process for each group of workers.

So what they load is in memory once, and is loaded once. The host is under a guard, like a server; it runs
a module that its user names, and speaks with this process over a pair of sockets, a JSON object a line.
"""

import asyncio
import json
import signal
import socket
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Final

from ricordo.machine import usable_cores
from ricordo.runtime.tasks import cancel_and_wait, together
from ricordo_services.stack.child_process import (
    Child,
    ChildPaths,
    SupervisionTimes,
    keep_in_background,
    keep_running,
    until_gone,
)
from ricordo_services.stack.endpoints import Endpoints
from ricordo_services.stack.servers import Launch, WorkersFailed

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "serve": ("index", "retrieval"),  # which own the vector index
    "work": ("ingest", "encode", "enrichment", "knowledge", "lifecycle"),
    "gateway": ("gateway",),
}
"""The workers of each process."""
YIELDING: Final = "work"
"""The process that lets the others go first where the processors are busy: nobody waits for it."""
PREPARATION: Final = "prepare"
"""What the host does first: it brings schema and streams to this version."""
_HALVES: Final[Mapping[str, tuple[str, ...]]] = {"embedding": ("encode", "index")}
_LEFTOVER_S: Final = 4.0
_GRACE_S: Final = 60.0  # for what is in hand: a step of a language model may take as long


def usual_processes() -> int:
    """Return the number of processes of workers, unless it is told: one where there is one core."""
    return 1 if usable_cores() == 1 else len(GROUPS)


def grouped(names: Sequence[str], processes: int) -> Mapping[str, tuple[str, ...]]:
    """Return the workers of each process that has any of `names`.

    Args:
        processes: 1 for all workers in one, else as `GROUPS` has them.
    """
    workers = [half for name in names for half in _HALVES.get(name, (name,))]
    if processes == 1:
        return {"all": tuple(workers)}
    groups = {group: tuple(name for name in some if name in workers) for group, some in GROUPS.items()}
    return {group: some for group, some in groups.items() if some}


def health_ports(groups: Collection[str], first: int | None) -> Sequence[int]:
    """Return the port of the health page of each process: one after the other; 0 stands for any free one."""
    return () if first is None else [first and first + number for number in range(len(groups))]


@dataclass(frozen=True, slots=True)
class Order:
    """What the host is to run in a process of its own, until it ends or the host is told to stop.

    Attributes:
        workers: none for `PREPARATION`, which ends by itself when it is ready.
        data_dir: the data folder of the servers.
        servers: their addresses, as in `stack.json`.
        health_port: of its health page; None for none.
    """

    group: str
    workers: Sequence[str]
    data_dir: str
    servers: Mapping[str, str]
    health_port: int | None = None


class ForkedProcess:
    """A process that the host has forked, as it is told of."""

    def __init__(self, group: str) -> None:
        loop = asyncio.get_running_loop()
        self.pid = 0
        self.reason = ""
        self.models: Mapping[str, str | None] = {}
        self.ended: asyncio.Future[int] = loop.create_future()
        self._group = group
        self._ready: asyncio.Future[None] = loop.create_future()

    def take(self, report: Mapping[str, object]) -> None:
        """Note a report of the host, or of the process itself."""
        match report:
            case {"pid": int(pid)}:
                self.pid = pid
            case {"ready": dict(models)} if not self._ready.done():
                self.models = models
                self._ready.set_result(None)
            case {"failed": str(reason)}:
                self.reason = reason
            case {"status": int(status)} if not self.ended.done():
                self.ended.set_result(status)

    async def ready(self) -> None:
        """Wait until it is.

        Raises:
            WorkersFailed: it has ended before.
        """
        await asyncio.wait((self._ready, self.ended), return_when=asyncio.FIRST_COMPLETED)
        if not self._ready.done():
            status = self.ended.result()
            raise WorkersFailed(self.reason or f"the process {self._group} ended with status {status}")


class WorkerHostProcess:
    """A host of processes; it is started again, where it has ended, for the next process.

    Args:
        module: what it runs, with the number of its socket as argument.
    """

    def __init__(self, paths: ChildPaths, module: str) -> None:
        self._paths = paths
        self._module = module
        self._starting = asyncio.Lock()
        self._child: Child | None = None
        self._orders: asyncio.StreamWriter | None = None
        self._listening: asyncio.Task[None] | None = None
        self._forked: dict[str, ForkedProcess] = {}  # by this start of the host

    async def start(self) -> asyncio.StreamWriter:
        """Start the host unless it runs, and return where it takes orders."""
        async with self._starting:
            if self._child is not None and self._child.running and self._orders is not None:
                return self._orders
            await until_gone(self._paths.record, _LEFTOVER_S)
            ours, theirs = socket.socketpair()
            try:
                self._child = await Child.start(_launch(self._module, theirs.fileno()), self._paths)
            except BaseException:
                ours.close()
                raise
            finally:
                theirs.close()
            reader, self._orders = await asyncio.open_connection(sock=ours)
            self._forked = {}
            listening = self._listen(self._child, reader, self._orders, self._forked)
            self._listening = asyncio.create_task(listening)
            return self._orders

    async def fork(self, order: Order) -> ForkedProcess:
        """Run an order in a process of its own."""
        orders = await self.start()
        process = self._forked[order.group] = ForkedProcess(order.group)
        orders.write(json.dumps(asdict(order)).encode() + b"\n")
        return process

    async def stop(self) -> None:
        """Stop all processes and wait until they have finished what is in hand."""
        if self._child is not None:
            await self._child.stop()
        if self._listening is not None:
            await self._listening

    async def _listen(
        self,
        child: Child,
        reader: asyncio.StreamReader,
        orders: asyncio.StreamWriter,
        forked: Mapping[str, ForkedProcess],
    ) -> None:
        """Pass on the reports of a host until it has ended, and with it all that it has forked."""
        reading = asyncio.create_task(self._read(reader, forked))
        status = await child.ended()
        await asyncio.wait((reading,))
        orders.close()
        for process in forked.values():
            process.take({"status": status or -signal.SIGKILL})

    async def _read(self, reader: asyncio.StreamReader, forked: Mapping[str, ForkedProcess]) -> None:
        while line := await reader.readline():
            report = json.loads(line)
            forked[report["group"]].take(report)


def _launch(module: str, descriptor: int) -> Launch:
    return Launch(
        # -P: modules come from where this process has them, not from the present folder
        argv=(sys.executable, "-P", "-m", module, str(descriptor)),
        cwd=Path.cwd(),
        stop_signal=signal.SIGTERM,
        orphan_signal=signal.SIGTERM,
        grace=_GRACE_S,
        descriptors=(descriptor,),
        logs_here=True,
        # Its threads would be those of the host: none may run where a process is forked.
        environment={"OPENBLAS_NUM_THREADS": "1"},
    )


class WorkerProcesses:
    """All processes of workers on a stack, kept running.

    Attributes:
        host: is started early, so that it loads while the servers start.
        models: the embedding models that they use, as a health report shows them.
        on_restart: is called when one of them was started again.
    """

    def __init__(
        self, host: WorkerHostProcess, times: SupervisionTimes, failed: asyncio.Future[None]
    ) -> None:
        self.host = host
        self.models: Mapping[str, str | None] = {}
        self.on_restart: Callable[[], None] = lambda: None
        self._times = times
        self._failed = failed
        self._orders: Sequence[Order] = ()
        self._processes: dict[str, ForkedProcess] = {}
        self._keepers: list[asyncio.Task[None]] = []

    async def start(
        self, groups: Mapping[str, Sequence[str]], endpoints: Endpoints, health_port: int | None
    ) -> None:
        """Prepare the servers, and start the processes.

        Args:
            groups: the workers of each.
            health_port: of the health page of the first; the others have the next ports. None for none.

        Raises:
            WorkersFailed: the servers cannot be prepared, or workers cannot do their work.
        """
        where = str(endpoints.data_dir), endpoints.document()
        preparation = await self.host.fork(Order(PREPARATION, (), *where))
        await preparation.ready()
        self.models = preparation.models
        ports = health_ports(groups, health_port) or repeat(None)
        self._orders = [
            Order(group, workers, *where, port)
            for (group, workers), port in zip(groups.items(), ports, strict=False)
        ]
        await together([self._start(order) for order in self._orders])
        for order in self._orders:
            keeping = partial(
                keep_running,
                "process",
                order.group,
                partial(self._ended, order),
                partial(self._restart, order),
                self._times,
            )
            self._keepers.append(keep_in_background(keeping, self._failed))

    def describe(self) -> Mapping[str, Mapping[str, object]]:
        """Return the number and the workers of each process."""
        return {
            order.group: {"pid": self._processes[order.group].pid, "workers": order.workers}
            for order in self._orders
        }

    async def stop(self) -> None:
        """Stop all processes and wait until they have finished what is in hand."""
        await cancel_and_wait(*self._keepers)
        await self.host.stop()

    async def _start(self, order: Order) -> None:
        process = await self.host.fork(order)
        await process.ready()
        self._processes[order.group] = process

    async def _restart(self, order: Order) -> None:
        await self._start(order)
        self.on_restart()

    async def _ended(self, order: Order) -> int:
        return await asyncio.shield(self._processes[order.group].ended)
