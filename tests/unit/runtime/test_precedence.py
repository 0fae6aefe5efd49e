"""Who waits for an answer goes first, and nobody else waits for ever."""

import asyncio
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from ricordo.runtime.beside import Beside
from ricordo.runtime.handling import Done, Envelope, Outcome
from ricordo.runtime.precedence import Precedence, quick_turns


async def test_a_batch_waits_for_the_question_that_is_in_hand() -> None:
    precedence, order = Precedence(), list[str]()

    async def handler(tenant: str, events: Sequence[Envelope[Any]], /) -> Sequence[Outcome]:
        order.append(f"batch of {tenant}")
        return [Done()] * len(events)

    with precedence.taken():
        with precedence.taken():
            batch = asyncio.create_task(precedence.before(handler)("a", ()))
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        order.append("answer")
    assert await batch == []
    assert order == ["answer", "batch of a"]


async def test_a_batch_does_not_wait_for_ever() -> None:
    precedence = Precedence()
    with precedence.taken():
        await asyncio.wait_for(precedence.given(), 30)


async def test_what_computes_beside_steps_aside_item_by_item_and_goes_on() -> None:
    precedence, began = Precedence(), threading.Event()

    def work(item: int) -> float:
        began.set()
        return time.monotonic()

    async with Beside(precedence) as beside:
        with precedence.taken():
            asked = time.monotonic()
            done = await asyncio.wait_for(beside.each(work, range(3)), 30)
    assert began.is_set()
    assert done[0] - asked >= 0.002, "it let the question have its turn"
    assert done == sorted(done)


def test_turns_are_as_long_as_before_in_the_end() -> None:
    before = sys.getswitchinterval()
    with quick_turns():
        assert sys.getswitchinterval() < before
    assert sys.getswitchinterval() == before
