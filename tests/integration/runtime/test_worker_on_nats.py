"""The worker on a real server: outcomes, stopping, sharing."""

import asyncio
from collections.abc import Sequence

from tests.fixtures.eventually import eventually
from tests.fixtures.ingest_on_nats import (
    Received,
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
from ricordo.messages.events import MemoryCreated
from ricordo.messages.ids import derived_id, memory_id
from ricordo.messages.subjects import STREAM_DERIVED, STREAM_IN
from ricordo.runtime.handling import Done, Outcome


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
