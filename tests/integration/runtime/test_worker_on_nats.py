"""The worker on a real server: redelivery, dead letters, poison, kill -9, stopping, sharing."""

import asyncio
import itertools
import os
import signal
import sys
import textwrap
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from ricordo.adapters.clock import SystemClock
from ricordo.adapters.nats import NatsBus, NatsSettings, Topology, open_bus
from ricordo.messages.codec import decode, encode
from ricordo.messages.events import MemoryCreated, MessageReceived
from ricordo.messages.ids import derived_id, memory_id
from ricordo.messages.subjects import STREAM_DEAD_LETTERS, STREAM_DERIVED, STREAM_IN
from ricordo.messages.vocabulary import Role
from ricordo.ports.bus import DeadLetter, Outgoing, StoredMessage
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.consumption import LoopSettings
from ricordo.runtime.handling import Done, Envelope, Handler, Outcome, Rejected
from ricordo.runtime.sweeper import Sweeper
from ricordo.runtime.worker import Bus, EventWorker, WorkerSettings
from ricordo.testing.eventually import eventually
from ricordo.testing.nats_server import NatsServerProcess

pytestmark = pytest.mark.integration

Received = Envelope[MessageReceived]

RECEIVED = "memory.v1.acme.message.received"


def received(number: int, content: str = "Ciao!") -> Outgoing:
    message = MessageReceived(
        id=f"m-{number}",
        user_id="u-1",
        conversation_id="c-1",
        role=Role.USER,
        content=content,
        timestamp=datetime(2026, 2, 1, tzinfo=UTC),
    )
    return Outgoing(subject=RECEIVED, body=encode(message))


def follows(event: Received) -> MemoryCreated:
    return MemoryCreated(user_id="u-1", conversation_id="c-1", message_id=event.body.id, memory_id=event.id)


async def remember(_: str, events: Sequence[Received]) -> Sequence[Outcome]:
    return [Done((follows(event),)) for event in events]


def sides(bus: NatsBus) -> Bus:
    return Bus(subscriptions=bus, publisher=bus)


def ingest(bus: NatsBus, handler: Handler[MessageReceived], batch: int = 32) -> EventWorker:
    return EventWorker(
        name="ingest",
        consumer="ingest",
        handler=handler,
        bus=sides(bus),
        clock=SystemClock(),
        settings=WorkerSettings(
            loop=LoopSettings(batch=batch, fetch_timeout=0.5), backoff=Backoff(first=0.1, jitter=0.0)
        ),
    )


@asynccontextmanager
async def running(*workers: EventWorker | Sweeper) -> AsyncIterator[None]:
    stopping = asyncio.Event()
    readied = [asyncio.Event() for _ in workers]
    tasks = [
        asyncio.create_task(worker.run(stopping, ready.set))
        for worker, ready in zip(workers, readied, strict=True)
    ]
    for ready in readied:
        await ready.wait()
    try:
        yield
    finally:
        stopping.set()
        await asyncio.gather(*tasks)


async def stored(bus: NatsBus, stream: str) -> list[StoredMessage]:
    state = (await bus._connection.streams.stream_info(stream)).state
    found = [await bus.read(stream, sequence) for sequence in range(1, state.last_seq + 1)]
    return [message for message in found if message is not None]


async def count(bus: NatsBus, stream: str) -> int:
    return (await bus._connection.streams.stream_info(stream)).state.messages


async def publish(bus: NatsBus, *messages: Outgoing) -> None:
    assert await bus.publish(messages) == [None] * len(messages)


