"""How much may wait for workers follows from what they do in a second."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from ricordo.bus.port import ConsumerLag
from ricordo.testing.manual_clock import ManualClock
from ricordo_services.backpressure import IndexStuck, Pace, StreamBacklog, wait_for_room

STAGES = ("first", "second")


@dataclass
class Line:
    """Workers one behind the other, each of which does so many messages in a second."""

    rates: Sequence[float]
    waiting: list[float] = field(default_factory=lambda: [0.0] * len(STAGES))
    settled: list[float] = field(default_factory=lambda: [0.0] * len(STAGES))

    async def lag(self, consumer: str) -> ConsumerLag:
        place = STAGES.index(consumer)
        return ConsumerLag(round(self.waiting[place]), round(self.settled[place]))

    def work(self, seconds: float) -> None:
        for place, rate in enumerate(self.rates):
            done = min(self.waiting[place], rate * seconds)
            self.waiting[place] -= done
            self.settled[place] += done
            if place + 1 < len(STAGES):
                self.waiting[place + 1] += done


async def fed(line: Line, clock: ManualClock, pace: Pace, seconds: float) -> float:
    """Give the line what there is room for, in portions of 16; return how much it has done in that time."""
    before = line.settled[-1]
    for _ in range(round(seconds / 0.1)):
        while await pace.waiting() < pace.limit():
            line.waiting[0] += 16
        line.work(0.1)
        await clock.advance(0.1)
    return line.settled[-1] - before


def pace_of(line: Line, clock: ManualClock, delay: float = 1.0, most: int = 1000) -> Pace:
    return Pace(StreamBacklog(line, STAGES), clock, delay=delay, most=most)


@pytest.mark.parametrize("rate", [100.0, 400.0])
async def test_workers_that_are_quick_are_kept_busy_and_nobody_waits_longer_than_allowed(rate: float) -> None:
    line, clock = Line([rate, 1000.0]), ManualClock()
    pace = pace_of(line, clock)
    await fed(line, clock, pace, 20.0)
    assert await fed(line, clock, pace, 10.0) == pytest.approx(10 * rate, rel=0.05)
    assert sum(line.waiting) / rate <= 1.0 + 16 / rate


async def test_a_model_that_grows_slow_gets_less() -> None:
    line, clock = Line([200.0, 1000.0]), ManualClock()
    pace = pace_of(line, clock)
    await fed(line, clock, pace, 10.0)
    full = pace.limit()
    line.rates = [50.0, 1000.0]
    await fed(line, clock, pace, 10.0)
    assert pace.limit() <= 50 < full <= 200
    line.rates = [0.0, 1000.0]  # it is away
    await fed(line, clock, pace, 5.0)
    assert pace.limit() == pace.least


@dataclass
class Told:
    """Consumers that are as far as they are told."""

    lags: dict[str, ConsumerLag]

    async def lag(self, consumer: str) -> ConsumerLag:
        return self.lags[consumer]


async def watched(
    busy: Sequence[str], rate: int, idle: str, others: Sequence[ConsumerLag], dispensable: frozenset[str]
) -> tuple[int, int]:
    """Look for three seconds: 100 wait for each of the busy ones, and the other is as told at each look."""
    clock, bus = ManualClock(), Told({})
    pace = Pace(StreamBacklog(bus, (*busy, idle)), clock, delay=1.0, most=1000, dispensable=dispensable)
    found = (0, 0)
    for second in range(31):
        bus.lags = dict.fromkeys(busy, ConsumerLag(100, second * rate // 10))
        bus.lags[idle] = others[min(second, len(others) - 1)]
        found = await pace.waiting(), pace.limit()
        await clock.advance(0.1)
    return found


@pytest.mark.parametrize(
    "others",
    [
        [ConsumerLag(1, 0), ConsumerLag(0, 1)],
        [ConsumerLag(0, 0)] * 30 + [ConsumerLag(1, 0)],
        [ConsumerLag(1, 0)],
    ],
    ids=["one in hand at first", "one in hand at last", "one that is tried again later"],
)
async def test_who_has_little_to_do_is_not_the_slowest(others: Sequence[ConsumerLag]) -> None:
    found = await watched(("a", "b", "c", "d"), 200, "ingest", others, frozenset())
    assert found == (100, 200)


@pytest.mark.parametrize(("dispensable", "found"), [(frozenset({"e"}), (100, 200)), (frozenset(), (500, 16))])
async def test_who_does_nothing_closes_the_gate_unless_nobody_waits_for_it(
    dispensable: frozenset[str], found: tuple[int, int]
) -> None:
    assert await watched(("a", "b"), 200, "e", [ConsumerLag(500, 7)], dispensable) == found


@dataclass
class Index:
    """An index with so many points before it."""

    points: int = 1000

    async def waiting(self) -> int:
        return self.points


async def test_jobs_wait_for_an_index_that_moves_and_give_up_one_that_does_not() -> None:
    index, clock = Index(), ManualClock()
    waiting = asyncio.create_task(wait_for_room(index, clock))
    for _ in range(100):
        await clock.advance(1)
        assert not waiting.done()
        index.points -= 4
    index.points = 500
    await clock.advance(1)
    await waiting

    stuck = asyncio.create_task(wait_for_room(Index(), clock))
    await clock.advance(62)
    with pytest.raises(IndexStuck, match="1000 points have yet to follow"):
        await stuck
