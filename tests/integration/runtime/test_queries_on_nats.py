"""Request-reply on a real server; `tests/chaos` has queries after it was killed."""

import nats
import pytest
from tests.fixtures.eventually import eventually
from tests.fixtures.nats_server import NatsServerProcess

from ricordo.bus.nats.nats_bus import open_bus
from ricordo.bus.nats.nats_connection import NatsSettings
from ricordo.bus.nats.topology import Topology
from ricordo.bus.port import BusUnavailable, Request

STATS = "memory.v1.acme.query.stats"


async def test_each_request_is_received_once_although_the_server_was_too_slow_at_first(
    server: NatsServerProcess, topology: Topology
) -> None:
    received = list[bytes]()

    def accept(request: Request) -> None:
        received.append(request.body)

    settings = NatsSettings(servers=(server.url,), request_timeout=1.0)
    async with open_bus(settings, topology) as bus, await nats.connect(server.url) as client:
        with server.paused(), pytest.raises(BusUnavailable):
            await bus.serve(STATS, None, accept)
        await bus.serve(STATS, None, accept)
        for body in (b"one", b"two"):
            await client.publish(STATS, body)
        await eventually(lambda: b"two" in received)
    assert received == [b"one", b"two"]
