"""The bulk lane lets live events go first, and jobs wait for the index."""

import asyncio
from dataclasses import dataclass, field
from typing import cast

import pytest
from tests.support.manual_clock import ManualClock

from ricordo.bus.nats.nats_bus import NatsBus
from ricordo.bus.port import BusUnavailable, ConsumerLag
from ricordo_services.backpressure import Backlog, BulkLane, IndexStuck, wait_for_room

BEHIND = ("enrichment", "index")
CONSUMERS = ("encode-bulk", "encode", *BEHIND)


@dataclass
class Lanes:
    """Consumers with so many events that were never delivered, and a worker of the live lane."""

    pending: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CONSUMERS, 0))
    batches: int = 0
    away: bool = False
    asked: int = 0

    async def lag(self, consumer: str) -> ConsumerLag:
        self.asked += 1
        if self.away:
            raise BusUnavailable("away")
        return ConsumerLag(waiting=self.pending[consumer] + 50, settled=0, pending=self.pending[consumer])


def lane_of(lanes: Lanes, clock: ManualClock) -> BulkLane:
    return BulkLane(
        cast(NatsBus, lanes),
        clock,
        live="encode",
        live_batches=lambda: lanes.batches,
        first=BEHIND,
    )


async def is_open(lane: BulkLane, clock: ManualClock) -> bool:
    waiting = asyncio.create_task(lane.wait_open())
    await clock.advance(0.2)
    opened = waiting.done()
    waiting.cancel()
    return opened


async def test_it_is_open_while_no_live_event_waits_and_for_one_batch_in_ten() -> None:
    lanes, clock = Lanes(), ManualClock()
    lanes.pending["encode-bulk"] = 9
    lane = lane_of(lanes, clock)
    assert await is_open(lane, clock), "what is in flight is no reason to wait"
    lanes.pending["encode"] = 3
    opened = []
    for lanes.batches in range(1, 28):
        if await is_open(lane, clock):
            opened.append(lanes.batches)
        else:
            assert (lane.reason, lane.is_throttled) == ("3 live events go first", True)
    assert opened == [9, 18, 27]
    lanes.pending["encode"] = 0
    assert await is_open(lane, clock)


@pytest.mark.parametrize(("waiting", "looks"), [(0, 5), (9, 21)])
async def test_the_server_is_asked_less_often_while_the_bulk_lane_is_empty(waiting: int, looks: int) -> None:
    lanes, clock = Lanes(), ManualClock()
    lanes.pending |= {"encode": 3, "encode-bulk": waiting}
    opening = asyncio.create_task(lane_of(lanes, clock).wait_open())
    await clock.advance(1.0)
    assert lanes.asked / 4 == pytest.approx(looks, abs=1)
    opening.cancel()


async def test_it_is_closed_while_the_workers_behind_have_much_to_do() -> None:
    lanes, clock = Lanes(), ManualClock()
    lane = lane_of(lanes, clock)
    lanes.pending |= {"enrichment": 400, "index": 101}
    assert not await is_open(lane, clock)
    assert (lane.reason, lane.is_throttled) == ("501 events of other workers go first", True)
    lanes.pending["index"] = 100
    assert await is_open(lane, clock)
    lanes.away = True
    assert not await is_open(lane, clock)
    assert (lane.reason, lane.is_throttled) == ("the backlog of other work cannot be counted (away)", False)


@dataclass
class Index:
    """An index with so many points before it."""

    points: int = 1000

    async def waiting(self) -> int:
        return self.points


async def test_jobs_wait_for_an_index_that_moves_and_give_up_one_that_does_not() -> None:
    index, clock = Index(), ManualClock()
    waiting = asyncio.create_task(wait_for_room(cast(Backlog, index), clock))
    for _ in range(100):
        await clock.advance(1)
        assert not waiting.done()
        index.points -= 4
    index.points = 500
    await clock.advance(1)
    await waiting
    stuck = asyncio.create_task(wait_for_room(cast(Backlog, Index()), clock))
    await clock.advance(62)
    with pytest.raises(IndexStuck, match="1000 points have yet to follow"):
        await stuck
