"""A view of a conversation is made once, and never outlives what it is a view of."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest

from ricordo.store.memory_queries import HistoryTurn
from ricordo.store.working_memory_store import WorkingMemorySnapshot, WorkingMemorySpan, WorkingMemoryStore
from ricordo.testing.manual_clock import ManualClock
from ricordo_services.retrieval.working_memory_reader import WorkingMemoryReader


class Words:
    """Counts words as tokens, and what was counted."""

    def __init__(self) -> None:
        self.counted: list[str] = []

    def count(self, text: str) -> int:
        self.counted.append(text)
        return len(text.split())


@dataclass
class FakeStore(WorkingMemoryStore):
    """Stands in for the truth: keeps to the span, and tells nothing twice."""

    turns: list[HistoryTurn] = field(default_factory=list)
    notes: dict[str, object] = field(default_factory=dict)
    noted_at: datetime | None = None
    known: Sequence[str] = ()
    names_token: UUID | None = None
    snapshots: int = 0
    names_told: int = 0
    trouble: Exception | None = None

    async def snapshot(
        self,
        tenant: str,
        user_id: str,
        conversation_id: str,
        *,
        span: WorkingMemorySpan,
        max_turns: int,
        known_token: str | None,
        known_names: UUID | None,
    ) -> WorkingMemorySnapshot | None:
        if self.trouble is not None:
            raise self.trouble
        turns = [one for one in self.turns if span.turns_after < one.timestamp < span.turns_before]
        turns = sorted(turns, key=lambda one: one.timestamp)[-max_turns:]
        alive = self.noted_at is not None and span.notes_after < self.noted_at < span.notes_before
        notes = dict(self.notes) if alive else {}
        token = repr((turns, notes, self.names_token))
        if token == known_token:
            return None
        self.snapshots += 1
        names = None if self.names_token == known_names else self.known
        self.names_told += names is not None
        return WorkingMemorySnapshot(
            token=token, names_token=self.names_token, names=names, turns=turns, notes=notes
        )


def turn(content: str, at: datetime) -> HistoryTurn:
    return HistoryTurn(
        message_id=f"m-{content}",
        memory_id=uuid4(),
        conversation_id="c-1",
        role="user",
        speaker="",
        content=content,
        timestamp=at,
        language="it",
    )


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


async def lines(reader: WorkingMemoryReader, conversation_id: str = "c-1") -> tuple[str, ...]:
    return (await reader.read("acme", "u-1", conversation_id)).lines


async def test_what_has_not_changed_is_viewed_once(clock: ManualClock) -> None:
    store, words = FakeStore([turn("ciao", clock.now())]), Words()
    reader = WorkingMemoryReader(store, words, clock)
    first = await reader.read("acme", "u-1", "c-1")
    assert await reader.read("acme", "u-1", "c-1") is first
    assert (store.snapshots, words.counted) == (1, ["user: ciao"])


async def test_what_is_new_and_what_is_forgotten_is_seen_at_once(clock: ManualClock) -> None:
    store = FakeStore([turn("ciao", clock.now()), turn("un segreto", clock.now())])
    reader = WorkingMemoryReader(store, Words(), clock)
    assert len(await lines(reader)) == 2
    del store.turns[1]
    assert await lines(reader) == ("user: ciao",)
    store.turns.append(turn("altro", clock.now() + timedelta(seconds=1)))
    assert await lines(reader) == ("user: ciao", "user: altro")


async def test_names_are_those_known_now(clock: ManualClock) -> None:
    store = FakeStore([turn("oggi fufi dorme con pippo", clock.now())])
    reader = WorkingMemoryReader(store, Words(), clock)
    assert (await reader.read("acme", "u-1", "c-1")).entities == ()
    store.known, store.names_token = ("Fufi",), uuid4()
    assert (await reader.read("acme", "u-1", "c-1")).entities == ("Fufi",)
    store.turns.append(turn("e mangia", clock.now()))
    assert (await reader.read("acme", "u-1", "c-1")).entities == ("Fufi",)
    assert store.names_told == 1
    store.known, store.names_token = ("Fufi", "Pippo"), uuid4()
    assert set((await reader.read("acme", "u-1", "c-1")).entities) == {"Fufi", "Pippo"}


@pytest.mark.parametrize("lifetime", [timedelta(hours=1), timedelta(days=365)])
async def test_turns_and_notes_live_equally_long(clock: ManualClock, lifetime: timedelta) -> None:
    store = FakeStore([turn("ciao", clock.now())], {"kpi": 3}, clock.now())
    reader = WorkingMemoryReader(store, Words(), clock, lifetime)
    await clock.advance(lifetime.total_seconds() - 1)
    found = await reader.read("acme", "u-1", "c-1")
    assert (len(found.lines), found.notes) == (1, {"kpi": 3})
    await clock.advance(1)
    found = await reader.read("acme", "u-1", "c-1")
    assert (found.lines, found.notes) == ((), {})


async def test_a_look_into_another_time_changes_nothing_of_now(clock: ManualClock) -> None:
    store = FakeStore([turn("ciao", clock.now())], {"kpi": 3}, clock.now())
    reader = WorkingMemoryReader(store, Words(), clock)
    before = await reader.read("acme", "u-1", "c-1")
    for days in (-4_000, 4_000):
        found = await reader.read("acme", "u-1", "c-1", now=clock.now() + timedelta(days=days))
        assert (found.lines, found.notes) == ((), {"kpi": 3})
    assert await reader.read("acme", "u-1", "c-1") == before
