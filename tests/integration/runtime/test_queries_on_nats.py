"""Request-reply, health and whole processes on a real server."""

import asyncio
import json
import os
import signal
import sys
import textwrap
import time
from collections.abc import Callable, Coroutine

import nats
import nats.errors
import pytest
from tests.fixtures.eventually import eventually
from tests.fixtures.ingest_on_nats import running
from tests.fixtures.nats_server import NatsServerProcess

from ricordo.bus.nats import NatsBus, NatsSettings, Topology, open_bus
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


_PROCESS = textwrap.dedent(
    """
    import asyncio, sys
    from ricordo import log
    from ricordo.clock import SystemClock
    from ricordo.bus.nats import NatsSettings, open_bus, ricordo_topology
    from ricordo.runtime.handling import Done
    from ricordo.runtime.process import run_services, stop_on_signals
    from ricordo.bus.port import Bus
    from ricordo.runtime.worker.event_worker import EventWorker

    async def handler(tenant, events):
        await asyncio.sleep(0.05)
        return [Done() for _ in events]

    async def main():
        log.configure()
        stopping = asyncio.Event()
        with stop_on_signals(stopping):
            async with open_bus(NatsSettings(servers=(sys.argv[1],)), ricordo_topology()) as bus:
                await bus.provision()
                sides = bus
                workers = [
                    EventWorker(
                        name=name, consumer=name, handler=handler, bus=sides, clock=SystemClock()
                    )
                    for name in ("ingest", "encode", "index")
                ]
                await run_services(
                    workers, stopping=stopping, on_ready=lambda: print("ready", flush=True)
                )
        print("stopped", flush=True)

    asyncio.run(main())
    """
)


async def test_a_process_of_workers_ends_cleanly_on_a_signal(server: NatsServerProcess) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        _PROCESS,
        server.url,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(os.environ),
    )
    assert process.stdout is not None
    assert await asyncio.wait_for(process.stdout.readline(), 20) == b"ready\n"
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    stopped = await asyncio.wait_for(process.stdout.readline(), 20)
    took = time.monotonic() - began
    _, log = await asyncio.wait_for(process.communicate(), 20)
    assert process.returncode == 0, log.decode()
    assert stopped == b"stopped\n"
    assert took < 4.0
    assert all(json.loads(line)["level"] == "info" for line in log.splitlines())
