"""Patterns of a user are counted when it is worth it, and parts of a recall fail as if they ran alone."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import pytest
from tests.support.manual_clock import ManualClock

from ricordo.memory.style import RegisterPatterns, StyleCounts
from ricordo.models.encoder import ModelUnavailable
from ricordo.runtime.tasks import together
from ricordo.store.database import StoreUnavailable
from ricordo.store.memory_queries import MemoryQueries, StyleDelta, StyleStats
from ricordo_services.retrieval.cached_readers import UserPatterns


@dataclass
class Said(MemoryQueries):
    """Stands in for the truth: short messages of an evening."""

    clock: ManualClock
    messages: int
    forgotten: int = 0
    read: bool = True
    counted: int = 0
    before: int = 0

    async def style(
        self, tenant: str, user_id: str, *, before: datetime, manners: RegisterPatterns
    ) -> StyleStats:
        self.counted += 1
        self.before = self.messages
        parts = {"evening": self.messages if self.read else 0}
        talk = StyleCounts(messages=self.messages, lengths=(9, 9, 9), parts_of_day=parts)
        return StyleStats(talk, self.clock.now(), self.forgotten)

    async def style_delta(
        self, tenant: str, user_id: str, *, since: datetime, before: datetime, most: int
    ) -> StyleDelta:
        return StyleDelta(min(most, self.messages - self.before), self.forgotten)


@pytest.fixture
def said() -> Said:
    return Said(ManualClock(), 100)


async def test_one_message_more_is_not_worth_it_and_a_tenth_more_is(said: Said) -> None:
    habits = UserPatterns(said, said.clock)
    for messages, counted in ((100, 1), (101, 1), (109, 1), (110, 2), (111, 2)):
        said.messages = messages
        assert len(await habits.read("acme", "u-1")) == 2
        assert said.counted == counted


async def test_what_is_forgotten_counts_no_more_at_once(said: Said) -> None:
    habits = UserPatterns(said, said.clock)
    await habits.read("acme", "u-1")
    said.messages, said.forgotten = 9, 1
    assert await habits.read("acme", "u-1") == ()


async def test_after_a_while_it_is_counted_again_and_sooner_before_all_is_read(said: Said) -> None:
    habits = UserPatterns(said, said.clock)
    said.read = False
    assert [one.name for one in await habits.read("acme", "u-1")] == ["length"]
    said.read = True
    await said.clock.advance(31)
    assert [one.name for one in await habits.read("acme", "u-1")] == ["length", "time_of_day"]
    await said.clock.advance(31)
    await habits.read("acme", "u-1")
    assert said.counted == 2
    await said.clock.advance(600)
    await habits.read("acme", "u-1")
    assert said.counted == 3


async def answers(value: int = 1) -> int:
    return value


async def fails(error: Exception) -> int:
    raise error


@pytest.mark.parametrize("kind", [ValueError, StoreUnavailable, ModelUnavailable])
async def test_failure_is_raised_as_itself_with_its_cause(kind: Callable[[str], Exception]) -> None:
    cause, error = OSError("reset"), kind("away")
    error.__cause__ = cause
    with pytest.raises(kind, match="away") as raised:  # type: ignore[call-overload]  # each is an exception
        await together([fails(error), answers()])
    assert raised.value.__cause__ is cause


@pytest.mark.parametrize("given_up", [True, False])
async def test_others_are_cancelled_by_a_failure_and_with_the_caller(*, given_up: bool) -> None:
    waiting, cancelled = asyncio.Event(), asyncio.Event()

    async def waits() -> int:
        try:
            waiting.set()
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return 0

    async def fails_later() -> int:
        await waiting.wait()
        if given_up:
            await asyncio.Event().wait()
        raise ValueError("a defect")

    call = asyncio.create_task(together([waits(), fails_later()]))
    await waiting.wait()
    if given_up:
        call.cancel()
    with pytest.raises(asyncio.CancelledError if given_up else ValueError):
        await call
    assert cancelled.is_set()
