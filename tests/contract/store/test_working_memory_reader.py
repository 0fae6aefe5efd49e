"""A view of a conversation is made once, and never outlives what it is a view of."""

from datetime import timedelta

import pytest
from tests.contract.store.evidence import claim, extracted, learn
from tests.contract.store.stores import Stores
from tests.support.manual_clock import ManualClock

from ricordo.store.working_memory_store import WorkingNote
from ricordo_services.retrieval.cached_readers import WorkingMemoryReader


class Words:
    """Counts words as tokens, and what was counted."""

    def __init__(self) -> None:
        self.counted: list[str] = []

    def count(self, text: str) -> int:
        self.counted.append(text)
        return len(text.split())


async def _say(stores: Stores, clock: ManualClock, name: str, content: str) -> None:
    message = stores.message(name, content=content, timestamp=clock.now(), speaker="", language="it")
    await stores.record(message, at=clock.now())


async def test_what_has_not_changed_is_viewed_once_and_what_is_new_or_forgotten_at_once(
    stores: Stores,
) -> None:
    clock, words = ManualClock(), Words()
    reader = WorkingMemoryReader(stores.working_memory, words, clock)
    await _say(stores, clock, "m-1", "ciao")
    first = await reader.read(stores.tenant, "u-1", "c-1")
    assert await reader.read(stores.tenant, "u-1", "c-1") is first
    assert (first.lines, words.counted) == (("user: ciao",), ["user: ciao"])
    await _say(stores, clock, "m-2", "oggi fufi dorme")
    found = await reader.read(stores.tenant, "u-1", "c-1")
    assert (len(found.lines), found.entities) == (2, ())
    await learn(stores, extracted(stores, "m-1", claim("has_pet", "Fufi")))
    assert (await reader.read(stores.tenant, "u-1", "c-1")).entities == ("Fufi",)
    await stores.execute("delete from history where message_id = 'm-1'")
    assert (await reader.read(stores.tenant, "u-1", "c-1")).lines == ("user: oggi fufi dorme",)


@pytest.mark.parametrize("lifetime", [timedelta(hours=1), timedelta(days=365)])
async def test_turns_and_notes_live_equally_long_and_another_time_has_neither_turn(
    stores: Stores, lifetime: timedelta
) -> None:
    clock = ManualClock()
    reader = WorkingMemoryReader(stores.working_memory, Words(), clock, lifetime)
    await _say(stores, clock, "m-1", "ciao")
    note = WorkingNote(user_id="u-1", conversation_id="c-1", key="kpi", value=3)
    await stores.notes.note(stores.tenant, note, clock.now(), live_since=clock.now() - lifetime, limit=9)
    for days in (-4_000, 4_000):
        then = clock.now() + timedelta(days=days)
        found = await reader.read(stores.tenant, "u-1", "c-1", now=then)
        assert (found.lines, found.notes) == ((), {"kpi": 3})
    for seconds, lines, notes in ((lifetime.total_seconds() - 1, 1, {"kpi": 3}), (1, 0, {})):
        await clock.advance(seconds)
        found = await reader.read(stores.tenant, "u-1", "c-1")
        assert (len(found.lines), found.notes) == (lines, notes)
