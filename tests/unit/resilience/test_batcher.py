"""The embedding batcher gathers texts, spares the model, and loses nothing while the model is away."""

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest
from tests.fixtures.encoded import models, vectors
from tests.support.manual_clock import ManualClock, settle
from tests.support.models import FakeEncoder

from ricordo.models.batcher import BatchLimits, EmbeddingBatcher
from ricordo.resilience import BreakerState


@pytest.fixture
async def batcher(model: FakeEncoder, clock: ManualClock) -> AsyncIterator[EmbeddingBatcher]:
    async with EmbeddingBatcher(model, clock) as opened:
        yield opened


def state_of(batcher: EmbeddingBatcher) -> BreakerState:
    return batcher.breaker.state


async def test_handing_in_waits_while_the_queue_is_full(model: FakeEncoder, clock: ManualClock) -> None:
    async with EmbeddingBatcher(model, clock, limits=BatchLimits(queue=64)) as batcher:
        calls = [asyncio.create_task(batcher.encode([f"text {n}"])) for n in range(100)]
        await settle()
        assert batcher.waiting + 32 * batcher.in_flight == 64
        await clock.advance(0.1)
        assert sum(call.done() for call in calls) == 64
        await clock.advance(1)
        assert all(call.done() for call in calls)


async def test_a_worker_is_told_when_to_fetch(
    batcher: EmbeddingBatcher, model: FakeEncoder, clock: ManualClock
) -> None:
    await batcher.wait_open()
    model.available = False
    call = asyncio.create_task(batcher.encode(["hello"]))
    await clock.advance(1)
    gate = asyncio.create_task(batcher.wait_open())
    call.cancel()
    await clock.advance(60)
    assert not gate.done()
    model.available = True
    await clock.advance(15.5)
    assert gate.done()  # it was found out without a text that waits
    assert state_of(batcher) is BreakerState.CLOSED
    assert batcher.reason == ""


async def test_the_fallback_serves_a_long_outage_and_the_model_its_end(
    model: FakeEncoder, clock: ManualClock
) -> None:
    spare = FakeEncoder(clock, model="spare", dimensions=16)
    limits = BatchLimits(fallback_after=20)
    async with EmbeddingBatcher(model, clock, fallback=spare, limits=limits) as batcher:
        model.available = False
        call = asyncio.create_task(batcher.encode(["hello"]))
        gate = asyncio.create_task(_open_after(batcher, clock, 1))
        await clock.advance(19)
        assert not call.done()
        await clock.advance(2)
        assert gate.done()
        assert batcher.reason == "fake is away; spare is used meanwhile"
        encoded = await call
        assert models(encoded) == ["spare"]
        np.testing.assert_array_equal(vectors(encoded), spare.vectors(["hello"]))
        probes = len(model.requests)
        model.available = True
        await clock.advance(30)
        back = asyncio.create_task(batcher.encode(["back"]))
        await clock.advance(1)
        assert models(await back) == ["fake"]
        assert len(model.requests) == probes + 2  # the probe, and the text


async def test_a_fallback_that_is_away_too_is_waited_for(model: FakeEncoder, clock: ManualClock) -> None:
    spare = FakeEncoder(clock, model="spare", dimensions=16, latency=0.1)
    limits = BatchLimits(fallback_after=20)
    async with EmbeddingBatcher(model, clock, fallback=spare, limits=limits) as batcher:
        model.available = spare.available = False
        calls = [asyncio.create_task(batcher.encode([f"text {n}"])) for n in range(40)]
        await clock.advance(3600)
        assert not any(call.done() for call in calls)
        assert batcher.reason == "fake is away; spare is away"
        asked = len(spare.requests)
        gate = asyncio.create_task(batcher.wait_open())
        await clock.advance(10)
        assert not gate.done()
        assert len(spare.requests) <= asked + 1
        spare.available = True
        await clock.advance(20)
        assert gate.done()
        assert [models(await call) for call in calls] == [["spare"]] * 40


async def _open_after(batcher: EmbeddingBatcher, clock: ManualClock, seconds: float) -> None:
    await clock.sleep(seconds)
    await batcher.wait_open()
