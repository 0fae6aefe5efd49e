"""Contract of `WorkingMemoryStore` and `NoteStore`."""

from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from tests.contract.store.evidence import learn, said, tell
from tests.contract.store.stores import STORED, Stores

from ricordo.store.working_memory_store import (
    NoteConflict,
    TombstoneExists,
    TooManyNotes,
    WorkingMemorySnapshot,
    WorkingMemorySpan,
    WorkingNote,
)
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

_DAY = timedelta(days=1)


async def _desk(
    stores: Stores,
    held: str | None = None,
    names: UUID | None = None,
    *,
    user_id: str = "u-1",
    minute: float = 100,
) -> WorkingMemorySnapshot | None:
    span = WorkingMemorySpan(
        said_after=at(minute) - _DAY,
        said_before=at(minute),
        noted_after=STORED - _DAY,
        noted_before=STORED + _DAY,
    )
    return await stores.desks.snapshot(
        stores.tenant, user_id, "c-1", span=span, most_turns=3, held=held, held_names=names
    )


async def _look(stores: Stores, *, user_id: str = "u-1", minute: float = 100) -> WorkingMemorySnapshot:
    desk = await _desk(stores, user_id=user_id, minute=minute)
    assert desk is not None
    return desk


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
    at = STORED + after
    await stores.notebook.note(stores.tenant, note, at, alive_since=at - _DAY, most=most)


async def _notes(stores: Stores) -> Mapping[str, object]:
    return (await _look(stores)).notes


async def test_nothing_is_at_hand_of_the_unknown(stores: Stores) -> None:
    desk = await _look(stores)
    assert (desk.names_token, list(desk.turns), dict(desk.notes)) == (None, [], {})
    assert await _desk(stores, desk.token) is None


async def test_the_last_turns_of_the_conversation_and_of_the_user_oldest_first(stores: Stores) -> None:
    tenant = stores.tenant
    said = [new_message(f"m-{n}", tenant=tenant, timestamp=at(n), language="it") for n in range(5)]
    await stores.record(
        *said,
        new_message("m-7", tenant=tenant, timestamp=at(7), conversation_id="c-2"),
        new_message("m-8", tenant=tenant, timestamp=at(8), user_id="u-2"),
        new_message("m-9", tenant=tenant, timestamp=at(101)),
    )
    turns = (await _look(stores)).turns
    assert [turn.message_id for turn in turns] == ["m-2", "m-3", "m-4"]
    kept = await stores.recollection.history(
        tenant, "u-1", conversation_id="c-1", before=(at(100), ""), limit=3
    )
    assert list(turns) == list(kept)
    assert [turn.message_id for turn in (await _look(stores, user_id="u-2")).turns] == ["m-8"]
    assert list((await _look(stores.elsewhere())).turns) == []


async def test_what_is_held_is_not_told_again_until_something_changes(stores: Stores) -> None:
    tokens = [(await _look(stores)).token]

    async def is_another() -> None:
        assert await _desk(stores, tokens[-1]) is not None
        tokens.append((await _look(stores)).token)
        assert await _desk(stores, tokens[-1]) is None

    await stores.record(new_message("m-1", tenant=stores.tenant, timestamp=at(1)))
    await is_another()
    await stores.record(new_message("m-2", tenant=stores.tenant, timestamp=at(0)))
    await is_another()
    await _note(stores, "kpi", 3)
    await is_another()
    await _note(stores, "kpi", 3)
    await is_another()
    await _note(stores, "kpi", None)
    await is_another()
    assert await _desk(stores, "a token of nobody") is not None


async def test_what_has_come_of_age_changes_what_is_at_hand(stores: Stores) -> None:
    await stores.record(new_message("m-1", tenant=stores.tenant, timestamp=at(1)))
    then = await _look(stores, minute=2)
    assert await _desk(stores, then.token, minute=30) is None
    later = await _desk(stores, then.token, minute=24 * 60 + 2)
    assert later is not None
    assert list(later.turns) == []
    assert await _desk(stores, later.token, minute=0.5) is None, "nor is it said yet before it is"


async def test_it_is_not_told_what_holds_where_nobody_asked(stores: Stores) -> None:
    """A tenant named by one read is not the tenant of the next."""
    await stores.record(new_message("m-1", tenant=stores.tenant, timestamp=at(1)))
    assert (await _look(stores)).turns
    assert not (await _look(stores.elsewhere())).turns
    assert (await _look(stores)).turns


