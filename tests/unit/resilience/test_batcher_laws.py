"""Laws of the embedding batcher, whatever its callers and its model do."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fixtures.encoded import models, vectors
from tests.fixtures.examples import at_most
from tests.fixtures.loop_time import run_by
from tests.support.manual_clock import ManualClock
from tests.support.models import EncodingRequest, FakeEncoder

from ricordo.models.batch_queue import Encoded
from ricordo.models.batcher import BatchLimits, EmbeddingBatcher
from ricordo.models.encoder import NoVector, Vectors
from ricordo.resilience import BreakerState, CircuitBreaker, evenly_spaced

PER_SECOND = 3
OUTAGE_BEGINS = 5.0
MOMENT = 1e-6


@dataclass(frozen=True)
class Call:
    """One caller: when it comes, with how many texts, and after how long it gives up."""

    at: float
    texts: int
    patience: float | None


@dataclass
class World:
    """Callers, a batcher, and a model that is away for a while."""

    calls: list[Call]
    latency: float = 0.2
    outage: float = 0.0
    clock: ManualClock = field(default_factory=ManualClock)

    def __post_init__(self) -> None:
        self.model = Watched(self.clock, latency=self.latency)
        self.results: list[Sequence[Encoded | NoVector] | None] = [None] * len(self.calls)

    def live(self) -> None:
        """Let it all happen, by the clock as by the event loop's time."""
        run_by(self.clock, self._live())

    async def _live(self, seconds: float = 200.0) -> None:
        bucket = evenly_spaced(PER_SECOND)
        limits = BatchLimits(queue=128)
        async with EmbeddingBatcher(self.model, self.clock, limiter=bucket, limits=limits) as batcher:
            self.model.breaker = batcher.breaker
            tasks = [asyncio.create_task(self._call(batcher, n)) for n in range(len(self.calls))]
            await self.clock.advance(OUTAGE_BEGINS)
            self.model.available = not self.outage
            await self.clock.advance(self.outage)
            self.model.available = True
            await self.clock.advance(seconds)
            assert all(task.done() for task in tasks)

    def texts(self, number: int) -> list[str]:
        return [f"caller {number} says {n}" for n in range(self.calls[number].texts)]

    async def _call(self, batcher: EmbeddingBatcher, number: int) -> None:
        call = self.calls[number]
        await self.clock.sleep(call.at)
        task = asyncio.create_task(batcher.encode(self.texts(number)))
        if call.patience is not None:
            await self.clock.sleep(call.patience)
            task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        if not task.cancelled():
            self.results[number] = task.result()


class Watched(FakeEncoder):
    """Notes the state of the breaker at the beginning of each request, and the most requests at a time."""

    breaker: CircuitBreaker

    def __init__(self, clock: ManualClock, latency: float) -> None:
        super().__init__(clock, latency=latency)
        self.states: list[BreakerState] = []
        self.most_in_flight = 0

    async def encode(self, texts: Sequence[str]) -> Vectors:
        self.states.append(self.breaker.state)
        self.most_in_flight = max(self.most_in_flight, self.in_flight + 1)
        return await super().encode(texts)


calls = st.lists(
    st.builds(
        Call, at=st.floats(0, 30), texts=st.integers(1, 70), patience=st.one_of(st.none(), st.floats(0, 10))
    ),
    min_size=1,
    max_size=12,
)
outages = st.one_of(st.just(0.0), st.floats(0.5, 60))
latencies = st.floats(0.001, 2)
laws = settings(max_examples=at_most(20), deadline=None)


@laws
@given(calls, latencies, outages)
def test_the_model_is_spared_and_everyone_who_waits_gets_what_was_asked(
    calls: list[Call], latency: float, outage: float
) -> None:
    """Nobody calls an open breaker, and one at a time probes it."""
    world = World(calls, latency, outage)
    world.live()
    begun = [request.begun for request in world.model.requests]
    assert all(later - first >= 1 - MOMENT for first, later in zip(begun, begun[PER_SECOND:], strict=False))
    assert world.model.most_in_flight <= 2
    assert all(1 <= len(request.texts) <= 32 for request in world.model.requests)
    for number, (call, result) in enumerate(zip(calls, world.results, strict=True)):
        if call.patience is None:
            assert result is not None
        if result is not None:
            np.testing.assert_array_equal(vectors(result), world.model.vectors(world.texts(number)))
    probes: list[EncodingRequest] = []
    for request, state in zip(world.model.requests, world.model.states, strict=True):
        assert state is not BreakerState.OPEN
        if state is BreakerState.HALF_OPEN:
            assert all(_ended(probe) <= request.begun for probe in probes)
            probes.append(request)


@laws
@given(st.lists(st.integers(1, 40), min_size=1, max_size=8), latencies, st.floats(0, 120))
def test_it_recovers_within_fifteen_seconds_and_a_probe(
    sizes: list[int], latency: float, outage: float
) -> None:
    world = World([Call(OUTAGE_BEGINS, size, None) for size in sizes], latency, outage)
    world.live()
    back = OUTAGE_BEGINS + outage
    succeeded = [_ended(request) for request in world.model.requests if not request.failed]
    assert min(succeeded) <= back + 15 + 2 * latency + 1
    requests_left = sum(sizes) / 32 + len(sizes)
    assert max(succeeded) <= back + 15 + (requests_left + 2) * (latency + 1 / PER_SECOND) + 1


@laws
@given(calls, latencies, outages, st.data())
def test_giving_up_changes_nothing_for_others(
    calls: list[Call], latency: float, outage: float, data: st.DataObject
) -> None:
    patient = [Call(call.at, call.texts, None) for call in calls]
    quitters = data.draw(st.sets(st.integers(0, len(calls) - 1)))
    some_quit = [
        Call(call.at, call.texts, data.draw(st.floats(0, 20))) if number in quitters else call
        for number, call in enumerate(patient)
    ]
    undisturbed, disturbed = World(patient, latency, outage), World(some_quit, latency, outage)
    undisturbed.live()
    disturbed.live()
    for number in set(range(len(calls))) - quitters:
        expected, actual = undisturbed.results[number], disturbed.results[number]
        assert expected is not None
        assert actual is not None
        assert models(actual) == models(expected)
        np.testing.assert_array_equal(vectors(actual), vectors(expected))


def _ended(request: EncodingRequest) -> float:
    assert request.ended is not None
    return request.ended
