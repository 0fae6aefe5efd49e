"""A bad deploy on a real server: it gives up next to nothing, and what replaces it finds all the rest."""

from collections import Counter
from collections.abc import Sequence

import pytest
from tests.fixtures.eventually import eventually
from tests.fixtures.ingest_on_nats import (
    Received,
    count,
    follows,
    holds,
    publish,
    received,
    running,
    sides,
    stored,
)
from tests.fixtures.nats_server import NatsServerProcess

from ricordo import log
from ricordo.bus.nats import NatsBus, NatsSettings, Topology, open_bus
from ricordo.clock import SystemClock
from ricordo.messages.events import MessageReceived
from ricordo.messages.subjects import STREAM_DEAD_LETTERS, STREAM_DERIVED, STREAM_IN
from ricordo.runtime.backoff import Backoff
from ricordo.runtime.handling import Done, Handler, Outcome
from ricordo.runtime.worker.breaker import ConsumerBreakerSettings
from ricordo.runtime.worker.event_worker import EventWorker, EventWorkerSettings
from ricordo.runtime.worker.state import LoopSettings


@pytest.fixture(autouse=True, scope="module")
def _quiet() -> None:
    log.configure(level="critical")


TOTAL = 500
BATCH = 16
PAUSES = Backoff(first=0.05, longest=0.2, jitter=0.0)


def worker(bus: NatsBus, handler: Handler[MessageReceived], batch: int = BATCH) -> EventWorker:
    return EventWorker(
        name="ingest",
        consumer="ingest",
        handler=handler,
        bus=sides(bus),
        clock=SystemClock(),
        settings=EventWorkerSettings(
            loop=LoopSettings(batch=batch, fetch_timeout=0.2),
            backoff=Backoff(first=0.05, longest=0.2, jitter=0.0),
            breaker=ConsumerBreakerSettings(pauses=PAUSES),
        ),
    )


class Deployed:
    """A handler as it was deployed: with a bug, or mended."""

    def __init__(self, *, bad: bool) -> None:
        self.bad = bad
        self.tried = 0
        self.done = Counter[str]()

    async def __call__(self, _: str, events: Sequence[Received]) -> Sequence[Outcome]:
        self.tried += len(events)
        if self.bad:
            raise KeyError("timezone")
        self.done.update(event.body.id for event in events)
        return [Done((follows(event),)) for event in events]


async def test_a_bad_deploy_halts_and_the_next_one_handles_all_that_waited(bus: NatsBus) -> None:
    await publish(bus, *(received(number) for number in range(TOTAL)))
    bad = Deployed(bad=True)
    halted = worker(bus, bad)
    async with running(halted):
        await eventually(lambda: halted.health.report()["state"] == "halted")
        first = bad.tried
        await eventually(lambda: bad.tried >= first + 20, within=30)  # while each is kept in hand
        assert await holds(bus, STREAM_IN, TOTAL)
        info = await bus._connection.streams.consumer_info(STREAM_IN, "ingest")
        assert (info.num_redelivered or 0) <= BATCH, "no more than what it handed back before it halted"
    assert halted.health.dead_lettered == 0
    assert halted.health.retried <= 3 * BATCH, "a batch before it halted, and at its stop what it held"
    good = Deployed(bad=False)
    async with running(worker(bus, good)):
        await eventually(lambda: holds(bus, STREAM_IN, 0), within=30)
    assert set(good.done) == {f"m-{number}" for number in range(TOTAL)}
    assert await count(bus, STREAM_DEAD_LETTERS) == 0
    assert await count(bus, STREAM_DERIVED) == TOTAL


async def test_one_that_is_started_again_and_again_gives_up_a_few_at_the_most(bus: NatsBus) -> None:
    """Three deliveries are all that each message has here."""
    await publish(bus, *(received(number) for number in range(TOTAL)))
    for _ in range(6):
        again = worker(bus, Deployed(bad=True))
        async with running(again):
            await eventually(lambda again=again: again.health.report()["state"] == "halted")  # type: ignore[misc]  # default argument
    letters = await stored(bus, STREAM_DEAD_LETTERS)
    assert len(letters) <= 6 * 2 * BATCH / 3
    reasons = {letter.headers["Ricordo-Reason"] for letter in letters}
    assert all("stopped halted: " in reason and "KeyError: 'timezone'" in reason for reason in reasons)
    assert {letter.headers["Ricordo-Attempts"] for letter in letters} <= {"3"}

    good = Deployed(bad=False)
    mended = worker(bus, good)
    async with running(mended):
        await eventually(lambda: holds(bus, STREAM_IN, 0), within=30)
        for letter in letters:
            await bus._connection.client.publish(letter.subject.removeprefix("dlq.ingest."), letter.body)
        await eventually(lambda: len(good.done) == TOTAL, within=30)
    assert set(good.done.values()) == {1}


async def test_each_process_has_a_breaker_of_its_own(
    server: NatsServerProcess, bus: NatsBus, topology: Topology
) -> None:
    """While a deploy is rolled out, the old ones go on with what the bad new one does not hold."""
    good = Deployed(bad=False)
    async with open_bus(NatsSettings(servers=(server.url,)), topology) as other:
        # It halts at its first batch: none of these messages is at its last delivery when it stops.
        halted, works = worker(other, Deployed(bad=True), batch=BATCH * 2), worker(bus, good)
        await publish(bus, *(received(number) for number in range(BATCH * 2)))
        async with running(halted):
            await eventually(lambda: halted.health.report()["state"] == "halted")
            await publish(bus, *(received(number) for number in range(BATCH * 2, TOTAL)))
            async with running(works):
                await eventually(
                    lambda: len(good.done) >= TOTAL - 4 * BATCH, within=30
                )  # it fetches with its probes
                assert works.health.report()["state"] == "ready"
                assert halted.health.report()["state"] == "halted"
        async with running(worker(bus, good)):
            await eventually(lambda: holds(bus, STREAM_IN, 0), within=30)
    assert set(good.done.values()) == {1}
    assert len(good.done) == TOTAL
    assert await count(bus, STREAM_DEAD_LETTERS) == 0
