"""The clock that tests move by hand keeps the promises of the port."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from ricordo.system_clock import SystemClock
from ricordo.testing.clock import ManualClock, settle


async def test_sleepers_wake_in_order_and_only_when_due() -> None:
    clock = ManualClock()
    woken: list[tuple[str, float]] = []

    async def nap(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((name, clock.monotonic()))

    async with asyncio.TaskGroup() as group:
        group.create_task(nap("late", 5))
        group.create_task(nap("early", 2))
        await settle()
        assert clock.sleeping == 2
        await clock.advance(1.5)
        assert woken == []
        await clock.advance(10)
    assert woken == [("early", 2), ("late", 5)]
    assert clock.monotonic() == 11.5


async def test_a_loop_of_sleeps_runs_as_often_as_time_allows() -> None:
    clock = ManualClock()
    ticks: list[datetime] = []

    async def tick() -> None:
        while True:
            await clock.sleep(60)
            ticks.append(clock.now())

    task = asyncio.create_task(tick())
    start = clock.now()
    await clock.advance(3600)
    task.cancel()
    assert len(ticks) == 60
    assert ticks[-1] == start + timedelta(hours=1)


async def test_a_cancelled_sleeper_is_forgotten() -> None:
    clock = ManualClock()
    task = asyncio.create_task(clock.sleep(1))
    await settle()
    task.cancel()
    await settle()
    assert clock.sleeping == 0
    await clock.advance(2)
    assert task.cancelled()


async def test_it_refuses_to_go_backwards_and_naive_starts() -> None:
    clock = ManualClock()
    with pytest.raises(ValueError, match="backwards"):
        await clock.advance(-1)
    with pytest.raises(ValueError, match="aware"):
        ManualClock(datetime(2026, 1, 1))  # noqa: DTZ001 - a naive instant is the point


async def test_advance_to_an_instant() -> None:
    clock = ManualClock(datetime(2026, 5, 4, tzinfo=UTC))
    await clock.advance_to(datetime(2026, 8, 4, tzinfo=UTC))
    assert clock.now() == datetime(2026, 8, 4, tzinfo=UTC)
    assert clock.monotonic() == 92 * 86400


async def test_the_system_clock_is_aware_and_monotonic() -> None:
    clock = SystemClock()
    before = clock.monotonic()
    await clock.sleep(0.001)
    assert clock.monotonic() > before
    assert clock.now().utcoffset() == timedelta(0)
