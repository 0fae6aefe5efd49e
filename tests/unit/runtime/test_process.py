"""Services of a process: ready together, stopped together, failing together."""

import asyncio
import os
import signal
from collections.abc import Callable

import pytest
from tests.support.manual_clock import settle

from ricordo.runtime.process import run_services, stop_on_signals


class Plain:
    """A service that does what it is told."""

    def __init__(self, name: str, *, failure: Exception | None = None, takes: float = 0.0) -> None:
        self.name = name
        self.failure = failure
        self.takes = takes
        self.together = asyncio.Barrier(1)
        self.life: list[str] = []
        self.go_ready = asyncio.Event()
        self.go_ready.set()

    async def run(self, stopping: asyncio.Event, ready: Callable[[], None]) -> None:
        self.life.append("started")
        await self.go_ready.wait()
        ready()
        ready()
        if self.failure is not None:
            raise self.failure
        try:
            await stopping.wait()
        finally:
            await asyncio.sleep(self.takes)
            await self.together.wait()
            self.life.append("stopped")


async def test_ready_is_said_once_when_all_are() -> None:
    one, two, stopping, said = Plain("one"), Plain("two"), asyncio.Event(), []
    two.go_ready.clear()
    task = asyncio.create_task(
        run_services([one, two], stopping=stopping, on_ready=lambda: said.append("ready"))
    )
    await settle()
    assert said == []
    two.go_ready.set()
    await settle()
    assert said == ["ready"]
    stopping.set()
    await task
    assert one.life == two.life == ["started", "stopped"]


async def test_a_failure_stops_the_others_and_is_raised() -> None:
    well, broken = Plain("well"), Plain("broken", failure=OSError("gone"))
    with pytest.raises(ExceptionGroup) as raised:
        await run_services([well, broken], stopping=asyncio.Event())
    assert [str(error) for error in raised.value.exceptions] == ["gone"]
    assert well.life == ["started", "stopped"]


async def test_cancelling_stops_all_and_waits_for_them() -> None:
    services = [Plain("one", takes=0.05), Plain("two")]
    task = asyncio.create_task(run_services(services, stopping=asyncio.Event()))
    await settle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [service.life for service in services] == [["started", "stopped"]] * 2


async def test_a_service_that_ends_by_itself_ends_nobody_else() -> None:
    class Brief(Plain):
        async def run(self, stopping: asyncio.Event, ready: Callable[[], None]) -> None:
            ready()

    lasting, stopping = Plain("lasting"), asyncio.Event()
    task = asyncio.create_task(run_services([Brief("brief"), lasting], stopping=stopping))
    await settle()
    assert not task.done()
    stopping.set()
    await task


async def test_two_services_of_one_name_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="same name"):
        await run_services([Plain("one"), Plain("one")], stopping=asyncio.Event())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_stops_all(number: signal.Signals) -> None:
    service, stopping = Plain("one"), asyncio.Event()
    with stop_on_signals(stopping):
        running = asyncio.create_task(run_services([service], stopping=stopping))
        await settle()
        os.kill(os.getpid(), number)
        await asyncio.wait_for(running, 5)
    assert service.life == ["started", "stopped"]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
