"""Heartbeats, gates, outages, stopping."""

import asyncio
from collections.abc import Sequence

from tests.fixtures.workshop import Created, Recorder, Workshop, publish

from ricordo.messages.events import MemoryEncoded
from ricordo.runtime.gates import Gate
from ricordo.runtime.handling import Done, Outcome
from ricordo.runtime.worker.state import LoopSettings


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
        async with shop.running(shop.worker(handler, loop=LoopSettings(batch=2))):
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
        worker = shop.worker(handler, gate=door)
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
        async with shop.running(shop.worker(handler, gate=door)):
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
        async with shop.running(shop.worker(handler, gate=door)):
            async with asyncio.timeout(10):
                while not shop.buried:
                    await asyncio.sleep(0.05)
                    await shop.clock.advance(1.0)
        assert shop.buried[0].attempts == 2


class TestOutages:
    async def test_the_loop_survives_an_outage_of_the_bus(self) -> None:
        shop, handler = Workshop(), Recorder()
        worker = shop.worker(handler)
        async with shop.running(worker):
            shop.bus.away = True
            await shop.clock.advance(60.0)
            assert worker.health.report()["state"] == "degraded"
            shop.bus.away = False
            await publish(shop, 3)
            await shop.work_off()
            assert worker.health.report()["state"] == "ready"
        assert handler.handled == [0, 1, 2]

    async def test_what_could_not_be_settled_comes_again_with_the_same_effects(self) -> None:
        shop = Workshop()

        async def handler(_: str, events: Sequence[Created]) -> Sequence[Outcome]:
            if events[0].attempt == 1:
                shop.bus.away = True
            encoded = (MemoryEncoded(user_id="u-1", memory_id=e.body.memory_id, model="m") for e in events)
            return [Done((event,)) for event in encoded]

        await publish(shop, 2)
        async with shop.running(shop.worker(handler)):
            await shop.clock.advance(5.0)
            shop.bus.away = False
            await shop.work_off()
        assert [(entry.what, entry.attempt) for entry in shop.settlements()] == [("ack", 2), ("ack", 2)]


class TestStopping:
    async def test_what_is_in_hand_is_finished_and_nothing_more_is_fetched(self) -> None:
        shop, handler = Workshop(), Recorder()
        handler.going.clear()
        await publish(shop, 20)
        worker = shop.worker(handler, loop=LoopSettings(batch=4))
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
        loop = LoopSettings(grace=0.05, fetch_timeout=0.05)
        async with shop.running(shop.worker(handler, loop=loop)):
            await shop.clock.advance(1.0)
        assert shop.settlements() == []
        handler.going.set()
        async with shop.running(shop.worker(handler)):
            await shop.work_off()
        assert [(entry.what, entry.attempt) for entry in shop.settlements()] == [("ack", 2)] * 3
