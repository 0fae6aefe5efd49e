"""Request-reply on a real server."""

from collections.abc import Callable, Coroutine

import nats
import nats.errors
import pytest
from tests.fixtures.eventually import eventually
from tests.fixtures.ingest_on_nats import running
from tests.fixtures.nats_server import NatsServerProcess

from ricordo.bus.nats.nats_bus import NatsBus, open_bus
from ricordo.bus.nats.nats_connection import NatsSettings
from ricordo.bus.nats.topology import Topology
from ricordo.bus.port import BusUnavailable, Request
from ricordo.clock import SystemClock
from ricordo.messages.message_types import Message
from ricordo.messages.queries import StatsReply, StatsRequest
from ricordo.runtime.handling import QueryRoute
from ricordo.runtime.query_server import QueryServer

STATS = "memory.v1.acme.query.stats"
ASKED = b'{"user_id": "u-1"}'


async def stats(tenant: str, request: StatsRequest) -> Message:
    return StatsReply(memories=3, archived=0, history=3, facts=0, reflections=0, summaries=0, pending=0)


def server_on(
    bus: NatsBus, handler: Callable[[str, StatsRequest], Coroutine[object, object, Message]] = stats
) -> QueryServer:
    return QueryServer(
        name="retrieval",
        kind="query",
        routes={"query.stats": QueryRoute(handler=handler)},
        bus=bus,
        clock=SystemClock(),
    )


class TestQueries:
    async def test_it_answers_again_after_the_server_was_killed(
        self, server: NatsServerProcess, bus: NatsBus
    ) -> None:
        async with running(server_on(bus)):
            server.kill()
            await server.start()
            async with await nats.connect(server.url) as client:

                async def answered() -> bool:
                    try:
                        return bool((await client.request(STATS, ASKED, timeout=1)).data)
                    except (nats.errors.NoRespondersError, nats.errors.TimeoutError):
                        return False

                await eventually(answered)

    async def test_each_request_is_received_once_although_the_server_was_too_slow_at_first(
        self, server: NatsServerProcess, topology: Topology
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
