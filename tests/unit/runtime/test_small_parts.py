"""Traces, backoff, gates, periodic jobs, decoding, health."""

import asyncio
import json
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.workshop import memory_bus

from ricordo.messages.codec import encode
from ricordo.messages.events import MemoryEncoded, MessageImported, MessageReceived, SessionEnded
from ricordo.messages.ids import memory_id, session_ended_id
from ricordo.messages.subjects import STREAM_IN, InvalidSubject
from ricordo.messages.vocabulary import Role
from ricordo.ports.bus import Outgoing
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.decoding import about, read
from ricordo.runtime.gates import AllGates, OpenGate, ProbeGate
from ricordo.runtime.handling import Envelope, Reject
from ricordo.runtime.health import Health, WorkerState
from ricordo.runtime.health_service import HealthPage, HealthService
from ricordo.runtime.held import Held, one_by_one
from ricordo.runtime.periodic import Periodic
from ricordo.runtime.publishing import outgoing, stamped
from ricordo.runtime.tracing import TraceContext
from ricordo.testing.bus import MemoryBus
from ricordo.testing.bus_model import matches
from ricordo.testing.clock import ManualClock, settle

HEXADECIMAL = "0123456789abcdef"
NOON = datetime(2026, 2, 1, 12, tzinfo=UTC)


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

    @pytest.mark.parametrize(
        "header",
        [
            None,
            "",
            "nonsense",
            f"ff-{'a' * 32}-{'b' * 16}-01",
            f"00-{'A' * 32}-{'b' * 16}-01",
            f"00-{'a' * 32}-{'b' * 16}-01-more",
            f"00-{'a' * 31}-{'b' * 16}-01",
            f"00-{'0' * 32}-{'b' * 16}-01",
            f"00-{'a' * 32}-{'0' * 16}-01",
        ],
    )
    def test_what_is_no_trace_begins_a_new_one(self, header: str | None) -> None:
        assert TraceContext.parse(header) is None
        assert TraceContext.parse(str(TraceContext.continued(header))) is not None

    def test_a_later_version_may_say_more(self) -> None:
        assert TraceContext.parse(f"01-{'a' * 32}-{'b' * 16}-01-more") is not None

    def test_a_child_is_another_span_of_the_same_trace(self) -> None:
        parent = TraceContext.begin()
        child = parent.child()
        assert child.trace_id == parent.trace_id
        assert child.span_id != parent.span_id
        assert TraceContext.begin().trace_id != parent.trace_id


class TestBackoff:
    @given(st.integers(-3, 10_000), st.floats(0, 1, exclude_max=True))
    def test_it_never_leaves_its_bounds(self, attempt: int, chance: float) -> None:
        backoff = Backoff(first=0.5, longest=30.0, jitter=0.5, chance=lambda: chance)
        assert 0.25 <= backoff.delay(attempt) <= 30.0

    def test_it_doubles(self) -> None:
        backoff = Backoff(first=1.0, longest=5.0, jitter=0.0)
        assert [backoff.delay(attempt) for attempt in range(1, 6)] == [1.0, 2.0, 4.0, 5.0, 5.0]

    @pytest.mark.parametrize("broken", [{"first": 0.0}, {"factor": 0.5}, {"longest": 0.1}, {"jitter": 1.5}])
    def test_nonsense_is_refused(self, broken: dict[str, float]) -> None:
        with pytest.raises(ValueError, match="no sensible backoff"):
            Backoff(**broken)  # type: ignore[arg-type]  # each of them is a float


class TestGates:
    async def test_a_probe_gate_opens_when_its_probe_succeeds(self) -> None:
        clock, answers = ManualClock(), [OSError("away"), OSError("away"), None, None]

        async def probe() -> None:
            if failure := answers.pop(0):
                raise failure

        gate = ProbeGate("store", probe, clock)
        waiting = asyncio.create_task(AllGates([OpenGate(), gate]).wait_open())
        await settle()
        assert not waiting.done()
        assert gate.is_open is False
        await clock.advance(5.0)
        assert waiting.done()
        await gate.wait_open()
        assert answers == []

    async def test_a_probe_that_hangs_has_failed(self) -> None:
        clock, calls = ManualClock(), 0

        async def probe() -> None:
            nonlocal calls
            calls += 1
            if calls == 1:
                await asyncio.Event().wait()

        waiting = asyncio.create_task(ProbeGate("store", probe, clock, limit=0.02).wait_open())
        await asyncio.sleep(0.1)
        await clock.advance(1.0)
        await asyncio.wait_for(waiting, 5)
        assert calls == 2


