"""The bulk lane lets live events go first, and jobs wait for the index."""

import asyncio
from dataclasses import dataclass
from typing import cast

import pytest
from tests.fixtures.workshop import Workshop, all_done
from tests.support.manual_clock import ManualClock

from ricordo_services.backpressure import Backlog, BulkLane, IndexStuck, wait_for_room


async def is_open(lane: BulkLane, clock: ManualClock) -> bool:
    waiting = asyncio.create_task(lane.wait_open())
    await clock.advance(0.2)
    opened = waiting.done()
    waiting.cancel()
    return opened


async def test_it_is_open_while_no_live_event_is_in_hand_and_for_one_batch_in_ten() -> None:
    shop = Workshop()
    live, clock = shop.worker(all_done), shop.clock
    lane = BulkLane(live, clock)
    assert await is_open(lane, clock)
    live.health.in_flight = 3
    opened = []
    for batch in range(1, 28):
        live.measures.record(1, 0.0)
        assert not lane.is_known_open, "a turn is counted only by who waits for it"
        if await is_open(lane, clock):
            opened.append(batch)
        else:
            assert (lane.reason, lane.is_throttled) == ("3 live events go first", True)
    assert opened == [9, 18, 27]
    live.health.halt_reason = lambda: "halted"
    assert await is_open(lane, clock), "what a halted worker keeps is not being worked on"
    live.health.halt_reason = str
    live.health.in_flight = 0
    assert await is_open(lane, clock)
    assert not lane.is_throttled


@dataclass
class Index:
    """An index with so many events before it."""

    events: int = 500

    async def waiting(self) -> int:
        return self.events


async def test_jobs_wait_for_an_index_that_moves_and_give_up_one_that_does_not() -> None:
    index, clock = Index(), ManualClock()
    waiting = asyncio.create_task(wait_for_room(cast(Backlog, index), clock))
    for _ in range(100):
        await clock.advance(1)
        assert not waiting.done()
        index.events -= 4
    index.events = 32
    await clock.advance(1)
    await waiting
    stuck = asyncio.create_task(wait_for_room(cast(Backlog, Index()), clock))
    await clock.advance(62)
    with pytest.raises(IndexStuck, match="500 events have yet to be indexed"):
        await stuck
