"""Computation beside the event loop: order, errors, priority of queries, rules, garbage collection."""

import asyncio
import gc
import sys
import threading
import time
import weakref

import pytest

from ricordo.runtime.process import freeze_gc
from ricordo.runtime.scheduling import CpuExecutor, QueryPriority, gil_switch_interval


async def test_each_item_is_worked_on_in_order_and_off_the_loop() -> None:
    async with CpuExecutor() as executor:
        made = await executor.map(lambda item: (item * 2, threading.current_thread().name), range(5))
    assert [value for value, _ in made] == [0, 2, 4, 6, 8]
    assert all(name.startswith("cpu") for _, name in made)


async def test_the_first_error_is_the_callers() -> None:
    async with CpuExecutor() as executor:
        with pytest.raises(ZeroDivisionError):
            await executor.map(lambda item: 1 // item, [1, 0, 2])
        assert await executor.map(lambda item: 1 // item, [1]) == [1]


async def test_who_is_cancelled_does_not_keep_the_thread_busy() -> None:
    begun, go_on = threading.Event(), threading.Event()
    made: list[int] = []

    def work(item: int) -> None:
        begun.set()
        go_on.wait(5)
        made.append(item)

    async with CpuExecutor() as executor:
        working = asyncio.create_task(executor.map(work, range(100)))
        await asyncio.to_thread(begun.wait, 5)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working
        go_on.set()
        assert await executor.map(str, ["next"]) == ["next"]
    assert made == [0]


async def test_work_waits_for_the_question_that_is_in_hand() -> None:
    priority, order = QueryPriority(), list[str]()

    async def work() -> None:
        await priority.yield_to_interactive()
        order.append("work")

    with priority.interactive():
        with priority.interactive():
            working = asyncio.create_task(work())
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        order.append("answer")
    await working
    assert order == ["answer", "work"]


async def test_work_waits_for_a_moment_and_not_for_ever() -> None:
    priority = QueryPriority()
    began = time.monotonic()
    with priority.interactive():
        await asyncio.wait_for(priority.yield_to_interactive(), 30)
    assert time.monotonic() - began >= 0.04


async def test_what_computes_beside_steps_aside_before_each_item() -> None:
    priority = QueryPriority()
    async with CpuExecutor(priority) as executor:
        with priority.interactive():
            asked = time.monotonic()
            done = await asyncio.wait_for(executor.map(lambda _: time.monotonic(), range(3)), 30)
    steps = [later - earlier for earlier, later in zip([asked, *done], done, strict=False)]
    assert min(steps) >= 0.002 or sum(steps) >= 0.05, (
        "on a busy machine one step may take all the time there is"
    )


def test_turns_are_as_long_as_before_in_the_end() -> None:
    found = sys.getswitchinterval()  # a system may be at work in this process
    try:
        sys.setswitchinterval(0.004)
        before = sys.getswitchinterval()
        with gil_switch_interval():
            assert sys.getswitchinterval() < before
        assert sys.getswitchinterval() == before
    finally:
        sys.setswitchinterval(found)


class Ring:
    def __init__(self) -> None:
        self.itself = self


def test_what_stood_is_left_alone_and_cycles_that_form_within_are_found() -> None:
    outside, before = Ring(), gc.get_threshold()
    with freeze_gc():
        assert not any(each is outside for each in gc.get_objects())
        inside = weakref.ref(Ring())
        gc.collect()
        assert inside() is None
    assert any(each is outside for each in gc.get_objects())
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)
