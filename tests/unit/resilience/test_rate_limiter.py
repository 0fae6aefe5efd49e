"""No period of the rate limiter sees more requests than allowed; time is the event loop's."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fixtures.examples import at_most
from tests.fixtures.loop_time import run_by
from tests.support.manual_clock import ManualClock, settle

from ricordo.models.throttle import Throttle
from ricordo.resilience import CircuitBreaker, evenly_spaced


@settings(max_examples=at_most(60), deadline=None)
@given(
    st.integers(1, 5),
    st.floats(0.1, 10),
    st.lists(st.floats(0, 5), min_size=1, max_size=30),
    st.sets(st.integers(0, 29)),
)
def test_the_rate_is_never_exceeded(
    requests: int, period: float, pauses: list[float], given_up: set[int]
) -> None:
    clock, taken = ManualClock(), list[float]()
    tasks: list[asyncio.Task[None]] = []

    async def live() -> None:
        bucket = evenly_spaced(requests, period)

        async def take() -> None:
            await bucket.acquire()
            taken.append(clock.monotonic())

        for number, pause in enumerate(pauses):
            await clock.advance(pause if number % 3 else 0)
            tasks.append(asyncio.create_task(take()))
            await settle(5)
            if number in given_up:
                tasks[-1].cancel()
        await clock.advance(len(pauses) * period)
        await asyncio.gather(*tasks, return_exceptions=True)

    run_by(clock, live())
    for first, beyond in zip(taken, taken[requests:], strict=False):
        assert beyond - first >= period * (1 - 1e-6)
    assert len(taken) == sum(not task.cancelled() for task in tasks)


def test_requests_are_spread_over_the_period_and_none_is_saved_up() -> None:
    clock = ManualClock()

    async def live() -> None:
        bucket = evenly_spaced(4, 2)
        await clock.advance(60)
        await bucket.acquire()
        waiting = [asyncio.create_task(bucket.acquire()) for _ in range(3)]
        for served in range(1, 4):
            await clock.advance(0.499)
            assert sum(one.done() for one in waiting) == served - 1
            await clock.advance(0.001)
            assert [one.done() for one in waiting] == [n < served for n in range(3)]

    run_by(clock, live())


def test_who_gives_up_takes_nothing_and_the_next_is_served() -> None:
    clock = ManualClock()

    async def live() -> None:
        bucket = evenly_spaced(1)
        await bucket.acquire()
        impatient = asyncio.create_task(bucket.acquire())
        patient = asyncio.create_task(bucket.acquire())
        await settle()
        impatient.cancel()
        await clock.advance(1)
        assert patient.done()
        assert impatient.cancelled()

    run_by(clock, live())


def test_replicas_share_the_rate_of_a_model_server() -> None:
    clock, asked = ManualClock(), list[float]()

    async def ask(_: Sequence[int]) -> Sequence[int]:
        asked.append(clock.monotonic())
        return [1]

    async def live() -> None:
        throttle = Throttle(CircuitBreaker(clock), evenly_spaced(4, 2), clock, gone="", back="")
        start = clock.monotonic()
        each = asyncio.create_task(throttle.each(iter([[1]] * 4), ask, throttle.deadline()))
        await clock.advance(10)
        assert await each == [1] * 4
        assert [at - start for at in asked] == pytest.approx([0, 0.5, 1, 1.5])

    run_by(clock, live())
