"""Routing, subjects, deterministic ids, and headers of errors and dead letters."""

from datetime import UTC, datetime
from uuid import NAMESPACE_OID, UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table
from tests.support.bus import matches

from ricordo.bus.nats.topology import SWEEPER, ricordo_topology
from ricordo.messages.codec import decode, encode
from ricordo.messages.errors import (
    DeadLetterCode,
    DecodeError,
    dead_letter_headers,
    dead_letter_reason,
    header_text,
)
from ricordo.messages.event_items import (
    BulkEvent,
    DerivedEvent,
    EventItems,
    MemoryEvent,
    Rework,
    SingleEvent,
    event_model,
)
from ricordo.messages.events import MemoryRemembered
from ricordo.messages.ids import derived_id, memory_id, remembered_id, session_ended_id
from ricordo.messages.routing import CONSUMERS, CONTRACTS, STREAM_SUBJECTS, WORKERS, ContractKind, worker_of
from ricordo.messages.subjects import (
    InvalidSubject,
    Subject,
    checked_tenant,
    dead_letter_subject,
    every_tenant,
    parse_dead_letter,
)
from ricordo_services.app import worker_process

RESPONDERS = {one.responder for one in CONTRACTS.values() if one.responder is not None}


def test_the_consumers_are_the_durable_consumers_of_the_server() -> None:
    declared = {
        consumer.name: (consumer.stream, set(consumer.subjects))
        for consumer in ricordo_topology().consumers
        if consumer.name != SWEEPER
    }
    assert declared == {
        one.name: (one.stream, {every_tenant(name) for name in one.events}) for one in CONSUMERS
    }
    assert {name for one in CONTRACTS.values() for name in one.consumers} == set(declared)


def test_every_worker_is_in_the_table() -> None:
    halves = {one.name for one in CONSUMERS if one.name != one.worker}
    assert set(worker_process.WORKERS) - halves - {"gateway"} == set(WORKERS)
    assert {one.worker for one in CONSUMERS} | {one.worker for one in RESPONDERS} == set(WORKERS)


def test_every_derived_event_has_a_writer_that_exists() -> None:
    events = [one for one in CONTRACTS.values() if one.kind is ContractKind.EVENT]
    assert {one.name for one in events if one.writers} == {
        one.name for one in events if issubclass(one.body, EventItems | SingleEvent)
    }
    assert {worker_of(writer) for one in events for writer in one.writers} == set(WORKERS)


TENANTS = st.from_regex(r"[a-z0-9][a-z0-9-]{0,62}", fullmatch=True)


@given(tenant=TENANTS, name=st.sampled_from(sorted(CONTRACTS)))
def test_a_subject_is_parsed_into_what_it_was_built_from(tenant: str, name: str) -> None:
    subject = Subject(tenant, name)
    assert str(subject) == f"memory.v1.{tenant}.{name}"
    assert Subject.parse(str(subject)) == subject


@pytest.mark.parametrize("tenant", ["", "ACME", "-a", "a.b", "a*", ">", "a b", "x" * 64, "città", "a\n"])
def test_an_impossible_tenant_is_refused(tenant: str) -> None:
    with pytest.raises(InvalidSubject):
        checked_tenant(tenant)
    with pytest.raises(InvalidSubject):
        Subject(tenant, "message.received")


@pytest.mark.parametrize("subject", table(__file__, "what_is_no_subject_is_refused"))
def test_what_is_no_subject_is_refused(subject: str) -> None:
    with pytest.raises(InvalidSubject):
        Subject.parse(subject)


@pytest.mark.parametrize("name", sorted(CONTRACTS))
def test_every_event_is_kept_by_exactly_its_stream(name: str) -> None:
    subject = str(Subject("acme", name))
    keeping = [
        stream for stream, kept in STREAM_SUBJECTS.items() if any(matches(one, subject) for one in kept)
    ]
    assert keeping == ([CONTRACTS[name].stream] if CONTRACTS[name].kind is ContractKind.EVENT else [])


def test_a_dead_letter_remembers_its_consumer_and_subject() -> None:
    for original in ("memory.v1.acme.message.received", "memory.v1.NO TENANT.message.received"):
        subject = dead_letter_subject("ingest-bulk", original)
        assert subject == f"dlq.ingest-bulk.{original}"
        assert parse_dead_letter(subject) == ("ingest-bulk", original)


def test_what_cannot_be_a_dead_letter_is_refused() -> None:
    with pytest.raises(InvalidSubject):
        dead_letter_subject("a.b", "x")
    for subject in ("dlq", "dlq.ingest", "memory.v1.acme.message.received"):
        with pytest.raises(InvalidSubject):
            parse_dead_letter(subject)


def test_ids_follow_from_their_causes() -> None:
    memory = memory_id("acme", "m-1")
    assert memory == uuid5(NAMESPACE_OID, "acme/m-1")
    assert remembered_id("acme", "m-1") == uuid5(NAMESPACE_OID, "acme/m-1/remembered")
    assert derived_id(memory, "memory.created", 0) == uuid5(memory, "memory.created:0")
    assert memory_id("other", "m-1") != memory
    assert session_ended_id("acme", "c-1", "2026-02-01T15:00:00Z") != session_ended_id(
        "acme", "c-1", "2026-02-01T15:00:01Z"
    )


def remembered(id: UUID | None = None) -> MemoryRemembered:  # noqa: A002 - named as the field
    event = MemoryRemembered(
        user_id="u-1", conversation_id="c-1", message_id="m-1", memory_id=memory_id("acme", "m-1")
    )
    return event if id is None else event.model_copy(update={"id": id})


def test_stamping_sets_what_the_handler_left_open() -> None:
    now = datetime(2026, 2, 1, tzinfo=UTC)
    own = remembered_id("acme", "m-1")
    assert not remembered().is_stamped
    assert remembered().stamp(UUID(int=7), now).id == UUID(int=7)
    assert remembered(own).stamp(UUID(int=7), now).id == own
    assert remembered(own).stamp(UUID(int=7), now).is_stamped


def test_an_unstamped_event_is_neither_written_nor_read() -> None:
    with pytest.raises(ValueError, match="stamp it before publishing"):
        encode(remembered())
    with pytest.raises(DecodeError, match="id and at are required"):
        decode("memory.remembered", remembered().model_dump_json().encode())


def test_every_derived_event_has_its_name_in_the_registry() -> None:
    bases = (DerivedEvent, MemoryEvent, BulkEvent, Rework, SingleEvent)
    kinds = {kind for base in bases for kind in base.__subclasses__()}
    for kind in kinds - set(bases):
        assert CONTRACTS[kind.name].body is event_model(kind)


def test_a_header_is_one_short_line_of_ascii() -> None:
    text = header_text("è una\r\nRiga: due\x00 " + "x" * 1000)
    assert text.startswith("\\xe8 una Riga: due? x")
    assert len(text) == 500


def test_a_dead_letter_says_why_how_often_and_which() -> None:
    headers = dead_letter_headers(DeadLetterCode.ID_CONFLICT, "another content: came first", 3, 42)
    assert headers == {
        "Ricordo-Reason": "id_conflict: another content: came first",
        "Ricordo-Attempts": "3",
        "Ricordo-Stream-Seq": "42",
    }
    assert dead_letter_reason(headers) == ("id_conflict", "another content: came first")
    assert dead_letter_reason({}) == ("", "")
