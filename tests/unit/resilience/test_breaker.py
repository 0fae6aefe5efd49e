"""The circuit breaker opens after failures in a row, lets one probe find out, and forgets stragglers."""

import asyncio
import math
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
        breaker.settle(admitted(breaker), failed=True)


def test_only_the_counted_exceptions_are_failures(clock: ManualClock) -> None:
    breaker = CircuitBreaker(clock, counted=ConnectionError)
    for error in (ValueError, KeyError, TypeError, asyncio.CancelledError):
        with pytest.raises(error), admitted(breaker):
            raise error
    assert state_of(breaker) is BreakerState.CLOSED
    for _ in range(3):
        with pytest.raises(ConnectionResetError), admitted(breaker):
            raise ConnectionResetError
    assert state_of(breaker) is BreakerState.OPEN


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
    breaker.settle(probe, failed=False)
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
    breaker.settle(probe, failed=False)
    assert state_of(breaker) is BreakerState.CLOSED


async def test_a_wall_clock_that_is_set_back_amid_an_outcome_costs_another_probe(
    breaker: CircuitBreaker, clock: ManualClock, wall: type[Wall]
) -> None:
    fail(breaker, 3)
    await clock.advance(15)
    probe = admitted(breaker)
    wall.slips = timedelta(hours=-1)
    breaker.settle(probe, failed=False)
    assert state_of(breaker) is BreakerState.HALF_OPEN
    wall.slips = timedelta(0)
    breaker.settle(admitted(breaker), failed=False)
    assert state_of(breaker) is BreakerState.CLOSED


OUTCOMES = {"succeeded": False, "failed": True, "withdrawn": None}
steps = st.lists(st.one_of(st.sampled_from(["admit", *OUTCOMES]), st.floats(0.1, 20)), max_size=60)


@given(steps)
async def test_three_failures_in_a_row_open_it_and_one_probe_decides_whatever_else_comes_late(
    steps: list[str | float],
) -> None:
    clock = ManualClock()
    breaker = CircuitBreaker(clock)
    failures, changes, opened_at = 0, 0, -math.inf
    calls: list[tuple[Admission, int]] = []

    def state() -> BreakerState:
        if opened_at == -math.inf:
            return BreakerState.CLOSED
        return BreakerState.OPEN if clock.monotonic() < opened_at + 15 else BreakerState.HALF_OPEN

    for step in steps:
        if isinstance(step, float):
            await clock.advance(step)
        elif step == "admit":
            admits = state() is not BreakerState.OPEN and not any(call.is_probe for call, _ in calls)
            assert breaker.admits is admits
            admission = breaker.admit()
            assert (admission is not None) is admits
            calls += [(admission, changes)] if admission else []
        elif calls:
            call, began = calls.pop(0)
            breaker.settle(call, failed=OUTCOMES[step])
            if step != "withdrawn" and began == changes:
                failures = failures + 1 if step == "failed" else 0
                if call.is_probe or failures == 3:
                    opened_at = clock.monotonic() if step == "failed" else -math.inf
                    failures, changes = 0, changes + 1
        assert breaker.state is state()
        assert (breaker.down_for > 0) <= (state() is not BreakerState.CLOSED)
