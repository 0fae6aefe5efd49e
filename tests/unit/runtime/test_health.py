"""Health and metrics, over the bus and over HTTP: what workers have done, and nothing about for whom."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import cast

import httpx
import pytest
from tests.fixtures.query_desk import STATS_REPLY, Desk
from tests.fixtures.scraping import everything, scrape, scraped, served
from tests.fixtures.workshop import Created, Workshop, created, memory_bus
from tests.support.manual_clock import ManualClock, settle

from ricordo.bus.port import Bus, BusUnavailable, Endpoint, ReceivedRequest
from ricordo.messages.message_types import Message
from ricordo.messages.queries import StatsRequest
from ricordo.runtime.handling import Done, Outcome
from ricordo.runtime.health import Health, WorkerState
from ricordo.runtime.health_service import HealthPage, HealthService
from ricordo.runtime.metrics import METRICS_PATH, Metrics
from ricordo.runtime.query_server import ServerSettings
from ricordo.runtime.worker.state import ConsumptionSettings


class TestHealth:
    def test_a_worker_on_its_way_out_does_not_come_back(self) -> None:
        health = Health("encode", ManualClock())
        for state in (WorkerState.READY, WorkerState.STOPPING, WorkerState.READY):
            health.set_state(state)
        assert health.report()["state"] == "stopping"
        assert health.is_healthy is False

    async def test_it_is_told_over_the_bus(self) -> None:
        clock = ManualClock()
        bus = memory_bus(clock)
        encode_health, index_health = Health("encode", clock), Health("index", clock)
        index_health.succeeded()
        stopping, readied = asyncio.Event(), asyncio.Event()
        service = HealthService([encode_health, index_health], bus, clock)
        task = asyncio.create_task(service.run(stopping, readied.set))
        await readied.wait()
        everyone, _ = await bus.request("ricordo.health", b"")
        assert [report["worker"] for report in json.loads(everyone)["workers"]] == ["encode", "index"]
        one, _ = await bus.request("ricordo.health.index", b"")
        assert json.loads(one)["processed"] == 1
        assert json.loads(one)["last_success"] == "2026-02-01T12:00:00Z"
        stopping.set()
        await asyncio.wait_for(task, 5)

    async def test_nothing_answers_any_more_although_the_bus_was_away_between_two_subjects(self) -> None:
        clock, stopping, readied = ManualClock(), asyncio.Event(), asyncio.Event()
        bus = memory_bus(clock)

        class GoesAway:
            calls = 0

            async def serve(
                self, subject: str, queue: str | None, accept: Callable[[ReceivedRequest], None]
            ) -> Endpoint:
                self.calls += 1
                bus.away = self.calls == 2
                return await bus.serve(subject, queue, accept)

        service = HealthService([Health("encode", clock)], cast("Bus", GoesAway()), clock)
        task = asyncio.create_task(service.run(stopping, readied.set))
        await clock.advance(2.0)
        await readied.wait()
        stopping.set()
        await asyncio.wait_for(task, 5)
        with pytest.raises(BusUnavailable, match="nobody listens"):
            await asyncio.wait_for(bus.request("ricordo.health", b""), 5)

    @pytest.mark.parametrize(
        ("request_line", "state", "status"),
        [
            ("GET /healthz HTTP/1.1", WorkerState.READY, 200),
            ("GET /healthz HTTP/1.1", WorkerState.YIELDING, 200),
            ("GET /healthz HTTP/1.1", WorkerState.DEGRADED, 503),
            ("GET /healthz HTTP/1.1", WorkerState.HALTED, 503),
            ("HEAD /healthz HTTP/1.1", WorkerState.READY, 200),
            ("GET /else HTTP/1.1", WorkerState.READY, 404),
            ("nonsense", WorkerState.READY, 404),
        ],
    )
    async def test_it_is_told_over_http(self, request_line: str, state: WorkerState, status: int) -> None:
        health = Health("encode", ManualClock())
        health.set_state(state)
        async with served(HealthPage([health], "127.0.0.1", 0)) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"{request_line}\r\nHost: x\r\n\r\n".encode())
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
            writer.close()
            await writer.wait_closed()
        assert head.startswith(f"HTTP/1.1 {status} ".encode())
        assert (body == b"") is request_line.startswith("HEAD")
        if body:
            assert json.loads(body)["ok"] is (status == 200)


def test_who_has_halted_says_so_and_who_waits_at_a_gate_besides_tells_of_that() -> None:
    health = Health("encode", ManualClock(), state=WorkerState.READY)
    health.halt_reason = lambda: "halted: 20 of the last 20 messages failed"
    assert health.status == (WorkerState.HALTED, "halted: 20 of the last 20 messages failed")
    assert not health.is_healthy
    health.gate_open, health.gate_reason = False, lambda: "postgres: away"
    health.set_state(WorkerState.DEGRADED)
    assert health.status == (WorkerState.DEGRADED, "postgres: away")
    health.set_state(WorkerState.STOPPING)
    assert health.status[0] is WorkerState.STOPPING


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


class TestWorkers:
    def test_what_health_counts_is_read_when_somebody_asks(self, clock: ManualClock) -> None:
        health, other, metrics = Health("encode", clock), Health("index", clock), Metrics("1.2.3")
        metrics.add_workers([health, other])
        assert scraped(metrics).value("ricordo_worker_processed_total", worker="encode") == 0
        health.processed = 7
        health.counters = lambda: {"encoded": 5}
        health.retried, health.dead_lettered, health.failed, health.in_flight = 1, 2, 3, 4
        found = scraped(metrics)
        for figure, count in {"processed": 7, "retried": 1, "dead_lettered": 2, "failed": 3}.items():
            assert found.value(f"ricordo_worker_{figure}_total", worker="encode") == count
            assert found.value(f"ricordo_worker_{figure}_total", worker="index") == 0
        assert found.values("ricordo_worker_counter_total") == {
            frozenset({("worker", "encode"), ("counter", "encoded")}): 5
        }
        assert found.value("ricordo_worker_in_flight", worker="encode") == 4
        assert found.value("ricordo_build_info", version="1.2.3") == 1

    def test_a_worker_is_in_one_state(self, clock: ManualClock) -> None:
        health, metrics = Health("encode", clock), Metrics("0")
        metrics.add_workers([health])
        for state in WorkerState:
            health.state = state
            found = scraped(metrics).values("ricordo_worker_state", worker="encode")
            assert {dict(labels)["state"] for labels in found} == set(WorkerState)
            assert [dict(labels)["state"] for labels, value in found.items() if value] == [state]

    async def test_a_success_has_a_time_once_there_was_one(self, clock: ManualClock) -> None:
        health, metrics = Health("encode", clock), Metrics("0")
        metrics.add_workers([health])
        assert not scraped(metrics).values("ricordo_worker_last_success_timestamp_seconds")
        await clock.advance(90)
        health.succeeded()
        found = scraped(metrics).value("ricordo_worker_last_success_timestamp_seconds", worker="encode")
        assert found == clock.now().timestamp()


class TestHandlers:
    async def test_sizes_and_durations_of_calls_are_measured(self) -> None:
        shop, metrics = Workshop(), Metrics("0")

        async def handler(_: str, events: Sequence[Created]) -> Sequence[Outcome]:
            await shop.clock.sleep(0.3)
            return [Done() for _ in events]

        worker = shop.worker(handler, settings=ConsumptionSettings(batch=4))
        metrics.add_measures({worker.name: worker.measures})
        await shop.bus.publish([created(n) for n in range(9)])
        async with shop.running(worker):
            await shop.work_off()
        found = scraped(metrics)
        assert found.within("ricordo_handler_batch_events", worker="encode") == {4: 2, 1: 1}
        assert found.value("ricordo_handler_batch_events_sum", worker="encode") == 9
        assert found.within("ricordo_handler_duration_seconds", worker="encode") == {0.5: 3}
        total = found.value("ricordo_handler_duration_seconds_sum", worker="encode")
        assert total == pytest.approx(0.9)


class MeasuredDesk(Desk):
    """A desk whose server is measured, and whose clock stands unless a handler moves it."""

    def __init__(self, settings: ServerSettings | None = None) -> None:
        super().__init__()
        self.metrics, self.measured = Metrics("0"), self.server(self.answer, settings)
        self.metrics.add_measures({"retrieval": self.measured.measures})

    async def answer(self, _: str, request: StatsRequest) -> Message:
        if request.user_id == "bad":
            raise ZeroDivisionError
        await self.clock.sleep(0.2)
        return STATS_REPLY

    async def ask_for(self, name: str = "query.stats", user: str = "u-1") -> None:
        asking = asyncio.create_task(self.ask(f"memory.v1.acme.{name}", b'{"user_id": "%s"}' % user.encode()))
        await settle()
        await self.clock.advance(0.2)
        await asking


class TestQueries:
    async def test_replies_are_counted_and_timed_by_query_and_outcome(self) -> None:
        desk = MeasuredDesk()
        async with desk.open(desk.measured):
            await desk.ask_for()
            await desk.ask_for()
            await desk.ask_for(user="bad")
            await desk.ask_for(user="")
        found, of = scraped(desk.metrics), {"worker": "retrieval", "query": "query.stats"}
        assert found.within("ricordo_query_duration_seconds", **of) == {0.25: 2, 0.001: 2}
        assert found.value("ricordo_query_duration_seconds_sum", **of) == pytest.approx(0.4)
        expected = {"ok": 2, "internal": 1, "invalid_request": 1, "timeout": 0}
        for outcome, count in expected.items():
            assert found.value("ricordo_query_replies_total", outcome=outcome, **of) == count

    async def test_what_strangers_ask_becomes_one_label(self) -> None:
        desk = MeasuredDesk()
        async with desk.open(desk.measured):
            for name in ("query.history", "query.nonsense", "query.of.no.kind", "query.UPPER!"):
                await desk.ask_for(name)
        found = scraped(desk.metrics)
        assert found.label_values("query") == {"query.stats", "query.history", "unknown"}
        assert found.value("ricordo_query_duration_seconds_count", query="unknown") == 3
        assert found.value("ricordo_query_replies_total", query="query.history", outcome="unavailable") == 1

    async def test_who_is_sent_away_is_counted(self) -> None:
        desk = MeasuredDesk(ServerSettings(concurrency=1, waiting=0))
        async with desk.open(desk.measured):
            await asyncio.gather(desk.ask_for(), desk.ask_for())
        found = scraped(desk.metrics)
        for outcome in ("ok", "unavailable"):
            assert found.value("ricordo_query_replies_total", query="query.stats", outcome=outcome) == 1


class TestPage:
    async def test_it_stands_beside_the_health(self) -> None:
        async with served(HealthPage([], "127.0.0.1", 0, {METRICS_PATH: everything().page})) as port:
            assert (await scrape(port)).value("ricordo_worker_processed_total", worker="encode") == 1
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
                assert (await client.get("/healthz")).json() == {"ok": True, "workers": []}
                assert (await client.get("/metrics?from=somewhere")).status_code == 200
                assert (await client.post("/metrics")).status_code == 404
