"""Working memory: the last turns, the notes and the names of a user, read again when they change."""

from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

import pytest
from tests.contract.store.evidence import claim, extracted, learn
from tests.contract.store.stores import STORED, Stores
from tests.support.factories import at
from tests.support.manual_clock import ManualClock

from ricordo.store.idempotency import RequestConflict
from ricordo.store.working_memory_store import (
    TombstoneExists,
    TooManyNotes,
    WorkingMemorySnapshot,
    WorkingMemorySpan,
    WorkingNote,
)
from ricordo_services.retrieval.cached_readers import WorkingMemoryReader

DAY = timedelta(days=1)


async def _snapshot(
    stores: Stores,
    known_token: str | None = None,
    names: UUID | None = None,
    *,
    user_id: str = "u-1",
    minute: float = 100,
) -> WorkingMemorySnapshot | None:
    span = WorkingMemorySpan(
        turns_after=at(minute) - DAY,
        turns_before=at(minute),
        notes_after=STORED - DAY,
        notes_before=STORED + DAY,
    )
    return await stores.working_memory.snapshot(
        stores.tenant, user_id, "c-1", span=span, max_turns=3, known_token=known_token, known_names=names
    )


async def _whole(stores: Stores, *, user_id: str = "u-1", minute: float = 100) -> WorkingMemorySnapshot:
    snapshot = await _snapshot(stores, user_id=user_id, minute=minute)
    assert snapshot is not None
    return snapshot


async def _note(
    stores: Stores,
    key: str,
    value: object,
    *,
    request_id: str | None = None,
    after: timedelta = timedelta(),
    most: int = 9,
) -> None:
    note = WorkingNote(user_id="u-1", conversation_id="c-1", key=key, value=value, request_id=request_id)
    when = STORED + after
    await stores.notes.note(stores.tenant, note, when, live_since=when - DAY, limit=most)


async def _notes(stores: Stores) -> Mapping[str, object]:
    return (await _whole(stores)).notes


async def test_the_last_turns_of_the_conversation_and_the_user_come_oldest_first(stores: Stores) -> None:
    empty = await _whole(stores)
    assert (empty.names_token, list(empty.turns), dict(empty.notes)) == (None, [], {})
    assert await _snapshot(stores, empty.token) is None
    await stores.say(*(f"m-{n}" for n in range(5)), language="it")
    await stores.record(
        stores.message("m-7", minute=7, conversation_id="c-2"),
        stores.message("m-8", minute=8, user_id="u-2"),
        stores.message("m-9", minute=101),
    )
    turns = (await _whole(stores)).turns
    assert [turn.message_id for turn in turns] == ["m-2", "m-3", "m-4"]
    before = (at(100), "")
    kept = await stores.queries.history(stores.tenant, "u-1", conversation_id="c-1", before=before, limit=3)
    assert list(turns) == list(kept)
    assert [turn.message_id for turn in (await _whole(stores, user_id="u-2")).turns] == ["m-8"]


async def test_a_snapshot_is_not_read_again_until_something_changes(stores: Stores) -> None:
    tokens = [(await _whole(stores)).token]

    async def is_another() -> None:
        assert await _snapshot(stores, tokens[-1]) is not None
        tokens.append((await _whole(stores)).token)
        assert await _snapshot(stores, tokens[-1]) is None

    for minute, name in enumerate(("m-2", "m-1")):
        await stores.record(stores.message(name, minute=1 - minute))
        await is_another()
    for value in (3, 3, None):
        await _note(stores, "kpi", value)
        await is_another()
    assert await _snapshot(stores, "a token of nobody") is not None


async def test_any_json_value_is_kept_until_null_removes_it(stores: Stores) -> None:
    values = {
        "a text": "perché «no»\n\U0001f415",
        "a number": 1.5,
        "large": 2**70,
        "no": False,
        "parts": {"b": [1, None, {}], "a": ""},
    }
    for key, value in {**values, "gone": 1, "never noted": None}.items():
        await _note(stores, key, value)
    await _note(stores, "gone", None)
    assert await _notes(stores) == values
    await _note(stores, "no", 1, after=timedelta(seconds=1))
    await _note(stores, "large", 2, after=timedelta(seconds=2))
    assert list((await _notes(stores)).items())[:2] == [("large", 2), ("no", 1)], "the latest come first"


async def test_notes_are_of_one_user_and_conversation(stores: Stores) -> None:
    await _note(stores, "a", 1)
    note = WorkingNote(user_id="u-2", conversation_id="c-2", key="b", value=2)
    await stores.notes.note(stores.tenant, note, STORED, live_since=STORED - DAY, limit=9)
    assert (await _whole(stores, user_id="u-2")).notes == {}
    assert await _notes(stores) == {"a": 1}


async def test_a_conversation_has_so_many_notes_that_are_alive(stores: Stores) -> None:
    await _note(stores, "old", 0, after=-2 * DAY)
    for key in ("a", "b"):
        await _note(stores, key, 1, most=2)
    with pytest.raises(TooManyNotes):
        await _note(stores, "c", 1, most=2)
    await _note(stores, "b", 2, most=2)
    await _note(stores, "a", None, most=2)
    await _note(stores, "c", 1, most=2)
    assert await _notes(stores) == {"b": 2, "c": 1}


async def test_a_request_counts_once(stores: Stores) -> None:
    for value, request_id in ((1, "r-1"), (2, "r-2"), (1, "r-1")):
        await _note(stores, "a", value, request_id=request_id)
    assert await _notes(stores) == {"a": 2}
    with pytest.raises(RequestConflict):
        await _note(stores, "a", 3, request_id="r-1")
    with pytest.raises(TooManyNotes):
        await _note(stores, "b", 1, request_id="r-3", most=1)
    await _note(stores, "b", 1, request_id="r-3")
    assert await _notes(stores) == {"a": 2, "b": 1}, "a refusal has not counted"


async def test_nothing_is_noted_for_the_forgotten(stores: Stores) -> None:
    await stores.put_tombstone("message", "c-1")
    await stores.put_tombstone("conversation", "c-1", "u-2")
    await _note(stores, "a", 1)
    for scope, key in (("conversation", "c-1"), ("user", "u-1")):
        await stores.put_tombstone(scope, key)  # type: ignore[arg-type]  # two scopes
        with pytest.raises(TombstoneExists) as forgotten:
            await _note(stores, "b", 1)
        assert forgotten.value.scope == scope
    assert await _notes(stores) == {"a": 1}


async def test_old_notes_are_dropped_and_those_of_a_clock_that_was_ahead(stores: Stores) -> None:
    for key, days in (("old", -3), ("new", 0), ("ahead", 3)):
        await _note(stores, key, 1, after=days * DAY)
    await stores.notes.tidy(stores.another_tenant().tenant, before=STORED + DAY, after=STORED + DAY)
    await stores.notes.tidy(stores.tenant, before=STORED - DAY, after=STORED + DAY)
    assert await stores.fetch("select key from notes") == [("new",)]


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
