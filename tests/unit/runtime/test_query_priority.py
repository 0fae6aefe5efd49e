"""Who waits for an answer goes first, and nobody else waits for ever."""

import asyncio
import sys
import time

from ricordo.runtime.scheduling import CpuExecutor, QueryPriority, gil_switch_interval


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
    async with CpuExecutor(priority) as beside:
        with priority.interactive():
            asked = time.monotonic()
            done = await asyncio.wait_for(beside.map(lambda _: time.monotonic(), range(3)), 30)
    steps = [later - earlier for earlier, later in zip([asked, *done], done, strict=False)]
    assert min(steps) >= 0.002 or sum(steps) >= 0.05, (
        "on a busy machine one step may take all the time there is"
    )


async def test_what_computes_beside_does_not_step_aside_for_ever() -> None:
    priority = QueryPriority()
    async with CpuExecutor(priority) as beside:
        with priority.interactive():  # three milliseconds for each of these would be a minute
            await asyncio.wait_for(beside.map(abs, range(20_000)), 30)


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
