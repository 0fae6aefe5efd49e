"""The worker on a real server: outcomes, stopping, sharing."""

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Sequence

from tests.fixtures.eventually import eventually
from tests.fixtures.ingest_on_nats import (
    RECEIVED,
    Received,
    count,
    follows,
    holds,
    ingest,
    publish,
    received,
    remember,
    running,
    stored,
)
from tests.fixtures.nats_server import NatsServerProcess

from ricordo.bus.nats import NatsBus, NatsSettings, Topology, open_bus
from ricordo.bus.port import Outgoing
from ricordo.messages.codec import decode
from ricordo.messages.events import MemoryCreated, MessageReceived
from ricordo.messages.ids import derived_id, memory_id
from ricordo.messages.subjects import STREAM_DEAD_LETTERS, STREAM_DERIVED, STREAM_IN
from ricordo.runtime.handling import Done, Handler, Outcome, Rejected


class TestOutcomes:
    async def test_what_follows_is_published_with_its_trace_and_the_cause_leaves_the_queue(
        self, bus: NatsBus
    ) -> None:
        trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        first = received(1)
        await publish(bus, Outgoing(subject=first.subject, body=first.body, headers={"traceparent": trace}))
        async with running(ingest(bus, remember)):
            await eventually(lambda: holds(bus, STREAM_IN, 0))
        (message,) = await stored(bus, STREAM_DERIVED)
        assert message.subject == "memory.v1.acme.memory.created"
        event = decode("memory.created", message.body)
        assert isinstance(event, MemoryCreated)
        assert event.memory_id == memory_id("acme", "m-1")
        assert event.id == derived_id(event.memory_id, "memory.created", 0)
        assert message.headers["ce-id"] == message.headers["Nats-Msg-Id"] == str(event.id)
        assert message.headers["ce-type"] == "memory.v1.memory.created"
        assert message.headers["ce-source"] == "/ricordo/ingest"
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
            await eventually(lambda: holds(bus, STREAM_IN, 0))
        assert await count(bus, STREAM_DERIVED) == 2
        pauses = [later - earlier for earlier, later in itertools.pairwise(times)]
        assert len(times) == 3
        assert pauses[0] >= 0.09
        assert pauses[1] >= 0.19
        (letter,) = await stored(bus, STREAM_DEAD_LETTERS)
        assert letter.subject == f"dlq.ingest.{RECEIVED}"
        assert letter.body == bad.body
        assert letter.headers["Ricordo-Reason"] == (
            "attempts_exhausted: failed at attempt 3: OSError: number 2 is bad"
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
            await eventually(lambda: holds(bus, STREAM_IN, 0))
        letters = await stored(bus, STREAM_DEAD_LETTERS)
        assert sorted(letter.headers["Ricordo-Reason"].partition(":")[0] for letter in letters) == [
            "id_conflict",
            "invalid",
            "invalid_subject",
            "not_json",
        ]
        assert {letter.headers["Ricordo-Attempts"] for letter in letters} == {"1"}


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
        await eventually(lambda: holds(bus, STREAM_IN, 100 - len(begun)))
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
            await eventually(lambda: holds(bus, STREAM_IN, 0), within=20)
        assert seen["one"] + seen["two"] == 200
        assert min(seen["one"], seen["two"]) >= 20
        assert await count(bus, STREAM_DERIVED) == 200
