"""Patterns are counted when it is worth it, and at once when something was forgotten."""

from dataclasses import dataclass
from datetime import datetime

import pytest
from tests.support.manual_clock import ManualClock

from ricordo.memory.style import RegisterPatterns, StyleCounts
from ricordo.store.memory_queries import StyleDelta, StyleQueries, StyleStats
from ricordo_services.retrieval.cached_readers import UserPatterns


@dataclass
class Said(StyleQueries):
    """Stands in for the truth: short messages of an evening."""

    clock: ManualClock
    messages: int
    forgotten: int = 0
    read: bool = True
    counted: int = 0
    before: int = 0

    async def stats(
        self, tenant: str, user_id: str, *, before: datetime, manners: RegisterPatterns
    ) -> StyleStats:
        self.counted += 1
        self.before = self.messages
        parts = {"evening": self.messages if self.read else 0}
        talk = StyleCounts(messages=self.messages, lengths=(9, 9, 9), parts_of_day=parts)
        return StyleStats(talk, self.clock.now(), self.forgotten)

    async def delta(
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
