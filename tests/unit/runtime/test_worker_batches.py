"""Batches, failures, gates, outages and the end of a worker."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest
from tests.fixtures.workshop import Created, Recorder, Workshop, all_done, publish

from ricordo.bus.port import Outgoing
from ricordo.messages.subjects import REPLAYED_FOR, STREAM_DEAD_LETTERS, STREAM_DERIVED
from ricordo.runtime.dead_letter_queue import DeadLetter
from ricordo.runtime.gates import Gate
from ricordo.runtime.handling import Done, Outcome, Retry
from ricordo.runtime.worker.state import ConsumptionSettings


class TestReplays:
    async def test_a_bot_cannot_have_its_message_passed_by(self) -> None:
        shop = Workshop()
        body = b"{nope"
        await shop.bus.publish(
            [Outgoing(subject="memory.v1.acme.message.received", body=body, headers={REPLAYED_FOR: "nobody"})]
        )
        async with shop.running(shop.worker(Recorder(), consumer="ingest")):
            await shop.work_off("ingest")
        (letter,) = shop.bus.stored(STREAM_DEAD_LETTERS)
        assert letter.body == body


class TestFailures:
    async def test_redeliveries_back_off_exponentially(self) -> None:
        shop = Workshop()

        async def handler(_: str, events: Sequence[Created]) -> Sequence[Outcome]:
            return [Retry() for _ in events]

        await publish(shop, 2)
        async with shop.running(shop.worker(handler)):
            await shop.work_off()
        delays = [(e.sequence, e.delay) for e in shop.settlements() if e.what == "retry"]
        for number in (1, 2):
            assert [delay for sequence, delay in delays if sequence == number] == [1.0, 2.0, 4.0, 8.0]

    @pytest.mark.parametrize("wrong", [[], [Done(), Done()], ["done"], [None]])
    async def test_a_handler_that_breaks_its_contract_loses_nothing(self, wrong: list[Outcome]) -> None:
        shop = Workshop()

        async def handler(_: str, events: Sequence[Created]) -> Sequence[Outcome]:
            return [Done()] if events[0].attempt > 1 else wrong

        await publish(shop, 1)
        async with shop.running(shop.worker(handler)):
            await shop.work_off()
        assert [entry.what for entry in shop.settlements()] == ["retry", "ack"]

    async def test_a_handler_that_hangs_is_given_up_after_its_time_limit(self) -> None:
        shop = Workshop()

        async def handler(_: str, events: Sequence[Created]) -> Sequence[Outcome]:
            if events[0].attempt == 1:
                await asyncio.Event().wait()
            return [Done()]

        await publish(shop, 1)
        async with shop.running(shop.worker(handler, settings=ConsumptionSettings(time_limit=0.05))):
            await asyncio.sleep(0.2)
            await shop.work_off()
        assert [entry.what for entry in shop.settlements()] == ["retry", "ack"]

    async def test_a_dead_letter_that_cannot_be_recorded_is_tried_again(self) -> None:
        shop, failures = Workshop(), [OSError("the store is away"), None]

        async def record(letter: DeadLetter, publish: Callable[[], Awaitable[None]]) -> None:
            if failure := failures.pop(0):
                raise failure
            await publish()

        await shop.bus.publish([Outgoing(subject="memory.v1.acme.memory.created", body=b"{")])
        async with shop.running(shop.worker(all_done, record_dead_letter=record)):
            await shop.work_off()
        assert [entry.what for entry in shop.settlements()] == ["retry", "terminate"]
        assert {m.headers["Nats-Msg-Id"] for m in shop.bus.stored(STREAM_DEAD_LETTERS)} == {
            f"dlq:{STREAM_DERIVED}:1:encode"
        }


class Door(Gate):
    """A gate moved by hand."""

    def __init__(self) -> None:
        self.opened = asyncio.Event()
        self.opened.set()

    async def wait_open(self) -> None:
        await self.opened.wait()


class TestHeartbeats:
    async def test_long_work_is_kept_alive_and_what_waits_for_it_too(self) -> None:
        shop, handler = Workshop(), Recorder()
        handler.going.clear()
        await publish(shop, 4)
        async with shop.running(shop.worker(handler, settings=ConsumptionSettings(batch=2))):
            await shop.clock.advance(120.0)
            handler.going.set()
            await shop.work_off()
        assert [entry.attempt for entry in shop.settlements()] == [1] * 4
        beats = [entry.sequence for entry in shop.bus.journal if entry.what == "progress"]
        # every ten seconds, from the second time on that a beat finds it there
        assert {beats.count(sequence) for sequence in (1, 2, 3, 4)} == {11}


class TestGates:
    async def test_nothing_is_fetched_while_the_gate_is_closed(self) -> None:
        shop, handler, door = Workshop(), Recorder(), Door()
        door.opened.clear()
        await publish(shop, 2)
        worker = shop.worker(handler, gates=[door])
        async with shop.running(worker):
            await asyncio.sleep(0.2)
            await shop.clock.advance(300.0)
            assert handler.batches == []
            assert worker.health.report()["state"] == "degraded"
            assert worker.health.report()["gate_open"] is False
            door.opened.set()
            await shop.work_off()
            assert worker.health.report()["state"] == "ready"
            assert worker.health.report()["gate_open"] is True
        assert handler.handled == [0, 1]

    async def test_what_failed_while_the_gate_closed_waits_in_hand_and_costs_no_delivery(self) -> None:
        shop, door, calls = Workshop(), Door(), []

        async def handler(_: str, events: Sequence[Created]) -> Sequence[Outcome]:
            calls.append(len(events))
            if len(calls) <= 2:
                door.opened.clear()
                raise OSError("the store is away")
            return [Done() for _ in events]

        await publish(shop, 3)
        async with shop.running(shop.worker(handler, gates=[door])):
            for _ in range(2):
                await asyncio.sleep(0.2)
                await shop.clock.advance(100.0)
                door.opened.set()
            await shop.work_off()
        assert calls == [3, 3, 3]
        assert [(entry.what, entry.attempt) for entry in shop.settlements()] == [("ack", 1)] * 3

    async def test_what_failed_while_its_lane_is_closed_is_returned_at_once(self) -> None:
        shop, lane = Workshop(), Door()

        async def handler(_: str, events: Sequence[Created]) -> Sequence[Outcome]:
            lane.opened.clear()
            raise OSError("this event is at fault, and other work goes first")

        await publish(shop, 1)
        async with shop.running(shop.worker(handler, lane=lane)):
            await shop.until(lambda: bool(shop.settlements()))
        assert [(entry.what, entry.attempt) for entry in shop.settlements()] == [("retry", 1)]

    async def test_an_event_that_closes_the_gate_itself_ends_as_a_dead_letter(self) -> None:
        shop, door = Workshop(max_deliver=2), Door()

        async def handler(_: str, events: Sequence[Created]) -> Sequence[Outcome]:
            door.opened.clear()
            asyncio.get_running_loop().call_later(0.12, door.opened.set)
            raise OSError("this very event breaks the model server")

        await publish(shop, 1)
        async with shop.running(shop.worker(handler, gates=[door])):
            async with asyncio.timeout(10):
                while not shop.buried:
                    await asyncio.sleep(0.05)
                    await shop.clock.advance(1.0)
        assert shop.buried[0].attempts == 2


class TestStopping:
    async def test_what_is_in_hand_is_finished_and_nothing_more_is_fetched(self) -> None:
        shop, handler = Workshop(), Recorder()
        handler.going.clear()
        await publish(shop, 20)
        worker = shop.worker(handler, settings=ConsumptionSettings(batch=4))
        stopping = asyncio.Event()
        task = asyncio.create_task(worker.run(stopping, lambda: None))
        await shop.clock.advance(1.0)
        stopping.set()
        await shop.clock.advance(1.0)
        assert not task.done()
        assert worker.health.report()["state"] == "stopping"
        handler.going.set()
        await shop.ended(task)
        assert handler.handled == list(range(8))
        assert len(shop.settlements()) == 8
        assert worker.health.report()["state"] == "stopped"

    async def test_cancelling_finishes_what_is_in_hand_too(self) -> None:
        shop, handler = Workshop(), Recorder()
        handler.going.clear()
        await publish(shop, 3)
        task = asyncio.create_task(shop.worker(handler).run(asyncio.Event(), lambda: None))
        await shop.clock.advance(1.0)
        task.cancel()
        await shop.clock.advance(1.0)
        assert not task.done()
        handler.going.set()
        await shop.clock.advance(2.0)
        await asyncio.wait([task], timeout=5)
        assert task.cancelled()
        assert [entry.what for entry in shop.settlements()] == ["ack"] * 3

    async def test_what_takes_longer_than_the_grace_is_left_to_be_delivered_again(self) -> None:
        shop, handler = Workshop(), Recorder()
        handler.going.clear()
        await publish(shop, 3)
        loop = ConsumptionSettings(grace=0.05, fetch_timeout=0.05)
        async with shop.running(shop.worker(handler, settings=loop)):
            await shop.clock.advance(1.0)
        assert shop.settlements() == []
        handler.going.set()
        async with shop.running(shop.worker(handler)):
            await shop.work_off()
        assert [(entry.what, entry.attempt) for entry in shop.settlements()] == [("ack", 2)] * 3
