"""The worker on a real server: what follows an event, and its trace."""

from tests.fixtures.eventually import eventually
from tests.fixtures.ingest_on_nats import (
    holds,
    ingest,
    publish,
    received,
    remember,
    running,
    stored,
)

from ricordo.bus.nats import NatsBus
from ricordo.bus.port import Outgoing
from ricordo.messages.codec import decode
from ricordo.messages.events import MemoryCreated
from ricordo.messages.ids import derived_id, memory_id
from ricordo.messages.subjects import STREAM_DERIVED, STREAM_IN


async def test_what_follows_is_published_with_its_trace_and_the_cause_leaves_the_queue(bus: NatsBus) -> None:
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
