"""Deliveries, whose turn it is, traces, backoff, and malformed input from servers."""

import json
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table

from ricordo.bus.port import Delivery
from ricordo.language.annotations import Role
from ricordo.messages.codec import encode
from ricordo.messages.event_items import gather
from ricordo.messages.events import MemoryCreated, MessageImported, MessageReceived, SessionEnded
from ricordo.messages.ids import memory_id, session_ended_id
from ricordo.messages.subjects import InvalidSubject, Subject, dead_letter_subject, parse_dead_letter
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.decoding import decode_message, references, user_of
from ricordo.runtime.handling import Reject
from ricordo.runtime.sweeper import Advisory
from ricordo.runtime.tracing import TraceContext
from ricordo.runtime.worker.state import InFlightMessage, isolation_order
from ricordo_services.bus_findings import reports_in

NOON = datetime(2026, 2, 1, 12, tzinfo=UTC)


class Fake:
    """As much of a delivery as reading it takes."""

    def __init__(self, subject: str, body: bytes, sequence: int = 1, attempt: int = 1) -> None:
        self.subject, self.body, self.sequence, self.attempt = subject, body, sequence, attempt
        self.headers: dict[str, str] = {}


class TestUsers:
    @given(user=st.text(), content=st.text() | st.sampled_from(['"user_id": "u-9"', '\\"user_id\\": "u-9"']))
    def test_no_content_passes_for_a_user(self, user: str, content: str) -> None:
        body = json.dumps({"content": content, "user_id": user}).encode()
        assert user_of(cast("Delivery", Fake("s", body))) == ("s", json.dumps(user).encode())

    @pytest.mark.parametrize("body", [b"", b"{nonsense", b'{"user_id": 7}', b'{"user_id": "open'])
    def test_what_names_no_user_has_a_turn_of_its_own(self, body: bytes) -> None:
        assert user_of(cast("Delivery", Fake("s", body))) == ("s", b"")


class TestDecoding:
    received = MessageReceived(
        id="m-1", user_id="u", conversation_id="c", role=Role.USER, content="Ciao", timestamp=NOON
    )

    def test_the_cause_of_what_bots_publish_follows_from_its_id(self) -> None:
        imported = MessageImported(**self.received.model_dump())
        ended = SessionEnded(user_id="u", conversation_id="c", timestamp=NOON)
        for name, event, cause in (
            ("message.received", self.received, memory_id("acme", "m-1")),
            ("message.imported", imported, memory_id("acme", "m-1")),
            ("session.ended", ended, session_ended_id("acme", "c", "2026-02-01T12:00:00Z")),
        ):
            delivery = cast("Any", Fake(f"memory.v1.acme.{name}", encode(event)))
            decoded = decode_message(delivery)
            assert not isinstance(decoded, Reject)
            (envelope,) = decoded
            assert (envelope.id, envelope.tenant) == (cause, "acme")
            assert (envelope.attempt, envelope.body) == (1, event)
            assert TraceContext.parse(str(envelope.trace)) is not None

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
        derived = MemoryCreated(user_id="u", memory_id=made)
        for event, ids in ((said, ("m-1", None)), (derived, (None, made))):
            assert references(subject, encode(gather(made, NOON, [event]))) == ("acme", *ids)


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


HEXADECIMAL = "0123456789abcdef"


class TestTraces:
    @given(
        st.text(HEXADECIMAL, min_size=32, max_size=32),
        st.text(HEXADECIMAL, min_size=16, max_size=16),
        st.text(HEXADECIMAL, min_size=2, max_size=2),
    )
    def test_what_is_written_is_read(self, trace: str, span: str, flags: str) -> None:
        found = TraceContext.parse(f"00-{trace}-{span}-{flags}")
        if set(trace) == {"0"} or set(span) == {"0"}:
            assert found is None
        else:
            assert found == TraceContext(trace, span, flags)
            assert TraceContext.parse(str(found)) == found

    @pytest.mark.parametrize("header", [None, *table(__file__, "no_traces")])
    def test_what_is_no_trace_begins_a_new_one(self, header: str | None) -> None:
        assert TraceContext.parse(header) is None
        assert TraceContext.parse(str(TraceContext.continued(header))) is not None

    def test_a_child_is_another_span_of_the_same_trace(self) -> None:
        parent = TraceContext.begin()
        child = parent.child()
        assert child.trace_id == parent.trace_id
        assert child.span_id != parent.span_id
        assert TraceContext.begin().trace_id != parent.trace_id


class TestBackoff:
    @given(st.integers(-3, 10_000))
    def test_it_never_leaves_its_bounds(self, attempt: int) -> None:
        backoff = Backoff(first=0.5, longest=30.0, jitter=0.5)
        assert 0.25 <= backoff.delay(attempt) <= 30.0

    def test_it_doubles(self) -> None:
        backoff = Backoff(first=1.0, longest=5.0, jitter=0.0)
        assert [backoff.delay(attempt) for attempt in range(1, 6)] == [1.0, 2.0, 4.0, 5.0, 5.0]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)
ADVISORY = {"stream": "RICORDO", "consumer": "encode", "stream_seq": 7, "deliveries": 9}
DEEP = b"[" * 100_000


@given(
    st.binary(max_size=80)
    | st.tuples(st.sampled_from(sorted(ADVISORY)), JSON).map(
        lambda changed: json.dumps(ADVISORY | dict([changed])).encode()
    )
)
@example(DEEP)
@example(json.dumps(ADVISORY | {"stream_seq": float("inf")}).encode())
def test_any_bytes_are_an_advisory_or_none(body: bytes) -> None:
    found = Advisory.parse(body)
    assert found is None or isinstance(found.sequence + found.deliveries, int)


@given(st.binary(max_size=80) | JSON.map(lambda told: json.dumps({"workers": told}).encode()))
@example(DEEP)
@example(b"null")
def test_any_answer_about_health_holds_reports_or_none(reply: bytes) -> None:
    assert all(isinstance(report, dict) for report in reports_in(reply))


@given(st.text(max_size=80) | st.from_regex(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-x)?"))
def test_any_trace_is_continued(header: str) -> None:
    found = TraceContext.parse(str(TraceContext.continued(header)))
    parent = TraceContext.parse(header)
    assert found is not None
    assert parent is None or found.trace_id == parent.trace_id


@given(
    st.text(max_size=60) | st.lists(st.sampled_from(["dlq", "memory", "v1", "a", "", "*", ">"])).map(".".join)
)
def test_any_subject_is_read_or_refused(subject: str) -> None:
    try:
        assert str(Subject.parse(subject)) == subject
    except InvalidSubject as error:
        assert str(error)  # noqa: PT017 - either is right
    try:
        assert dead_letter_subject(*parse_dead_letter(subject)) == subject
    except InvalidSubject as error:
        assert str(error)  # noqa: PT017 - likewise
