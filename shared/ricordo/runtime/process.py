"""Runs the services of a process: started together, stopped together, with garbage collection tuned."""

import asyncio
import ctypes
import gc
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final, Protocol

import structlog

_log = structlog.stdlib.get_logger(__name__)

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class Service(Protocol):
    """A part of a process: a worker, a query server, a periodic job."""

    @property
    def name(self) -> str:
        """Its name, for the log."""

    async def run(self, stopping: asyncio.Event, ready: Callable[[], None]) -> None:
        """Run until `stopping` is set, then finish work in progress and return.

        Raises:
            Exception: the service cannot go on; the process then stops all the others.
        """


async def run_services(
    services: Sequence[Service],
    *,
    stopping: asyncio.Event,
    on_ready: Callable[[], None] = lambda: None,
) -> None:
    """Run `services` until `stopping` is set, one of them fails, or this task is cancelled; then stop all.

    Args:
        stopping: set to end, for example by a signal handler; set when one of them fails.
        on_ready: called once, when every service is ready.

    Raises:
        ExceptionGroup: errors of the services, after all have stopped.
    """
    awaited = {service.name for service in services}
    if len(awaited) < len(services):
        raise ValueError(f"two services have the same name: {sorted(service.name for service in services)}")

    def ready(name: str) -> None:
        if name in awaited:
            awaited.discard(name)
            if not awaited:
                on_ready()

    tasks = [
        asyncio.create_task(_run(one, stopping, partial(ready, one.name)), name=one.name) for one in services
    ]
    running = asyncio.gather(*tasks, return_exceptions=True)
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        stopping.set()
        await running  # if this is cancelled, too, so are the services
        raise
    if failures := [error for task in tasks if not task.cancelled() and (error := task.exception())]:
        raise BaseExceptionGroup("services failed", failures)


async def _run(service: Service, stopping: asyncio.Event, ready: Callable[[], None]) -> None:
    """Run a service; if it is the first one that fails, log that and set `stopping`."""
    try:
        await service.run(stopping, ready)
    except BaseException as error:
        if not stopping.is_set() and not isinstance(error, asyncio.CancelledError):
            _log.error("service failed, stopping all", service=service.name, exc_info=error)
            stopping.set()
        raise


@contextmanager
def stop_on_signals(stopping: asyncio.Event) -> Iterator[None]:
    """Set `stopping` at SIGTERM or SIGINT; a second signal has its default effect."""
    loop = asyncio.get_running_loop()

    def restore() -> None:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)

    def stop(received: signal.Signals) -> None:
        _log.info("stopping", signal=received.name)
        stopping.set()
        restore()

    for number in _SIGNALS:
        loop.add_signal_handler(number, stop, number)
    try:
        yield
    finally:
        restore()


def trim_memory() -> None:
    """Give free memory back to the system: loading leaves tens of MB. Does nothing but with glibc."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


_THRESHOLDS: Final = (10_000, 20, 50)


@contextmanager
def freeze_gc() -> Iterator[None]:
    """Exclude all present objects from garbage collection in the context, and collect less often.

    Lexicons, schemas and models live as long as the process. Scanning them costs 5 % of the time of an
    import, and sometimes a tenth of a second during a query. Cycles that form later are still collected.
    """
    before = gc.get_threshold()
    gc.collect()
    trim_memory()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
