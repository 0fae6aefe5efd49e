"""A worker that has halted keeps what it holds, tries it now and then, and goes on once something passes."""

from collections.abc import Sequence

from tests.fixtures.workshop import Created, Workshop, created, number_of, publish

from ricordo.bus.port import Outgoing, PublishRefused
from ricordo.messages.events import MemoryEncoded
from ricordo.messages.subjects import STREAM_DEAD_LETTERS
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.handling import Done, Outcome, Reject
from ricordo.runtime.worker.breaker import ConsumerBreakerSettings
from ricordo.runtime.worker.event_worker import EventWorker
from ricordo.runtime.worker.state import ConsumptionSettings

MESSAGES = 4
SETTINGS = ConsumptionSettings(
    batch=8,
    breaker=ConsumerBreakerSettings(window=MESSAGES, pauses=Backoff(first=1.0, longest=8.0, jitter=0.0)),
)


class Broken:
    """A handler that fails at nearly everything until it is mended."""

    def __init__(self, *good: int) -> None:
        self.good = set(good)
        self.mended = False

    async def __call__(self, _: str, events: Sequence[Created]) -> Sequence[Outcome]:
        if not self.mended and not all(number_of(event) in self.good for event in events):
            raise KeyError("vector")
        return [Done() for _ in events]


def braked(shop: Workshop, handler: Broken) -> EventWorker:
    return shop.worker(handler, settings=SETTINGS)


class TestAWorker:
    async def test_it_halts_with_what_it_has_in_hand_and_uses_up_no_delivery(self) -> None:
        shop, handler = Workshop(max_deliver=3), Broken()
        await publish(shop, 40)
        worker = braked(shop, handler)
        async with shop.running(worker):
            await shop.until(lambda: worker.health.report()["state"] == "halted")
            report = worker.health.report()
            assert "KeyError" in str(report["reason"])
            assert worker.health.is_healthy is False
            await shop.clock.advance(3600.0)
            assert shop.settlements() == [], "neither handed back nor given up, for an hour"
            handler.mended = True
            await shop.work_off()
            assert worker.health.report()["state"] == "ready"
            assert worker.health.report()["reason"] is None
        assert {(entry.what, entry.attempt) for entry in shop.settlements()} == {("ack", 1)}
        assert len(shop.settlements()) == 40
        assert (worker.health.dead_lettered, worker.health.in_flight) == (0, 0)

    async def test_restarts_of_what_does_not_work_give_up_a_bounded_number_with_the_reason(self) -> None:
        shop, handler, restarts = Workshop(max_deliver=3), Broken(), 12
        await publish(shop, 200)
        for restart in range(restarts):
            assert restart > 2 or shop.dead() == [], "a stop hands back what was held"
            async with shop.running(braked(shop, handler)):
                await shop.clock.advance(30.0)
        lost = len(shop.dead())
        assert lost <= restarts * 2 * SETTINGS.batch / 3 + SETTINGS.batch
        assert all("stopped halted: " in reason for reason in shop.dead())
        assert all(letter.refers_to.message_id for letter in shop.buried), "so that a status can tell"
        handler.mended = True
        async with shop.running(braked(shop, handler)):
            await shop.work_off()
        assert sum(entry.what == "ack" for entry in shop.settlements()) + len(shop.dead()) == 200

    async def test_rubbish_of_a_sender_and_what_a_handler_rejects_halt_nobody(self) -> None:
        async def reject(_: str, events: Sequence[Created]) -> Sequence[Outcome]:
            return [Reject("id_conflict", "said otherwise") for _ in events]

        shop = Workshop()
        await publish(shop, 50)
        worker = shop.worker(reject, settings=SETTINGS)
        async with shop.running(worker):
            await shop.work_off()
        assert worker.health.dead_lettered == 50
        rubbish = [Outgoing(subject="memory.v1.acme.message.received", body=b"{%d" % n) for n in range(50)]
        await shop.bus.publish(rubbish)
        worker = shop.worker(reject, consumer="ingest", settings=SETTINGS)
        async with shop.running(worker):
            await shop.work_off("ingest")
        assert worker.health.dead_lettered == 50

    async def test_events_of_ours_that_it_cannot_read_halt_it_before_they_are_given_up(self) -> None:
        shop = Workshop()
        await shop.bus.publish(
            [Outgoing(subject="memory.v1.acme.memory.created", body=b"{%d" % n) for n in range(50)]
        )
        worker = braked(shop, Broken())
        async with shop.running(worker):
            await shop.clock.advance(600.0)
            assert worker.health.report()["state"] == "halted"
            assert shop.bus.stored(STREAM_DEAD_LETTERS) == []

    async def test_results_that_are_refused_halt_it_and_a_bus_that_is_away_does_not(self) -> None:
        async def encode(_: str, events: Sequence[Created]) -> Sequence[Outcome]:
            made = (MemoryEncoded(user_id="u-1", memory_id=one.body.memory_id, model="m") for one in events)
            return [Done((one,)) for one in made]

        shop = Workshop(max_deliver=3)
        await publish(shop, 50)
        shop.bus.refusing = lambda one: PublishRefused("no") if one.subject.endswith("encoded") else None
        worker = shop.worker(encode, settings=SETTINGS)
        async with shop.running(worker):
            await shop.clock.advance(600.0)
            assert worker.health.report()["state"] == "halted"
            shop.bus.refusing = lambda _: None
            await shop.work_off()
        assert shop.dead() == []


async def test_a_mended_worker_goes_on_although_some_that_came_often_are_bad_for_good() -> None:
    shop = Workshop(max_deliver=8)
    await publish(shop, 200)
    for _ in range(2):
        async with shop.running(shop.worker(Broken())):
            await shop.clock.advance(30.0)
    worker = shop.worker(Broken(*range(12, 220)))
    async with shop.running(worker):
        await shop.until(lambda: worker.health.processed == 188, step=100.0)
        assert await shop.bus.publish([created(n) for n in range(200, 220)]) == [None] * 20
        await shop.until(lambda: worker.health.processed == 208)
    assert {letter.refers_to.message_id for letter in shop.buried} <= {f"m-{n}" for n in range(12)}


async def halt(shop: Workshop, worker: EventWorker) -> None:
    await shop.until(lambda: worker.health.report()["state"] == "halted", step=0.1)


class TestAHaltedWorker:
    async def test_it_does_not_take_a_bus_that_is_away_for_one_that_has_nothing_else(self) -> None:
        shop = Workshop(max_deliver=1)
        await publish(shop, 1)
        worker = braked(shop, Broken())
        async with shop.running(worker):
            await halt(shop, worker)
            shop.bus.away = True
            await shop.clock.advance(120.0)
            assert worker.health.report()["state"] == "halted"
            shop.bus.away = False
            await shop.until(lambda: bool(shop.buried))

    async def test_it_goes_on_fetching_once_all_that_it_had_is_rejected(self) -> None:
        broken = Broken()

        async def handler(tenant: str, events: Sequence[Created]) -> Sequence[Outcome]:
            if broken.mended and all(number_of(event) < 6 for event in events):
                return [Reject("id_conflict", "said otherwise") for _ in events]
            return await broken(tenant, events)

        shop = Workshop()
        await publish(shop, 6)
        worker = shop.worker(handler, settings=SETTINGS)
        async with shop.running(worker):
            await halt(shop, worker)
            broken.mended = True
            await shop.until(lambda: len(shop.buried) == 6)
            await shop.clock.advance(60.0)
            await shop.bus.publish([created(n) for n in range(6, 20)])
            await shop.until(lambda: worker.health.processed == 14)
