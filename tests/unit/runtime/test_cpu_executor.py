"""What computes beside the event loop: in order, with its errors, and no further than it is wanted."""

import asyncio
import threading
import time

import pytest

from ricordo.runtime.scheduling import CpuExecutor


async def test_each_item_is_worked_on_in_order_and_off_the_loop() -> None:
    async with CpuExecutor() as beside:
        made = await beside.map(lambda item: (item * 2, threading.current_thread().name), range(5))
    assert [value for value, _ in made] == [0, 2, 4, 6, 8]
    assert all(name.startswith("cpu") for _, name in made)


async def test_the_loop_goes_on_meanwhile() -> None:
    turns = 0

    async def turning() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    turner = asyncio.create_task(turning())
    async with CpuExecutor() as beside:
        await beside.map(lambda _: time.sleep(0.01), range(5))
    turner.cancel()
    assert turns > 10


async def test_the_first_error_is_the_callers() -> None:
    async with CpuExecutor() as beside:
        with pytest.raises(ZeroDivisionError):
            await beside.map(lambda item: 1 // item, [1, 0, 2])
        assert await beside.map(lambda item: 1 // item, [1]) == [1]


async def test_who_is_cancelled_does_not_keep_the_thread_busy() -> None:
    begun, go_on = threading.Event(), threading.Event()
    made: list[int] = []

    def work(item: int) -> None:
        begun.set()
        go_on.wait(5)
        made.append(item)

    async with CpuExecutor() as beside:
        working = asyncio.create_task(beside.map(work, range(100)))
        await asyncio.to_thread(begun.wait, 5)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working
        go_on.set()
        assert await beside.map(str, ["next"]) == ["next"]
    assert made == [0]
