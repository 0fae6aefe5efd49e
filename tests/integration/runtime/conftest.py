"""A NATS server of this test's own, and Ricordo's topology on it with short waits."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.fixtures.nats_server import NatsServerProcess

from ricordo.bus.nats.nats_bus import NatsBus, open_bus
from ricordo.bus.nats.nats_connection import NatsSettings
from ricordo.bus.nats.topology import Topology, ricordo_topology
from ricordo.runtime.process import Service

ACK_WAIT = 1.0
MAX_DELIVER = 3


@pytest.fixture
def topology() -> Topology:
    return ricordo_topology(ack_wait=ACK_WAIT, max_deliver=MAX_DELIVER)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[NatsServerProcess]:
    async with NatsServerProcess(tmp_path) as running:
        yield running


@pytest.fixture
async def bus(server: NatsServerProcess, topology: Topology) -> AsyncIterator[NatsBus]:
    async with open_bus(NatsSettings(servers=(server.url,)), topology) as opened:
        await opened.provision()
        yield opened


@asynccontextmanager
async def running(service: Service) -> AsyncIterator[None]:
    stopping, ready = asyncio.Event(), asyncio.Event()
    task = asyncio.create_task(service.run(stopping, ready.set))
    await ready.wait()
    try:
        yield
    finally:
        stopping.set()
        await task