async def test_names_are_told_until_they_are_held(stores: Stores) -> None:
    assert not (await _look(stores)).names
    await stores.record(new_message(tenant=stores.tenant))
    await learn(stores, tell(stores, "m-1", said("friend", "Marco R."), said("friend", "Lupo")))
    desk = await _look(stores)
    assert set(desk.names or ()) >= {"Marco R.", "Lupo"}
    assert await _desk(stores, desk.token) is None
    held = await _desk(stores, None, desk.names_token)
    assert held is not None
    assert held.names is None
    other = await _desk(stores, None, uuid4())
    assert other is not None
    assert other.names == desk.names


async def test_any_json_value_is_kept_as_it_is(stores: Stores) -> None:
    values = {
        "a text": "perché «no»\n\U0001f415",
        "a number": 1.5,
        "large": 2**70,
        "no": False,
        "parts": {"b": [1, None, {}], "a": ""},
    }
    for key, value in values.items():
        await _note(stores, key, value)
    assert await _notes(stores) == values


async def test_the_latest_is_first_and_takes_the_place_of_what_had_its_key(stores: Stores) -> None:
    await _note(stores, "a", 1)
    await _note(stores, "b", 2, after=timedelta(seconds=1))
    await _note(stores, "a", 3, after=timedelta(seconds=2))
    assert list((await _notes(stores)).items()) == [("a", 3), ("b", 2)]


async def test_null_takes_it_away(stores: Stores) -> None:
    await _note(stores, "a", 1)
    await _note(stores, "never noted", None)
    await _note(stores, "a", None)
    assert await _notes(stores) == {}


async def test_of_another_user_conversation_or_tenant_there_is_none(stores: Stores) -> None:
    await _note(stores, "a", 1)
    note = WorkingNote(user_id="u-2", conversation_id="c-2", key="b", value=2)
    await stores.notebook.note(stores.tenant, note, STORED, alive_since=STORED - _DAY, most=9)
    assert (await _look(stores, user_id="u-2")).notes == {}
    assert (await _look(stores.elsewhere())).notes == {}
    assert await _notes(stores) == {"a": 1}


async def test_a_conversation_has_so_many_that_are_alive(stores: Stores) -> None:
    await _note(stores, "old", 0, after=-2 * _DAY)
    for key in ("a", "b"):
        await _note(stores, key, 1, most=2)
    with pytest.raises(TooManyNotes):
        await _note(stores, "c", 1, most=2)
    await _note(stores, "b", 2, most=2)
    await _note(stores, "a", None, most=2)
    await _note(stores, "c", 1, most=2)
    assert await _notes(stores) == {"b": 2, "c": 1}


async def test_a_request_counts_once(stores: Stores) -> None:
    await _note(stores, "a", 1, request_id="r-1")
    await _note(stores, "a", 2, request_id="r-2")
    await _note(stores, "a", 1, request_id="r-1")
    assert await _notes(stores) == {"a": 2}
    with pytest.raises(NoteConflict):
        await _note(stores, "a", 3, request_id="r-1")
    with pytest.raises(TooManyNotes):
        await _note(stores, "b", 1, request_id="r-3", most=1)
    await _note(stores, "b", 1, request_id="r-3")
    assert await _notes(stores) == {"a": 2, "b": 1}, "what was refused has not counted"


async def test_of_the_forgotten_nothing_is_noted(stores: Stores) -> None:
    await stores.entomb(stores.tenant, "message", "c-1", "u-1")
    await stores.entomb(stores.tenant, "conversation", "c-1", "u-2")
    await _note(stores, "a", 1)
    await stores.entomb(stores.tenant, "conversation", "c-1", "u-1")
    with pytest.raises(TombstoneExists) as forgotten:
        await _note(stores, "b", 1)
    assert forgotten.value.scope == "conversation"
    await stores.entomb(stores.tenant, "user", "u-1", "u-1")
    with pytest.raises(TombstoneExists) as forgotten:
        await _note(stores, "b", 1)
    assert forgotten.value.scope == "user"
    assert await _notes(stores) == {"a": 1}


async def test_what_is_old_is_tidied_up_and_what_a_clock_ahead_has_set(stores: Stores) -> None:
    for key, days in (("old", -3), ("new", 0), ("ahead", 3)):
        await _note(stores, key, 1, after=days * _DAY)
    assert await _notes(stores) == {"new": 1}
    await stores.notebook.tidy(stores.elsewhere().tenant, before=STORED + _DAY, after=STORED + _DAY)
    await stores.notebook.tidy(stores.tenant, before=STORED - _DAY, after=STORED + _DAY)
    span = WorkingMemorySpan(
        said_after=at(0), said_before=at(0), noted_after=at(-99_999), noted_before=at(99_999)
    )
    desk = await stores.desks.snapshot(
        stores.tenant, "u-1", "c-1", span=span, most_turns=1, held=None, held_names=None
    )
    assert desk is not None
    assert desk.notes == {"new": 1}
