"""A bus of each kind, with the same streams and consumers."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from nats.js.api import DiscardPolicy, RetentionPolicy
from tests.fixtures.nats_server import NatsServerProcess
from tests.support.bus import MemoryBus

from ricordo.bus.nats.nats_bus import NatsBus, open_bus
from ricordo.bus.nats.nats_connection import NatsSettings
from ricordo.bus.nats.topology import ConsumerSpec, StreamSpec, Topology
from ricordo.clock import SystemClock

AnyBus = NatsBus | MemoryBus

ACK_WAIT = 0.5
MAX_DELIVER = 3


_CONSUMERS = (
    ("workers", "QUEUE", ("queue.a", "queue.b")),
    ("readers", "LOG", ("log.*.read",)),
    ("auditors", "LOG", ("log.>",)),
)


def _topology() -> Topology:
    return Topology(
        streams=[
            StreamSpec(
                name="QUEUE",
                subjects=("queue.>",),
                retention=RetentionPolicy.WORK_QUEUE,
                discard=DiscardPolicy.NEW,
                max_bytes=20_000,
            ),
            StreamSpec(name="LOG", subjects=("log.>",), persist_async=True),
        ],
        consumers=[
            ConsumerSpec(
                name=name, stream=stream, subjects=subjects, ack_wait=ACK_WAIT, max_deliver=MAX_DELIVER
            )
            for name, stream, subjects in _CONSUMERS
        ],
    )


@pytest.fixture(params=["memory", "nats"])
async def bus(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[AnyBus]:
    if request.param == "memory":
        yield MemoryBus(SystemClock(), _topology())
        return
    async with (
        NatsServerProcess(tmp_path) as server,
        open_bus(NatsSettings(servers=(server.url,)), _topology()) as nats_bus,
    ):
        await nats_bus.provision()
        yield nats_bus
