"""The probe of a container says what its workers say."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ricordo.runtime.health import Health, WorkerState
from ricordo.runtime.health_service import HealthPage
from ricordo.testing.clock import ManualClock

PROBE = Path(__file__).parents[3] / "deploy/healthz.py"


async def probed(port: str) -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        PROBE,
        env={"RICORDO_WORKER__HEALTH_PORT": port} if port else {},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    return process.returncode, output.decode()


@asynccontextmanager
async def page(state: WorkerState) -> AsyncIterator[str]:
    health = Health(worker="ingest", clock=ManualClock())
    health.set_state(state)
    served, stopping, ready = HealthPage([health], "127.0.0.1", 0), asyncio.Event(), asyncio.Event()
    task = asyncio.create_task(served.run(stopping, ready.set))
    await ready.wait()
    assert served.address is not None
    try:
        yield str(served.address[1])
    finally:
        stopping.set()
        await task


@pytest.mark.parametrize(("state", "code"), [(WorkerState.READY, 0), (WorkerState.STOPPED, 1)])
async def test_it_tells_how_the_workers_are(state: WorkerState, code: int) -> None:
    async with page(state) as port:
        found, output = await probed(port)
    assert found == code, output
    assert '"ingest"' in output


async def test_nobody_there_is_not_well() -> None:
    async with page(WorkerState.READY) as port:
        pass
    assert (await probed(port))[0] == 1


@pytest.mark.parametrize("port", ["", "http"])
async def test_without_a_port_it_says_which_setting_is_missing(port: str) -> None:
    code, output = await probed(port)
    assert code == 1
    assert "RICORDO_WORKER__HEALTH_PORT" in output
