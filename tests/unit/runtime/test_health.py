"""Health, over the bus and over HTTP."""

import asyncio
import json
from collections.abc import Callable
from typing import cast

import pytest
from tests.fixtures.scraping import served
from tests.fixtures.workshop import memory_bus
from tests.support.manual_clock import ManualClock

from ricordo.bus.port import Bus, BusUnavailable, Endpoint, Request
from ricordo.runtime.health import Health, WorkerState
from ricordo.runtime.health_service import HealthPage, HealthService


class TestHealth:
    def test_a_worker_on_its_way_out_does_not_come_back(self) -> None:
        health = Health("encode", ManualClock())
        assert health.set_state(WorkerState.READY) is True
        assert health.set_state(WorkerState.READY) is False
        health.set_state(WorkerState.STOPPING)
        assert health.set_state(WorkerState.READY) is False
        assert health.report()["state"] == "stopping"
        assert health.is_healthy is False

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

    async def test_nothing_answers_any_more_although_the_bus_was_away_between_two_subjects(self) -> None:
        clock, stopping, readied = ManualClock(), asyncio.Event(), asyncio.Event()
        bus = memory_bus(clock)

        class GoesAway:
            calls = 0

            async def serve(
                self, subject: str, queue: str | None, accept: Callable[[Request], None]
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
