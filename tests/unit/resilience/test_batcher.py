"""The embedding batcher gathers texts, spares the model, finds a bad text, and loses nothing in an outage."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import numpy as np
import pytest
from tests.fixtures.encoded import models, vectors
from tests.support.manual_clock import ManualClock, settle
from tests.support.models import FakeEncoder

from ricordo.models.batcher import BatchLimits, EmbeddingBatcher
from ricordo.models.encoder import ModelUnavailable, NoVector, Vectors
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


class Picky(FakeEncoder):
    """Fails on requests that hold a certain text, so many times."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock)
        self.poison = {"poison": 1000}

    async def encode(self, texts: Sequence[str]) -> Vectors:
        vectors = await super().encode(texts)
        for text in self.poison.keys() & set(texts):
            if self.poison[text]:
                self.poison[text] -= 1
                raise ModelUnavailable("crashed")
        return vectors


async def test_a_text_that_the_model_fails_on_is_found_among_others(clock: ManualClock) -> None:
    async with EmbeddingBatcher(Picky(clock), clock) as batcher:
        calls = [asyncio.create_task(batcher.encode([f"text {n}"])) for n in range(20)]
        calls.insert(13, asyncio.create_task(batcher.encode(["poison"])))
        calls += [asyncio.create_task(batcher.encode([f"late {n}"])) for n in range(40)]
        await clock.advance(60)
        poison = calls.pop(13)
        assert isinstance(poison.result()[0], NoVector)
        assert all(call.done() and len(vectors(call.result())) == 1 for call in calls)


class Narrow(FakeEncoder):
    """Fails on requests that hold a text of more than 1,000 characters."""

    async def encode(self, texts: Sequence[str]) -> Vectors:
        if max(map(len, texts)) > 1000:
            raise ModelUnavailable("input length exceeds maximum context length")
        return await super().encode(texts)


async def test_a_text_that_is_too_long_is_encoded_by_its_beginning(clock: ManualClock) -> None:
    model = Narrow(clock)
    async with EmbeddingBatcher(model, clock) as batcher:
        call = asyncio.create_task(batcher.encode(["short", "x" * 3200]))
        await clock.advance(60)
        np.testing.assert_array_equal(vectors(await call), model.vectors(["short", "x" * 800]))
        assert (batcher.refused, state_of(batcher)) == (0, BreakerState.CLOSED)


class OneAtATime(Picky):
    """Does one request after the other: 6 s for one of several texts."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock)
        self.turn = asyncio.Lock()

    async def encode(self, texts: Sequence[str]) -> Vectors:
        async with self.turn:
            self.latency = 6.0 if len(texts) > 1 else 0.1
            return await super().encode(texts)


async def test_an_answer_to_others_proves_that_the_model_is_there(clock: ManualClock) -> None:
    model = OneAtATime(clock)
    async with EmbeddingBatcher(model, clock) as batcher:
        poison = asyncio.create_task(batcher.encode(["poison"]))

        async def talk() -> None:
            while not poison.done():
                await batcher.encode([f"text {n}" for n in range(32)])

        talking = [asyncio.create_task(talk()) for _ in range(4)]
        await clock.advance(600)
        assert isinstance(poison.result()[0], NoVector)
        assert all(one.done() and one.exception() is None for one in talking)
        assert sum(request.texts == ("poison",) for request in model.requests) == 3
        assert state_of(batcher) is BreakerState.CLOSED


class Fragile(FakeEncoder):
    """Takes no request for 20 s after one that held a certain text."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock, latency=0.1)
        self.back_at = 0.0

    async def encode(self, texts: Sequence[str]) -> Vectors:
        if self._clock.monotonic() < self.back_at:
            raise ModelUnavailable("it is down")
        vectors = await super().encode(texts)
        if "poison" in texts:
            self.back_at = self._clock.monotonic() + 20
            raise ModelUnavailable("it went down")
        return vectors


async def test_a_text_that_brings_the_model_down_is_alone_in_the_end(clock: ManualClock) -> None:
    model = Fragile(clock)
    async with EmbeddingBatcher(model, clock) as batcher:
        poison = asyncio.create_task(batcher.encode(["poison"]))
        texts = [f"text {n}" for n in range(31)]
        call = asyncio.create_task(batcher.encode(texts))
        await clock.advance(600)
        assert call.done()
        np.testing.assert_array_equal(vectors(await call), model.vectors(texts))
        assert isinstance(poison.result()[0], NoVector)


class Defective(FakeEncoder):
    """Answers nonsense, or breaks in a way that the port does not know."""

    async def encode(self, texts: Sequence[str]) -> Vectors:
        if texts[0] == "defect":
            raise ZeroDivisionError
        vectors = await super().encode(texts)
        return vectors[:-1] if texts[0] == "short" else vectors


async def test_a_defect_of_the_encoder_reaches_its_callers_only(clock: ManualClock) -> None:
    async with EmbeddingBatcher(Defective(clock), clock) as batcher:
        call = asyncio.create_task(batcher.encode(["defect"]))
        await clock.advance(0.05)
        with pytest.raises(ZeroDivisionError):
            await call
        fine = asyncio.create_task(batcher.encode(["fine"]))
        await clock.advance(0.1)
        assert fine.done()


async def test_a_model_that_only_breaks_is_away(clock: ManualClock) -> None:
    model = Broken(clock)
    async with EmbeddingBatcher(model, clock) as batcher:
        call = asyncio.create_task(batcher.encode(["text"]))
        await clock.advance(1)
        assert state_of(batcher) is BreakerState.OPEN
        assert batcher.reason == "it is broken"
        await clock.advance(100)
        assert not call.done()
        assert batcher.reason == "fake failed: ZeroDivisionError()"
        model.broken = False
        await clock.advance(20)
        assert call.done()


class Broken(FakeEncoder):
    """Is away for texts, and breaks at the trial."""

    broken = True

    async def encode(self, texts: Sequence[str]) -> Vectors:
        if self.broken and texts != ["text"]:
            raise ZeroDivisionError
        if self.broken:
            raise ModelUnavailable("it is broken")
        return await super().encode(texts)
