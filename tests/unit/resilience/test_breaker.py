"""The circuit breaker opens after failures in a row, lets one probe find out, and forgets stragglers."""

import asyncio
from datetime import datetime, timedelta, tzinfo
from typing import Self

import pybreaker
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.manual_clock import ManualClock, settle

from ricordo import resilience as ours
from ricordo.resilience import Admission, BreakerState, CircuitBreaker


@pytest.fixture
def breaker(clock: ManualClock) -> CircuitBreaker:
    return CircuitBreaker(clock)


def state_of(breaker: CircuitBreaker) -> BreakerState:
    return breaker.state


def admitted(breaker: CircuitBreaker) -> Admission:
    admission = breaker.admit()
    assert admission is not None
    return admission


def fail(breaker: CircuitBreaker, times: int = 1) -> None:
    for _ in range(times):
        admitted(breaker).failed()


async def test_a_cancelled_probe_frees_its_place(breaker: CircuitBreaker, clock: ManualClock) -> None:
    fail(breaker, 3)
    await clock.advance(15)

    async def call() -> None:
        with admitted(breaker):
            await clock.sleep(100)

    task = asyncio.create_task(call())
    await settle()
    assert not breaker.admits
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert state_of(breaker) is BreakerState.HALF_OPEN
    assert admitted(breaker).is_probe


def test_only_the_counted_exceptions_are_failures(clock: ManualClock) -> None:
    breaker = CircuitBreaker(clock, counted=ConnectionError)
    for error in (ValueError, KeyError, TypeError, LookupError):
        with pytest.raises(error), admitted(breaker):
            raise error
    assert state_of(breaker) is BreakerState.CLOSED
    for _ in range(3):
        with pytest.raises(ConnectionResetError), admitted(breaker):
            raise ConnectionResetError
    assert state_of(breaker) is BreakerState.OPEN


async def test_stragglers_change_nothing(breaker: CircuitBreaker, clock: ManualClock) -> None:
    early = [admitted(breaker) for _ in range(4)]
    fail(breaker, 3)
    early[0].succeeded()
    assert state_of(breaker) is BreakerState.OPEN
    await clock.advance(15)
    early[1].failed()
    assert state_of(breaker) is BreakerState.HALF_OPEN
    probe = admitted(breaker)
    early[2].failed()
    assert not breaker.admits
    probe.succeeded()
    early[3].failed()
    fail(breaker, 2)
    assert state_of(breaker) is BreakerState.CLOSED


async def test_waiters_hear_of_the_recovery(breaker: CircuitBreaker, clock: ManualClock) -> None:
    assert await breaker.wait_admitting()
    fail(breaker, 3)
    admitting = asyncio.create_task(breaker.wait_admitting())
    await clock.advance(14.9)
    assert not admitting.done()
    await clock.advance(0.1)
    assert admitting.done()
    probe = admitted(breaker)
    others = [asyncio.create_task(breaker.wait_admitting()) for _ in range(3)]
    await settle()
    assert not any(other.done() for other in others)
    probe.succeeded()
    await settle()
    assert all(other.result() for other in others)


class Wall(datetime):
    """A wall clock that is set by hand, and may run backwards whenever it is looked at."""

    off = timedelta(0)
    slips = timedelta(0)

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        cls.off += cls.slips
        return super().now(tz) + cls.off


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> type[Wall]:
    class Fresh(Wall):
        """Its steps are of one test."""

    monkeypatch.setattr(pybreaker, "datetime", Fresh)
    monkeypatch.setattr(ours, "datetime", Fresh)
    return Fresh


@pytest.mark.parametrize("hours", [-1, 1])
async def test_a_step_of_the_wall_clock_opens_and_closes_nothing(
    breaker: CircuitBreaker, clock: ManualClock, wall: type[Wall], hours: int
) -> None:
    fail(breaker, 3)
    wall.off += timedelta(hours=hours)
    assert state_of(breaker) is BreakerState.OPEN
    await clock.advance(15)
    probe = admitted(breaker)
    wall.off += timedelta(hours=hours)
    probe.succeeded()
    assert state_of(breaker) is BreakerState.CLOSED


async def test_a_wall_clock_that_is_set_back_amid_an_outcome_costs_another_probe(
    breaker: CircuitBreaker, clock: ManualClock, wall: type[Wall]
) -> None:
    fail(breaker, 3)
    await clock.advance(15)
    probe = admitted(breaker)
    wall.slips = timedelta(hours=-1)
    probe.succeeded()
    assert state_of(breaker) is BreakerState.HALF_OPEN
    wall.slips = timedelta(0)
    admitted(breaker).succeeded()
    assert state_of(breaker) is BreakerState.CLOSED


steps = st.lists(
    st.one_of(st.sampled_from(["admit", "succeeded", "failed", "withdrawn"]), st.floats(0.1, 20)), max_size=60
)


@given(steps)
async def test_whatever_happens_there_is_one_probe_and_it_opens_in_time(steps: list[str | float]) -> None:
    clock = ManualClock()
    breaker = CircuitBreaker(clock)
    calls: list[Admission] = []
    for step in steps:
        if isinstance(step, float):
            await clock.advance(step)
        elif step == "admit":
            state = breaker.state
            admission = breaker.admit()
            assert state is not BreakerState.OPEN or admission is None
            calls += [admission] if admission else []
        elif calls:
            getattr(calls.pop(0), step)()
        assert sum(call.is_probe for call in calls) <= 1
        assert (breaker.down_for > 0 or breaker.state is not BreakerState.CLOSED) or breaker.admits
    await clock.advance(15)
    for call in calls:
        call.withdrawn()
    assert breaker.admits
