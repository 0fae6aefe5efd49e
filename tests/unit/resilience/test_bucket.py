"""No period, wherever it begins, sees more requests than there are tokens."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ricordo.runtime.resilience import TokenBucket, Unlimited
from ricordo.testing.clock import ManualClock, settle


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 5),
    st.floats(0.1, 10),
    st.lists(st.floats(0, 5), min_size=1, max_size=30),
    st.sets(st.integers(0, 29)),
)
async def test_the_rate_is_never_exceeded(
    tokens: int, period: float, pauses: list[float], given_up: set[int]
) -> None:
    clock = ManualClock()
    bucket = TokenBucket(clock, tokens, period)
    taken: list[float] = []

    async def take() -> None:
        await bucket.take()
        taken.append(clock.monotonic())

    tasks: list[asyncio.Task[None]] = []
    for number, pause in enumerate(pauses):
        await clock.advance(pause if number % 3 else 0)
        tasks.append(asyncio.create_task(take()))
        await settle(5)
        if number in given_up:
            tasks[-1].cancel()
    await clock.advance(len(pauses) * period)
    await asyncio.gather(*tasks, return_exceptions=True)
    for first, beyond in zip(taken, taken[tokens:], strict=False):
        assert beyond - first >= period * (1 - 1e-9)
    assert len(taken) == sum(not task.cancelled() for task in tasks)


async def test_a_burst_may_use_all_tokens_at_once() -> None:
    clock = ManualClock()
    bucket = TokenBucket(clock, 3)
    for _ in range(3):
        await bucket.take()
    fourth = asyncio.create_task(bucket.take())
    await clock.advance(0.99)
    assert not fourth.done()
    await clock.advance(0.01)
    assert fourth.done()


async def test_who_gives_up_takes_no_token_and_the_next_is_served() -> None:
    clock = ManualClock()
    bucket = TokenBucket(clock, 1)
    await bucket.take()
    impatient = asyncio.create_task(bucket.take())
    patient = asyncio.create_task(bucket.take())
    await settle()
    impatient.cancel()
    await clock.advance(1)
    assert patient.done()
    assert impatient.cancelled()


async def test_without_a_limit_nobody_waits() -> None:
    async with asyncio.timeout(1):
        for _ in range(10_000):
            await Unlimited().take()


@pytest.mark.parametrize(("tokens", "period"), [(0, 1.0), (-1, 1.0), (3, 0.0), (3, -1.0)])
def test_a_bucket_that_lets_nothing_through_is_refused(tokens: int, period: float) -> None:
    with pytest.raises(ValueError, match="nothing through"):
        TokenBucket(ManualClock(), tokens, period)