class TestPeriodic:
    def job(self, clock: ManualClock, failures: int = 0) -> tuple[list[float], Periodic]:
        runs: list[float] = []

        async def job() -> None:
            runs.append(clock.monotonic())
            if len(runs) <= failures:
                raise OSError("not now")

        return runs, Periodic(
            name="sweep", job=job, interval=60.0, clock=clock, jitter=0.5, chance=lambda: 0.2
        )

    async def run(self, clock: ManualClock, periodic: Periodic, seconds: float) -> None:
        stopping = asyncio.Event()
        task = asyncio.create_task(periodic.run(stopping, lambda: None))
        await clock.advance(seconds)
        stopping.set()
        await asyncio.wait_for(task, 5)

    async def test_it_runs_at_the_start_and_every_interval_less_jitter(self) -> None:
        clock = ManualClock()
        runs, periodic = self.job(clock)
        await self.run(clock, periodic, 170.0)
        assert runs == [0.0, 54.0, 108.0, 162.0]
        assert periodic.health.processed == 4

    async def test_a_failing_job_is_tried_again_sooner(self) -> None:
        clock = ManualClock()
        runs, periodic = self.job(clock, failures=3)
        stopping = asyncio.Event()
        task = asyncio.create_task(periodic.run(stopping, lambda: None))
        await settle()
        assert periodic.health.report()["state"] == "degraded"
        await clock.advance(50.0)
        assert periodic.health.report()["state"] == "ready"
        assert (len(runs), periodic.health.failed) == (4, 3)
        stopping.set()
        await asyncio.wait_for(task, 5)

    async def test_stopping_cancels_a_run_midway(self) -> None:
        clock, ended = ManualClock(), asyncio.Event()

        async def job() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        await self.run(clock, Periodic(name="long", job=job, interval=1.0, clock=clock), 5.0)
        assert ended.is_set()

    async def test_it_may_wait_for_its_first_run(self) -> None:
        clock, runs = ManualClock(), []

        async def job() -> None:
            runs.append(clock.monotonic())

        periodic = Periodic(name="later", job=job, interval=10.0, clock=clock, jitter=0.0, at_start=False)
        await self.run(clock, periodic, 25.0)
        assert runs == [10.0, 20.0]

    def test_nonsense_is_refused(self) -> None:
        with pytest.raises(ValueError, match="interval"):
            Periodic(name="x", job=settle, interval=0.0, clock=ManualClock())


async def delivered(bus: MemoryBus, name: str, body: bytes) -> Envelope[Any] | Reject:
    await bus.publish([Outgoing(subject=f"memory.v1.acme.{name}", body=body)])
    return read(
        (await (await bus.subscribe("ingest" if name.startswith("message") else "encode")).fetch(1, 0.1))[0]
    )


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
            envelope = read(delivery)
            assert isinstance(envelope, Envelope)
            assert envelope.id == cause

    def test_a_request_is_no_event(self) -> None:
        found = read(cast("Any", Fake("memory.v1.acme.query.stats", b'{"user_id": "u"}')))
        assert isinstance(found, Reject)
        assert found.code == "invalid_subject"

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
        assert about(subject, body) == expected


class Fake:
    """As much of a delivery as reading it takes."""

    def __init__(self, subject: str, body: bytes, sequence: int = 1, attempt: int = 1) -> None:
        self.subject, self.body, self.sequence, self.attempt = subject, body, sequence, attempt
        self.headers: dict[str, str] = {}


class TestStamping:
    encoded = MemoryEncoded(user_id="u", memory_id=UUID(int=5), model="m")

    def test_the_same_cause_gives_the_same_ids_and_different_ones_differ(self) -> None:
        events = [self.encoded, self.encoded]
        first = [event.id for event in stamped(events, UUID(int=1), NOON)]
        assert first == [event.id for event in stamped(events, UUID(int=1), datetime.now(UTC))]
        assert len({*first, *(event.id for event in stamped(events, UUID(int=2), NOON))}) == 4

    def test_what_the_handler_set_stays(self) -> None:
        own = self.encoded.model_copy(update={"id": UUID(int=9)})
        (event,) = stamped([own], UUID(int=1), NOON)
        assert (event.id, event.at) == (UUID(int=9), NOON)

    def test_an_impossible_tenant_is_refused(self) -> None:
        (event,) = stamped([self.encoded], UUID(int=1), NOON)
        with pytest.raises(InvalidSubject):
            outgoing("Not A Tenant", event, "encode", None)