class TestOutcomes:
    async def test_what_follows_is_published_with_its_trace_and_the_cause_leaves_the_queue(
        self, bus: NatsBus
    ) -> None:
        trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        first = received(1)
        await publish(bus, Outgoing(subject=first.subject, body=first.body, headers={"traceparent": trace}))
        async with running(ingest(bus, remember)):
            await eventually(lambda: _is(bus, STREAM_IN, 0))
        (message,) = await stored(bus, STREAM_DERIVED)
        assert message.subject == "memory.v1.acme.memory.created"
        event = decode("memory.created", message.body)
        assert isinstance(event, MemoryCreated)
        assert event.memory_id == memory_id("acme", "m-1")
        assert event.id == derived_id(event.memory_id, "memory.created", 0)
        assert message.headers["ce-id"] == message.headers["Nats-Msg-Id"] == str(event.id)
        assert message.headers["ce-type"] == "memory.created"
        assert message.headers["ce-source"] == "ricordo/ingest"
        assert message.headers["traceparent"].split("-")[1] == trace.split("-")[1]
        assert message.headers["traceparent"] != trace

    async def test_a_failing_event_backs_off_and_ends_as_a_dead_letter_with_its_bytes(
        self, bus: NatsBus
    ) -> None:
        times: list[float] = []

        async def handler(_: str, events: Sequence[Received]) -> Sequence[Outcome]:
            if any(event.body.id == "m-2" for event in events):
                if len(events) == 1:
                    times.append(time.monotonic())
                raise OSError("number 2 is bad")
            return [Done((follows(event),)) for event in events]

        bad = received(2, "È andata così… ☂")
        await publish(bus, received(1), bad, received(3))
        worker = ingest(bus, handler)
        async with running(worker):
            await eventually(lambda: _is(bus, STREAM_IN, 0))
        assert await count(bus, STREAM_DERIVED) == 2
        pauses = [later - earlier for earlier, later in itertools.pairwise(times)]
        assert len(times) == 3
        assert pauses[0] >= 0.09
        assert pauses[1] >= 0.19
        (letter,) = await stored(bus, STREAM_DEAD_LETTERS)
        assert letter.subject == f"dlq.ingest.{RECEIVED}"
        assert letter.body == bad.body
        assert letter.headers["Ricordo-Reason"] == (
            "attempts_exhausted: given up at attempt 3: OSError: number 2 is bad"
        )
        assert letter.headers["Ricordo-Attempts"] == "3"
        assert letter.headers["Ricordo-Stream-Seq"] == "2"
        assert letter.headers["Nats-Msg-Id"] == "dlq:RICORDO_IN:2:ingest"
        assert (worker.health.processed, worker.health.retried, worker.health.dead_lettered) == (2, 2, 1)

    async def test_unreadable_and_rejected_messages_become_dead_letters_at_once(self, bus: NatsBus) -> None:
        async def handler(_: str, events: Sequence[Received]) -> Sequence[Outcome]:
            if len(events) == 1 and events[0].body.id == "m-2":
                raise Rejected("id_conflict", "m-2 was said otherwise")
            if any(event.body.id == "m-2" for event in events):
                raise Rejected("id_conflict", "one of these")
            return [Done() for _ in events]

        await publish(
            bus,
            received(1),
            Outgoing(subject=RECEIVED, body=b"\x00\xffnot json"),
            received(2),
            Outgoing(subject=RECEIVED, body=b'{"id": "m-9"}'),
            Outgoing(subject="memory.v1.Bad_Tenant.message.received", body=received(5).body),
        )
        async with running(ingest(bus, handler)):
            await eventually(lambda: _is(bus, STREAM_IN, 0))
        letters = await stored(bus, STREAM_DEAD_LETTERS)
        assert sorted(letter.headers["Ricordo-Reason"].partition(":")[0] for letter in letters) == [
            "id_conflict",
            "invalid",
            "invalid_subject",
            "not_json",
        ]
        assert {letter.headers["Ricordo-Attempts"] for letter in letters} == {"1"}


async def _is(bus: NatsBus, stream: str, expected: int) -> bool:
    return await count(bus, stream) == expected


_POISONED = textwrap.dedent(
    """
    import asyncio, os, signal, sys
    from ricordo.adapters.clock import SystemClock
    from ricordo.adapters.nats import NatsSettings, open_bus, ricordo_topology
    from ricordo.runtime.handling import Done
    from ricordo.runtime.worker import Bus, EventWorker

    async def handler(tenant, events):
        if any(event.body.content == "poison" for event in events):
            os.kill(os.getpid(), signal.SIGKILL)
        return [Done() for _ in events]

    async def main():
        async with open_bus(NatsSettings(servers=(sys.argv[1],)), ricordo_topology()) as bus:
            sides = Bus(subscriptions=bus, publisher=bus)
            worker = EventWorker(
                name="ingest", consumer="ingest", handler=handler, bus=sides, clock=SystemClock()
            )
            await worker.run(asyncio.Event(), lambda: None)

    asyncio.run(main())
    """
)


