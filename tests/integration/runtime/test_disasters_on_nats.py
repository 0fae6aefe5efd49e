"""The worker on a real server: messages that kill, servers that are killed."""

import asyncio
import os
import signal
import sys
import textwrap
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import pytest
from tests.fixtures.eventually import eventually
from tests.fixtures.ingest_on_nats import (
    Received,
    count,
    follows,
    holds,
    ingest,
    publish,
    received,
    running,
    sides,
    stored,
)
from tests.fixtures.nats_server import NatsServerProcess

from ricordo.bus.nats import NatsBus, Topology, ricordo_topology
from ricordo.bus.port import DeadLetter
from ricordo.clock import SystemClock
from ricordo.messages.subjects import STREAM_DEAD_LETTERS, STREAM_DERIVED, STREAM_IN
from ricordo.runtime.handling import Done, Outcome
from ricordo.runtime.sweeper import Sweeper
from ricordo.runtime.worker.state import LoopSettings

ACK_WAIT = 1.0


_POISONED = textwrap.dedent(
    """
    import asyncio, os, signal, sys
    from ricordo.clock import SystemClock
    from ricordo.bus.nats import NatsSettings, open_bus, ricordo_topology
    from ricordo.runtime.handling import Done
    from ricordo.bus.port import Bus
    from ricordo.runtime.worker.event_worker import EventWorker

    async def handler(tenant, events):
        await asyncio.sleep(0.1)  # what is fetched ahead is in hand by then
        if any(event.body.content == "poison" for event in events):
            os.kill(os.getpid(), signal.SIGKILL)
        return [Done() for _ in events]

    async def main():
        topology = ricordo_topology(ack_wait=float(sys.argv[2]), max_deliver=int(sys.argv[3]))
        async with open_bus(NatsSettings(servers=(sys.argv[1],)), topology) as bus:
            sides = bus
            worker = EventWorker(
                name="ingest", consumer="ingest", handler=handler, bus=sides, clock=SystemClock()
            )
            await worker.run(asyncio.Event(), lambda: None)

    asyncio.run(main())
    """
)


class TestPoison:
    """Of several killers more deliveries are needed: what falls due together may be in hand together."""

    @pytest.fixture
    def topology(self, deliveries: int) -> Topology:
        return ricordo_topology(ack_wait=ACK_WAIT, max_deliver=deliveries)

    @pytest.mark.parametrize(
        ("total", "killers", "deliveries"),
        [(4, {2}, 3), (100, {1}, 3), (100, {30, 31, 90}, 6)],
        ids=["few", "first", "several"],
    )
    @pytest.mark.slow
    async def test_what_kills_its_worker_ends_as_a_dead_letter_and_leaves_the_queue(
        self, server: NatsServerProcess, bus: NatsBus, total: int, killers: set[int], deliveries: int
    ) -> None:
        buried: dict[str | None, DeadLetter] = {}

        async def record(letter: DeadLetter, publish: Callable[[], Awaitable[None]]) -> None:
            await publish()
            buried[letter.message_id] = letter

        async def is_over() -> bool:
            assert set(buried) <= {f"m-{n}" for n in killers}, "its neighbours pass"
            return len(buried) == len(killers) and await holds(bus, STREAM_IN, 0)

        sweeper = Sweeper(
            consumer="sweeper",
            bus=sides(bus),
            streams=bus,
            sweeps=(STREAM_IN, STREAM_DERIVED),
            work_queues=bus.topology.work_queues,
            clock=SystemClock(),
            record_dead_letter=record,
            loop=LoopSettings(fetch_timeout=0.5),
        )
        numbers = range(1, total + 1)
        await publish(bus, *(received(n, "poison" if n in killers else "Ciao!") for n in numbers))
        async with running(sweeper), asyncio.timeout(120):
            deaths = await _revive(server.url, deliveries, is_over)
        assert deaths <= deliveries * len(killers)
        for letter in buried.values():
            assert (letter.tenant, letter.code, letter.attempts) == ("acme", "attempts_exhausted", deliveries)
            assert letter.consumer == "ingest"
        letters = {letter.headers["Nats-Msg-Id"]: letter for letter in await stored(bus, STREAM_DEAD_LETTERS)}
        assert set(letters) == {f"dlq:RICORDO_IN:{n}:ingest" for n in killers}
        for n in killers:
            assert letters[f"dlq:RICORDO_IN:{n}:ingest"].body == received(n, "poison").body


async def _revive(address: str, deliveries: int, is_over: Callable[[], Awaitable[bool]]) -> int:
    """Start a poisoned worker each time that it has died, until all is over; return how often it died."""
    deaths = 0
    while not await is_over():
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _POISONED, address, str(ACK_WAIT), str(deliveries), env=dict(os.environ)
        )
        died = asyncio.ensure_future(process.wait())
        while not died.done() and not await is_over():
            await asyncio.wait([died], timeout=0.1)
        if process.returncode is None:
            process.terminate()
            await died
        else:
            assert process.returncode == -signal.SIGKILL
            deaths += 1
    return deaths


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