class TestSuspects:
    @given(
        st.lists(st.tuples(st.integers(1, 99), st.integers(2, 6)), unique_by=lambda pair: pair[0], max_size=9)
    )
    def test_each_has_its_turn_the_most_delivered_first(self, places: list[tuple[int, int]]) -> None:
        suspects = [Held(cast("Any", Fake("s", b"", sequence, attempt))) for sequence, attempt in places]
        turns = [(held.delivery.sequence, held.delivery.attempt) for held in one_by_one(suspects)]
        assert sorted(turns) == sorted(places)
        assert [attempt for _, attempt in turns] == sorted((a for _, a in places), reverse=True)
        second = [sequence for sequence, attempt in turns if attempt == 2]
        third = [sequence for sequence, attempt in turns if attempt == 3]
        assert second == sorted(second)
        assert third == sorted(third, reverse=True)


class TestHealth:
    def test_a_worker_on_its_way_out_does_not_come_back(self) -> None:
        health = Health("encode", ManualClock())
        assert health.become(WorkerState.READY) is True
        assert health.become(WorkerState.READY) is False
        health.become(WorkerState.STOPPING)
        assert health.become(WorkerState.READY) is False
        assert health.report()["state"] == "stopping"
        assert health.is_well is False

    async def test_it_is_told_over_the_bus(self) -> None:
        clock = ManualClock()
        bus = memory_bus(clock)
        encode_health, index_health = Health("encode", clock), Health("index", clock)
        index_health.succeeded(3)
        stopping, readied = asyncio.Event(), asyncio.Event()
        service = HealthService([encode_health, index_health], bus, clock)
        task = asyncio.create_task(service.run(stopping, readied.set))
        await readied.wait()
        everyone, _ = await bus.request("ricordo.health", b"")
        assert [report["worker"] for report in json.loads(everyone)["workers"]] == ["encode", "index"]
        one, _ = await bus.request("ricordo.health.index", b"")
        assert json.loads(one)["processed"] == 3
        assert json.loads(one)["last_success"] == "2026-02-01T12:00:00Z"
        stopping.set()
        await asyncio.wait_for(task, 5)

    @pytest.mark.parametrize(
        ("request_line", "state", "status"),
        [
            ("GET /healthz HTTP/1.1", WorkerState.READY, 200),
            ("GET /healthz HTTP/1.1", WorkerState.DEGRADED, 503),
            ("HEAD /healthz HTTP/1.1", WorkerState.READY, 200),
            ("GET /else HTTP/1.1", WorkerState.READY, 404),
            ("nonsense", WorkerState.READY, 404),
        ],
    )
    async def test_it_is_told_over_http(self, request_line: str, state: WorkerState, status: int) -> None:
        health = Health("encode", ManualClock())
        health.become(state)
        page = HealthPage([health], "127.0.0.1", 0)
        stopping, readied = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(page.run(stopping, readied.set))
        await readied.wait()
        assert page.address is not None
        reader, writer = await asyncio.open_connection(*page.address)
        writer.write(f"{request_line}\r\nHost: x\r\n\r\n".encode())
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        await writer.wait_closed()
        assert head.startswith(f"HTTP/1.1 {status} ".encode())
        assert (body == b"") is request_line.startswith("HEAD")
        if body:
            assert json.loads(body)["ok"] is (status == 200)
        stopping.set()
        await asyncio.wait_for(task, 5)


class TestTheBusInMemory:
    @pytest.mark.parametrize(
        ("pattern", "subject", "expected"),
        [
            ("a.b", "a.b", True),
            ("a.*", "a.b", True),
            ("a.*", "a.b.c", False),
            ("a.>", "a.b.c", True),
            ("a.>", "a", False),
            (">", "a", True),
            ("*.b", "a.c", False),
        ],
    )
    def test_patterns(self, pattern: str, subject: str, expected: bool) -> None:  # noqa: FBT001 - a table
        assert matches(pattern, subject) is expected

    async def test_a_settled_message_leaves_a_work_queue(self) -> None:
        bus = memory_bus(ManualClock())
        await bus.publish([Outgoing(subject="memory.v1.acme.message.received", body=b"{}")])
        (delivery,) = await (await bus.subscribe("ingest")).fetch(1, 0.1)
        await delivery.ack()
        assert bus.stored(STREAM_IN) == []