class TestPoison:
    async def test_a_message_that_kills_its_worker_ends_as_a_dead_letter_and_leaves_the_queue(
        self, server: NatsServerProcess, bus: NatsBus
    ) -> None:
        buried: list[DeadLetter] = []

        async def record(letter: DeadLetter) -> None:
            buried.append(letter)

        sweeper = Sweeper(
            consumer="sweeper",
            bus=sides(bus),
            streams=bus,
            sweeps=(STREAM_IN, STREAM_DERIVED),
            work_queues=bus.topology.work_queues,
            clock=SystemClock(),
            on_dead_letter=record,
            loop=LoopSettings(fetch_timeout=0.5),
        )
        await publish(bus, received(1), received(2, "poison"), received(3), received(4))
        async with running(sweeper):
            deaths = 0
            async with asyncio.timeout(60):
                while not buried:
                    process = await asyncio.create_subprocess_exec(
                        sys.executable, "-c", _POISONED, server.url, env=dict(os.environ)
                    )
                    while process.returncode is None and not buried:
                        await asyncio.wait([asyncio.ensure_future(process.wait())], timeout=0.1)
                    if process.returncode is None:
                        process.terminate()
                        await process.wait()
                    else:
                        assert process.returncode == -signal.SIGKILL
                        deaths += 1
        assert deaths <= 3
        poison = next(letter for letter in buried if letter.message_id == "m-2")
        assert (poison.tenant, poison.code, poison.attempts) == ("acme", "attempts_exhausted", 3)
        assert (poison.consumer, poison.sequence) == ("ingest", 2)
        letters = {letter.headers["Nats-Msg-Id"]: letter for letter in await stored(bus, STREAM_DEAD_LETTERS)}
        assert letters["dlq:RICORDO_IN:2:ingest"].body == received(2, "poison").body
        assert list(letters) == ["dlq:RICORDO_IN:2:ingest"], "its neighbours pass"
        assert await stored(bus, STREAM_IN) == []


class TestTheServerDies:
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
            await eventually(lambda: _is(bus, STREAM_IN, 0), within=30)
        assert set(effects) == {f"m-{number}" for number in acknowledged}
        assert len(acknowledged) == total
        ids = {message.headers["ce-id"] for message in await stored(bus, STREAM_DERIVED)}
        assert len(ids) == total
        assert await count(bus, STREAM_DEAD_LETTERS) == 0
        assert worker.health.report()["state"] == "stopped"


class TestStoppingAndSharing:
    async def test_a_graceful_stop_leaves_nothing_half_done(
        self, server: NatsServerProcess, bus: NatsBus, topology: Topology
    ) -> None:
        begun: set[str] = set()

        async def handler(_: str, events: Sequence[Received]) -> Sequence[Outcome]:
            begun.update(event.body.id for event in events)
            await asyncio.sleep(0.1)
            return [Done((follows(event),)) for event in events]

        await publish(bus, *(received(number) for number in range(100)))
        async with (
            open_bus(NatsSettings(servers=(server.url,)), topology) as other,
            running(ingest(other, handler, batch=5)),
        ):
            await eventually(lambda: len(begun) >= 20)
        produced = [decode("memory.created", m.body) for m in await stored(bus, STREAM_DERIVED)]
        assert {event.message_id for event in produced if isinstance(event, MemoryCreated)} == begun
        await eventually(lambda: _is(bus, STREAM_IN, 100 - len(begun)))
        info = await bus._connection.streams.consumer_info(STREAM_IN, "ingest")
        assert info.num_ack_pending == 0

    async def test_two_workers_share_a_durable(
        self, server: NatsServerProcess, bus: NatsBus, topology: Topology
    ) -> None:
        seen: Counter[str] = Counter()

        def member(name: str) -> Handler[MessageReceived]:
            async def handler(_: str, events: Sequence[Received]) -> Sequence[Outcome]:
                seen[name] += len(events)
                await asyncio.sleep(0.01)
                return [Done((follows(event),)) for event in events]

            return handler

        async with (
            open_bus(NatsSettings(servers=(server.url,)), topology) as other,
            running(ingest(bus, member("one"), batch=5), ingest(other, member("two"), batch=5)),
        ):
            await publish(bus, *(received(number) for number in range(200)))
            await eventually(lambda: _is(bus, STREAM_IN, 0), within=20)
        assert seen["one"] + seen["two"] == 200
        assert min(seen["one"], seen["two"]) >= 20
        assert await count(bus, STREAM_DERIVED) == 200

    async def test_an_idle_worker_handles_a_message_within_milliseconds(self, bus: NatsBus) -> None:
        arrivals: list[float] = []

        async def handler(_: str, events: Sequence[Received]) -> Sequence[Outcome]:
            arrivals.append(time.monotonic())
            return [Done() for _ in events]

        delays = []
        async with running(ingest(bus, handler)):
            for number in range(10):
                await asyncio.sleep(0.05)
                began = time.monotonic()
                await publish(bus, received(number))
                await eventually(lambda number=number: len(arrivals) > number)  # type: ignore[misc]  # default argument
                delays.append(arrivals[-1] - began)
        assert sorted(delays)[len(delays) // 2] < 0.1
