"""The host of the workers' processes: loads their code once, and forks a process for each order.

`ricordo up` runs it under a guard (see `stack.worker_processes`). What is loaded before a fork, the processes
share: pages of memory are copied when one of them writes to them. It has a single thread and no event loop,
which a fork could not take along. Where forks of a process with libraries of the system's are not safe
(macOS), each process loads for itself.
"""

import asyncio
import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from ricordo.bus.port import StreamsTooLarge
from ricordo.runtime.process import stop_on_signals, trim_memory
from ricordo.runtime.tasks import run_until
from ricordo.settings import EmbeddingSettings, Settings
from ricordo_services.cli.command_settings import configure_logs, of_stack, read_settings
from ricordo_services.cli.failures import DONE, FAILED, Failed, sentence
from ricordo_services.stack.guard import LINUX, PR_SET_PDEATHSIG, prctl
from ricordo_services.stack.worker_processes import YIELDING, Order

_NICENESS: Final = 5
_SHOWN: Final = 3000  # characters of a reason: what is written at once
_HANDLED: Final = (signal.SIGTERM, signal.SIGCHLD)


def load_workers(settings: EmbeddingSettings) -> None:
    """Import the workers and load the model, and keep the garbage collector from touching them."""
    gc.disable()  # nothing of it is garbage
    from ricordo.models.encoder import ModelUnavailable  # noqa: PLC0415 - where this is no Linux, it is not loaded here
    from ricordo.models.onnx import e5_checkpoint, network  # noqa: PLC0415 - likewise
    from ricordo_services.app import embedding_models, worker_process  # noqa: PLC0415 - likewise

    with contextlib.suppress(
        e5_checkpoint.CheckpointMissing, ModelUnavailable, OSError
    ):  # who needs it says so
        checkpoint = e5_checkpoint.installed_e5()
        checkpoint.tokens()
        precision = embedding_models.precision_in_process(settings) or network.native_precision()
        network.load_network(checkpoint, precision).load()  # it has no threads of its own
    for worker in worker_process.WORKERS:
        worker_process.load_rules(worker)
    trim_memory()
    gc.freeze()
    gc.enable()


async def prepare_servers(settings: Settings, data_dir: Path) -> None:
    """Bring the schema and the streams of local servers to this version.

    Raises:
        Failed: the volume of the data folder has no room for the streams.
    """
    from ricordo_services.app import jobs  # noqa: PLC0415 - where this is no Linux, it is loaded here

    try:
        await jobs.prepare(settings)
    except StreamsTooLarge as error:
        from ricordo_services.cli.store_checks import describe_room  # noqa: PLC0415 - loads drivers

        raise Failed(f"{error}; {describe_room(data_dir, error.needed)}") from error


@dataclass
class WorkerHost:
    """Takes orders until it is told to stop, then waits for the processes that it has forked."""

    channel: socket.socket
    _children: dict[int, str] = field(default_factory=dict)
    _unread: bytes = b""
    _stopping: bool = False

    def run(self) -> Order | None:
        """Return None when all has ended; in a forked process, the order that it is to carry out."""
        poller, (wake, write_end) = select.poll(), os.pipe()
        for end in (wake, write_end):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, lambda *_: self._stop())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's, which `up` has heard, too
        poller.register(wake, select.POLLIN)
        poller.register(self.channel, select.POLLIN)
        while self._children or not self._stopping:
            for descriptor, _ in poller.poll():
                if descriptor == wake:
                    with contextlib.suppress(BlockingIOError):
                        os.read(wake, 512)
                    self._reap()
                    continue
                for order in self._orders():
                    if self._fork(order):
                        os.close(wake)
                        os.close(write_end)
                        return order
                if self._stopping:
                    poller.unregister(self.channel)
        return None

    def _orders(self) -> Iterator[Order]:
        content = self.channel.recv(65_536)
        if not content:  # whoever gave them is gone
            self._stop()
        *lines, self._unread = (self._unread + content).split(b"\n")
        return (Order(**json.loads(line)) for line in lines if not self._stopping)

    def _stop(self) -> None:
        self._stopping = True
        for pid in self._children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

    def _fork(self, order: Order) -> bool:
        """Fork a process, and return whether this is it."""
        host = os.getpid()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid:
            self._children[pid] = order.group
            self.tell(order, pid=pid)
            return False
        signal.set_wakeup_fd(-1)
        for number in (*_HANDLED, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        if LINUX:
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != host:
                os._exit(FAILED)
        return True

    def _reap(self) -> None:
        for pid in list(self._children):
            ended, raw = os.waitpid(pid, os.WNOHANG)
            if ended:
                group, status = self._children.pop(pid), os.waitstatus_to_exitcode(raw)
                self._send({"group": group, "status": status})

    def tell(self, order: Order, **report: object) -> None:
        """Report of a process, from the host or from itself."""
        self._send({"group": order.group, **report})

    def _send(self, report: Mapping[str, object]) -> None:
        with contextlib.suppress(OSError):  # nobody listens any more
            self.channel.sendall(json.dumps(report).encode() + b"\n")


def carry_out(order: Order, host: WorkerHost) -> int:
    """Do what a forked process is for, and return its exit status."""
    if order.group == YIELDING:
        os.nice(_NICENESS)
    try:
        asyncio.run(_run(order, partial(host.tell, order)))
    except Exception as error:  # noqa: BLE001 - whatever it is, `up` says it
        if os.environ.get("RICORDO_DEBUG", "") not in ("", "0"):
            traceback.print_exc()
        host.tell(order, failed=sentence(error)[:_SHOWN])
        return FAILED
    return DONE


async def _run(order: Order, tell: Callable[..., None]) -> None:
    # where this is no Linux, they are loaded here
    from ricordo_services.app import embedding_models, worker_process  # noqa: PLC0415 - see above

    data_dir = Path(order.data_dir)
    settings = of_stack(read_settings(), data_dir, dict(order.servers))
    page = settings.worker.model_copy(update={"health_port": order.health_port})
    settings, stopping = settings.model_copy(update={"worker": page}), asyncio.Event()
    ready = partial(tell, ready=embedding_models.describe_models(settings.embedding))
    with stop_on_signals(stopping):
        if order.workers:
            await worker_process.run_workers(settings, order.workers, stopping=stopping, on_ready=ready)
        else:
            await run_until(stopping, prepare_servers(settings, data_dir))
            ready()


def main() -> int:
    """Run the host on the socket whose number is the first argument; each forked process ends in here."""
    settings = read_settings()
    configure_logs(settings)
    if LINUX:
        load_workers(settings.embedding)
    host = WorkerHost(socket.socket(fileno=int(sys.argv[1])))
    order = host.run()
    if order is None:
        return DONE
    status = carry_out(order, host)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # all is closed by now; ending the interpreter copies the memory that is shared: seconds


if __name__ == "__main__":
    sys.exit(main())
