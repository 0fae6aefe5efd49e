"""From a delivery to an envelope, from an event to a message, and whose turn it is."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.workshop import memory_bus
from tests.support.bus import MemoryBus
from tests.support.manual_clock import ManualClock

from ricordo.bus.port import Delivery, Outgoing
from ricordo.language.annotations import Role
from ricordo.messages.codec import encode
from ricordo.messages.events import (
    MemoryCreated,
    MemoryEncoded,
    MessageImported,
    MessageReceived,
    SessionEnded,
)
from ricordo.messages.ids import memory_id, session_ended_id
from ricordo.runtime.decoding import MessageReferences, decode_delivery, references, user_of
from ricordo.runtime.event_publishing import stamp
from ricordo.runtime.handling import Envelope, Reject
from ricordo.runtime.tracing import TraceContext
from ricordo.runtime.worker.state import InFlightMessage, isolation_order

NOON = datetime(2026, 2, 1, 12, tzinfo=UTC)


async def delivered(bus: MemoryBus, name: str, body: bytes) -> Envelope[Any] | Reject:
    await bus.publish([Outgoing(subject=f"memory.v1.acme.{name}", body=body)])
    return decode_delivery(
        (await (await bus.subscribe("ingest" if name.startswith("message") else "encode")).fetch(1, 0.1))[0]
    )


@dataclass
class Raw:
    subject: str
    body: bytes


class TestUsers:
    @given(user=st.text(), content=st.text() | st.sampled_from(['"user_id": "u-9"', '\\"user_id\\": "u-9"']))
    def test_no_content_passes_for_a_user(self, user: str, content: str) -> None:
        body = json.dumps({"content": content, "user_id": user}).encode()
        assert user_of(cast("Delivery", Raw("s", body))) == ("s", json.dumps(user).encode())

    @pytest.mark.parametrize("body", [b"", b"{nonsense", b'{"user_id": 7}', b'{"user_id": "open'])
    def test_what_names_no_user_has_a_turn_of_its_own(self, body: bytes) -> None:
        assert user_of(cast("Delivery", Raw("s", body))) == ("s", b"")


class TestDecoding:
    received = MessageReceived(
        id="m-1", user_id="u", conversation_id="c", role=Role.USER, content="Ciao", timestamp=NOON
    )

    async def test_the_cause_of_a_message_follows_from_its_id(self) -> None:
        envelope = await delivered(memory_bus(ManualClock()), "message.received", encode(self.received))
        assert isinstance(envelope, Envelope)
        assert envelope.id == memory_id("acme", "m-1")
        assert (envelope.tenant, envelope.attempt, envelope.body) == ("acme", 1, self.received)
        assert TraceContext.parse(envelope.traceparent) is not None

    def test_every_event_that_bots_publish_has_a_cause(self) -> None:
        imported = MessageImported(**self.received.model_dump())
        ended = SessionEnded(user_id="u", conversation_id="c", timestamp=NOON)
        for name, event, cause in (
            ("message.imported", imported, memory_id("acme", "m-1")),
            ("session.ended", ended, session_ended_id("acme", "c", "2026-02-01T12:00:00Z")),
        ):
            delivery = cast("Any", Fake(f"memory.v1.acme.{name}", encode(event)))
            envelope = decode_delivery(delivery)
            assert isinstance(envelope, Envelope)
            assert envelope.id == cause

    @pytest.mark.parametrize(
        ("subject", "body", "expected"),
        [
            ("memory.v1.acme.message.received", b'{"id": "m-1"', ("acme", "m-1")),
            ("memory.v1.acme.message.received", b"\xff", ("acme", None)),
            ("memory.v1.acme.memory.created", b'{"id": "7"}', ("acme", None)),
            ("memory.v1.ACME.message.received", b'{"id": "m-1"}', (None, None)),
        ],
    )
    def test_what_cannot_be_read_is_still_about_somebody(
        self, subject: str, body: bytes, expected: tuple[str | None, str | None]
    ) -> None:
        told = references(subject, body)
        assert (told.tenant, told.message_id, told.memory_id) == (*expected, None)

    def test_an_event_is_about_its_message_or_else_about_the_memory_it_names(self) -> None:
        made, subject = UUID(int=7), "memory.v1.acme.memory.created"
        said = MemoryCreated(user_id="u", conversation_id="c", message_id="m-1", memory_id=made)
        assert references(subject, b"", said) == MessageReferences("acme", "m-1", None)
        assert references(subject, b"", MemoryCreated(user_id="u", memory_id=made)) == MessageReferences(
            "acme", None, made
        )


class Fake:
    """As much of a delivery as reading it takes."""

    def __init__(self, subject: str, body: bytes, sequence: int = 1, attempt: int = 1) -> None:
        self.subject, self.body, self.sequence, self.attempt = subject, body, sequence, attempt
        self.headers: dict[str, str] = {}


class TestStamping:
    encoded = MemoryEncoded(user_id="u", memory_id=UUID(int=5), model="m")

    def test_the_same_cause_gives_the_same_ids_and_different_ones_differ(self) -> None:
        events = [self.encoded, self.encoded]
        first = [event.id for event in stamp(events, UUID(int=1), NOON)]
        assert first == [event.id for event in stamp(events, UUID(int=1), datetime.now(UTC))]
        assert len({*first, *(event.id for event in stamp(events, UUID(int=2), NOON))}) == 4

    def test_what_the_handler_set_stays(self) -> None:
        own = self.encoded.model_copy(update={"id": UUID(int=9)})
        (event,) = stamp([own], UUID(int=1), NOON)
        assert (event.id, event.at) == (UUID(int=9), NOON)


class TestSuspects:
    @given(
        st.lists(st.tuples(st.integers(1, 99), st.integers(3, 7)), unique_by=lambda pair: pair[0], max_size=9)
    )
    def test_each_has_its_turn_the_most_delivered_first(self, places: list[tuple[int, int]]) -> None:
        suspects = [
            InFlightMessage(cast("Any", Fake("s", b"", sequence, attempt))) for sequence, attempt in places
        ]
        turns = [(held.delivery.sequence, held.delivery.attempt) for held in isolation_order(suspects)]
        assert sorted(turns) == sorted(places)
        assert [attempt for _, attempt in turns] == sorted((a for _, a in places), reverse=True)
        third = [sequence for sequence, attempt in turns if attempt == 3]
        fourth = [sequence for sequence, attempt in turns if attempt == 4]
        assert third == sorted(third)
        assert fourth == sorted(fourth, reverse=True)
