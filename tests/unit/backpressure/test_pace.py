"""How much may wait for workers follows from what they do in a second."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from ricordo.ports.bus import Standing
from ricordo.testing.clock import ManualClock
from ricordo_services.backpressure import Pace, StreamBacklog

STAGES = ("first", "second")


@dataclass
class Line:
    """Workers one behind the other, each of which does so many messages in a second."""

    rates: Sequence[float]
    waiting: list[float] = field(default_factory=lambda: [0.0] * len(STAGES))
    settled: list[float] = field(default_factory=lambda: [0.0] * len(STAGES))

    async def standing(self, consumer: str) -> Standing:
        place = STAGES.index(consumer)
        return Standing(round(self.waiting[place]), round(self.settled[place]))

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


async def test_no_more_than_the_most_however_quick_they_are() -> None:
    line, clock = Line([5000.0, 5000.0]), ManualClock()
    pace = pace_of(line, clock, most=40)
    await fed(line, clock, pace, 5.0)
    assert pace.limit() == 40


async def test_before_anything_is_known_and_after_a_long_pause_the_least_may_wait() -> None:
    line, clock = Line([400.0, 1000.0]), ManualClock()
    pace = pace_of(line, clock)
    assert pace.limit() == pace.least
    await fed(line, clock, pace, 5.0)
    assert pace.limit() > pace.least
    await clock.advance(60.0)
    await pace.waiting()
    assert pace.limit() == pace.least
