"""The worker on a real server that is killed."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.fixtures.eventually import eventually
from tests.fixtures.ingest_on_nats import (
    Received,
    count,
    follows,
    holds,
    ingest,
    received,
    running,
    stored,
)
from tests.fixtures.nats_server import NatsServerProcess

from ricordo.bus.nats.nats_bus import NatsBus
from ricordo.bus.nats.topology import Topology
from ricordo.messages.subjects import STREAM_DEAD_LETTERS, STREAM_DERIVED, STREAM_IN
from ricordo.runtime.handling import Done, Outcome


class TestTheServerDies:
    @pytest.fixture
    def topology(self, topology: Topology) -> Topology:
        """Have all that is acknowledged in the files: of derived events a killed server may lose the last.

        They are persisted asynchronously, and reconciliation emits again what was lost; here it would hide
        whether the worker let go of an original whose results were not taken.
        """
        streams = tuple(replace(stream, persist_async=False) for stream in topology.streams)
        return replace(topology, streams=streams)

    async def test_kill_and_restart_lose_nothing_and_double_no_effect(
        self, server: NatsServerProcess, bus: NatsBus
    ) -> None:
        total, effects = 300, Counter[str]()

        async def handler(_: str, events: Sequence[Received]) -> Sequence[Outcome]:
            await asyncio.sleep(0.01)
            effects.update({event.body.id: 1 for event in events})
            return [Done((follows(event),)) for event in events]

        acknowledged: set[int] = set()

        async def taken(number: int) -> bool:
            return await bus.publish([received(number)]) == [None]

        async def bot() -> None:
            for number in range(total):
                await eventually(lambda number=number: taken(number))  # type: ignore[misc]  # default argument
                acknowledged.add(number)

        worker = ingest(bus, handler, batch=10)
        async with running(worker):
            publishing = asyncio.create_task(bot())
            for share in (0.25, 0.6):
                await eventually(lambda share=share: len(acknowledged) >= total * share)  # type: ignore[misc]  # default argument
                server.kill()
                await asyncio.sleep(0.3)
                await server.start()
            async with asyncio.timeout(60):
                await publishing
            await eventually(lambda: holds(bus, STREAM_IN, 0), within=30)
        assert set(effects) == {f"m-{number}" for number in acknowledged}
        assert len(acknowledged) == total
        ids = {message.headers["ce-id"] for message in await stored(bus, STREAM_DERIVED)}
        assert len(ids) == total
        assert await count(bus, STREAM_DEAD_LETTERS) == 0
        assert worker.health.report()["state"] == "stopped"
