"""Sessions and their summaries, on PostgreSQL."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from tests.contract.store.stores import MODEL, STORED, Stores
from tests.contract.store.test_curation import wish
from tests.contract.store.test_lifecycle_store import kept, letter
from tests.contract.store.test_memory_corrections import correct
from tests.contract.store.test_stages import SETTERS

from ricordo.memory.model import Memory, Successor
from ricordo.memory.sessions import SILENCE
from ricordo.memory.summaries import summarise
from ricordo.store.database import Database
from ricordo.store.intake import NewMessage
from ricordo.store.lifecycle_store import Access
from ricordo.store.session_store import LoadedSessions, SessionStore, SummaryPlan, UnsummarizedConversation
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

LATER = STORED + timedelta(hours=1)
EVER = STORED + timedelta(days=400)


@pytest.fixture
def held(database: Database) -> SessionStore:
    """Return the port."""
    return SessionStore(database)


def _message(stores: Stores, minute: float, conversation_id: str = "c-1", user_id: str = "u-1") -> NewMessage:
    return new_message(
        f"{user_id}-{conversation_id}-{minute}",
        tenant=stores.tenant,
        timestamp=at(minute),
        conversation_id=conversation_id,
        user_id=user_id,
    )


async def _say(
    stores: Stores,
    *minutes: float,
    conversation_id: str = "c-1",
    stored: datetime = STORED,
    done: bool = True,
) -> None:
    messages = [_message(stores, minute, conversation_id) for minute in minutes]
    await stores.record(*messages, at=stored)
    for setter in SETTERS.values() if done else ():
        await setter(stores, [one.message_id for one in messages], STORED)


async def _due(
    held: SessionStore, stores: Stores, now: datetime = LATER, user_id: str | None = None
) -> Sequence[UnsummarizedConversation]:
    return await held.due(stores.tenant, now, SILENCE, user_id=user_id, limit=10)


async def _loaded(held: SessionStore, stores: Stores, now: datetime = LATER) -> LoadedSessions:
    (due,) = await _due(held, stores, now)
    return await held.load(stores.tenant, MODEL, due, now, SILENCE)


def _minutes(loaded: LoadedSessions) -> list[list[float]]:
    return [
        [(turn.created_at - at(0)) / timedelta(minutes=1) for turn in one.turns] for one in loaded.sessions
    ]


async def _summarise(held: SessionStore, stores: Stores, now: datetime = LATER) -> list[Memory]:
    """Sum up all that is due, as lifecycle does."""
    made: list[Memory] = []
    for due in await _due(held, stores, now):
        loaded = await held.load(stores.tenant, MODEL, due, now, SILENCE)
        fresh = [one for one in loaded.sessions if one.over and one.summary is None]
        summaries = [
            Successor(summarise(one.turns), tuple(former.id for former in one.former)) for one in fresh
        ]
        rest = next((one.place for one in loaded.sessions if not one.over), loaded.rest)
        settled = SummaryPlan(summaries, rest=rest)
        assert await held.summarise(stores.tenant, due, settled, STORED) is not None
        made += [one.memory for one in summaries]
    return made


async def test_a_session_is_due_after_silence(held: SessionStore, stores: Stores) -> None:
    """Counted from when the last message came in, not from when it was said."""
    await _say(stores, 0, 5)
    assert await _due(held, stores, STORED + timedelta(minutes=29)) == []
    (due,) = await _due(held, stores, STORED + timedelta(minutes=30))
    assert (due.user_id, due.conversation_id, due.since) == ("u-1", "c-1", (at(0), "u-1-c-1-0"))


async def test_a_session_is_due_at_its_end(held: SessionStore, stores: Stores) -> None:
    """At once; also where the end was told before what was said until then."""
    await _say(stores, 0, 5)
    await held.end(stores.tenant, "u-1", "c-1", at(6), STORED)
    assert len(await _due(held, stores, STORED)) == 1
    await held.end(stores.tenant, "u-1", "c-2", at(6), STORED)
    await _summarise(held, stores, STORED)
    await _say(stores, 3, conversation_id="c-2")
    assert [one.conversation_id for one in await _due(held, stores, STORED)] == ["c-2"]


async def test_what_follows_the_end_is_not_over(held: SessionStore, stores: Stores) -> None:
    """It waits for its own end."""
    await _say(stores, 0, 5, 7)
    await held.end(stores.tenant, "u-1", "c-1", at(6), STORED)
    loaded = await _loaded(held, stores, STORED)
    assert _minutes(loaded) == [[0, 5], [7]]
    assert [one.over for one in loaded.sessions] == [True, False]
    await _summarise(held, stores, STORED)
    assert await _due(held, stores, STORED) == []
    assert _minutes(await _loaded(held, stores)) == [[7]]


async def test_messages_that_lack_a_stage_are_waited_for(held: SessionStore, stores: Stores) -> None:
    """However long: their weight is not known yet. One that became a dead letter is not, though many wait."""
    for number in range(12):  # more than are looked for at a time
        await _say(stores, 0, conversation_id=f"imported-{number}", done=False)
        await held.end(stores.tenant, "u-1", f"imported-{number}", at(1), STORED)
    await _say(stores, 0, stored=STORED + timedelta(minutes=1), done=False)
    await held.end(stores.tenant, "u-1", "c-1", at(1), STORED)
    assert await _due(held, stores, EVER) == []
    died = replace(letter(stores), consumer="enrichment", message_id="u-1-c-1-0")
    await stores.life.record_dead_letter(stores.tenant, died, kept)
    assert [one.conversation_id for one in await _due(held, stores, STORED)] == ["c-1"]


async def test_what_is_summed_up_is_due_no_more(held: SessionStore, stores: Stores) -> None:
    """And its summary is there, with the way before it that every memory takes."""
    await _say(stores, 0, 5, 90, 95)
    made = await _summarise(held, stores)
    assert len(made) == 2
    assert await _due(held, stores, EVER) == []
    found = await stores.recollection.memories(stores.tenant, "u-1", [one.id for one in made])
    assert {one.content for one in found} == {one.content for one in made}


async def test_a_late_message_opens_its_session_again(held: SessionStore, stores: Stores) -> None:
    """The one that it belongs to; others are left alone."""
    await _say(stores, 0, 5, 90, 95)
    first, second = await _summarise(held, stores)
    await _say(stores, 3)
    loaded = await _loaded(held, stores)
    assert _minutes(loaded) == [[0, 3, 5], [90, 95]]
    assert [one.id for one in loaded.sessions[0].former] == [first.id]
    assert loaded.sessions[0].summary is None
    assert loaded.sessions[1].summary is not None
    (made,) = await _summarise(held, stores)
    remain = await stores.recollection.memories(stores.tenant, "u-1", [first.id, second.id, made.id])
    assert {one.id for one in remain} == {second.id, made.id}


async def test_a_late_message_makes_one_session_of_two(held: SessionStore, stores: Stores) -> None:
    """Both summaries give way."""
    await _say(stores, 0, 5, 50, 55)
    before = await _summarise(held, stores)
    await _say(stores, 30)
    loaded = await _loaded(held, stores)
    assert _minutes(loaded) == [[0, 5, 30, 50, 55]]
    assert {one.id for one in loaded.sessions[0].former} == {one.id for one in before}


async def test_a_late_end_makes_two_sessions_of_one(held: SessionStore, stores: Stores) -> None:
    """What was said until then is over."""
    await _say(stores, 0, 5, 10, 15)
    (before,) = await _summarise(held, stores)
    await held.end(stores.tenant, "u-1", "c-1", at(7), STORED)
    loaded = await _loaded(held, stores)
    assert _minutes(loaded) == [[0, 5], [10, 15]]
    assert [one.former for one in loaded.sessions[:1]] != [[before]]
    await _summarise(held, stores)
    assert await stores.recollection.memories(stores.tenant, "u-1", [before.id]) == []


async def test_what_is_said_while_it_is_summed_up_is_not_lost(held: SessionStore, stores: Stores) -> None:
    """Nothing is written, and it is due again."""
    await _say(stores, 0, 5)
    (due,) = await _due(held, stores)
    loaded = await held.load(stores.tenant, MODEL, due, LATER, SILENCE)
    await _say(stores, 6)
    summary = summarise(loaded.sessions[0].turns)
    assert await held.summarise(stores.tenant, due, SummaryPlan([Successor(summary)]), STORED) is None
    assert await stores.recollection.memories(stores.tenant, "u-1", [summary.id]) == []
    assert _minutes(await _loaded(held, stores)) == [[0, 5, 6]]


async def test_an_end_ahead_of_time_ends_what_was_said(held: SessionStore, stores: Stores) -> None:
    """A bot whose clock is years ahead does not end every session to come."""
    await _say(stores, 0)
    await held.end(stores.tenant, "u-1", "c-1", at(10**7), at(1))
    await _summarise(held, stores, STORED)
    await _say(stores, 2, 3)
    assert await _due(held, stores, STORED) == []


async def test_a_conversation_holds_several_users_sessions(held: SessionStore, stores: Stores) -> None:
    """Each their own."""
    await _say(stores, 0, 5)
    other = _message(stores, 2, user_id="u-2")
    await stores.record(other)
    (mine,) = await _due(held, stores)  # the other waits to be enriched, which keeps nobody else
    assert mine.user_id == "u-1"
    loaded = await held.load(stores.tenant, MODEL, mine, LATER, SILENCE)
    assert _minutes(loaded) == [[0, 5]]


async def test_the_forgotten_have_no_sessions(held: SessionStore, stores: Stores) -> None:
    """Nor is an end of theirs noted."""
    await stores.entomb(stores.tenant, "user", "u-1", "u-1")
    await held.end(stores.tenant, "u-1", "c-1", at(6), STORED)
    assert await _due(held, stores, EVER) == []


async def test_whatever_the_order_of_arrival(held: SessionStore, stores: Stores) -> None:
    """The same summaries in the end, summed up at any moment on the way."""
    minutes = [0, 10, 20, 55, 60, 95, 200, 229, 231, 262]
    chance = random.Random(7)
    standing: list[set[str]] = []
    for _ in range(4):
        here = stores.elsewhere()
        chance.shuffle(minutes)
        steps: list[float | str] = [*minutes, "end"]
        chance.shuffle(steps)
        for step in steps:
            if step == "end":
                await held.end(here.tenant, "u-1", "c-1", at(58), STORED)
            else:
                await _say(here, float(step))
            if chance.random() < 0.5:
                await _summarise(held, here)
        await _summarise(held, here)
        standing.append(await _told(held, here))
    assert standing[0]
    assert all(one == standing[0] for one in standing)


async def _told(held: SessionStore, stores: Stores) -> set[str]:
    """Return which messages each summary that there is stands for."""
    await held.end(stores.tenant, "u-1", "c-1", at(-1), STORED)
    whole = await _loaded(held, stores)
    assert all(one.former == [] for one in whole.sessions)
    summaries = [one.summary for one in whole.sessions if one.summary is not None]
    found = await stores.recollection.memories(stores.tenant, "u-1", [one.id for one in summaries])
    return {",".join(one.source_message_ids) for one in found}


async def test_an_endless_session_is_cut_and_read_part_by_part(
    database: Database, held: SessionStore, stores: Stores
) -> None:
    """Every so many turns from its beginning, also around a message that comes late."""
    short = SessionStore(database, most_turns=4)
    minutes = list(range(0, 22, 2))
    await _say(stores, *minutes)
    for _ in range(4):
        await _summarise(short, stores)
    assert await _due(short, stores, EVER) == []
    await _say(stores, 11)
    for _ in range(4):
        await _summarise(short, stores)
    elsewhere = stores.elsewhere()
    await _say(elsewhere, *sorted([*minutes, 11]))
    for _ in range(4):
        await _summarise(short, elsewhere)
    assert await _parts(short, stores) == await _parts(short, elsewhere) != set()


async def _parts(held: SessionStore, stores: Stores) -> set[str]:
    """Return which messages the summaries of a whole conversation stand for."""
    told: set[str] = set()
    await held.end(stores.tenant, "u-1", "c-1", at(-1), STORED)
    while due := await _due(held, stores):
        loaded = await held.load(stores.tenant, MODEL, due[0], LATER, SILENCE)
        ids = [one.summary.id for one in loaded.sessions if one.summary is not None]
        assert len(ids) == len(loaded.sessions)
        found = await stores.recollection.memories(stores.tenant, "u-1", ids)
        told |= {",".join(one.source_message_ids) for one in found}
        await held.summarise(stores.tenant, due[0], SummaryPlan(rest=loaded.rest), STORED)
    return told


async def _between(held: SessionStore, stores: Stores) -> tuple[Memory, UnsummarizedConversation, Successor]:
    """Return a summary, and what is about to take its place."""
    await _say(stores, 0, 5)
    (first,) = await _summarise(held, stores)
    await _say(stores, 3)
    (due,) = await _due(held, stores)
    (session,) = (await held.load(stores.tenant, MODEL, due, LATER, SILENCE)).sessions
    return first, due, Successor(summarise(session.turns), (first.id,))


async def test_use_and_pin_of_the_meantime_go_over(held: SessionStore, stores: Stores) -> None:
    """Also what came in after the session was read; importance as after so many uses of what it says now."""
    first, due, successor = await _between(held, stores)
    await stores.curating.pin(stores.tenant, wish("r"), first.id, pinned=True, at=STORED)
    for _ in range(3):
        await stores.life.reinforce(stores.tenant, [Access(uuid4(), "u-1", (first.id,), STORED)])
    done = await held.summarise(stores.tenant, due, SummaryPlan([successor]), STORED)
    assert done is not None
    assert list(done.withdrawn) == [first.id]
    (found,) = await stores.recollection.memories(stores.tenant, "u-1", [first.id, successor.memory.id])
    assert (found.id, found.pinned, found.access_count) == (successor.memory.id, True, 3)
    assert found.importance == pytest.approx(successor.memory.importance + 0.06)


async def test_what_was_verified_meanwhile_stays_alone(held: SessionStore, stores: Stores) -> None:
    """One session has one summary."""
    first, due, successor = await _between(held, stores)
    await stores.curating.verify(stores.tenant, wish("r"), first.id, verified=True, at=STORED)
    done = await held.summarise(stores.tenant, due, SummaryPlan([successor]), STORED)
    assert done is not None
    assert (list(done.written), list(done.withdrawn)) == ([], [])
    (found,) = await stores.recollection.memories(stores.tenant, "u-1", [first.id, successor.memory.id])
    assert found.id == first.id


async def test_turns_of_one_instant_do_not_stop_it(database: Database, stores: Stores) -> None:
    """Coarse clocks are no excuse: each part is read once."""
    short = SessionStore(database, most_turns=4)
    messages = [new_message(f"m-{n:02}", tenant=stores.tenant, timestamp=at(n // 6)) for n in range(14)]
    await stores.record(*messages)
    for setter in SETTERS.values():
        await setter(stores, [one.message_id for one in messages], STORED)
    made = [one for _ in range(5) for one in await _summarise(short, stores)]
    assert await _due(short, stores, EVER) == []
    assert [len(one.source_ids) for one in made] == [4, 4, 4, 2]


async def test_a_corrected_message_is_in_no_summary_as_it_was(held: SessionStore, stores: Stores) -> None:
    """What was made of the former words goes at once, and the session is summed up anew."""
    await _say(stores, 0, 5)
    (before,) = await _summarise(held, stores)
    corrected = await correct(stores, stores.id("u-1-c-1-5"), "We moved to Milan.")
    assert corrected.withdrawn == (before.id,)
    assert await stores.recollection.memories(stores.tenant, "u-1", [before.id]) == []
    for setter in SETTERS.values():
        await setter(stores, ["u-1-c-1-5"], STORED)
    (after,) = await _summarise(held, stores)
    assert "We moved to Milan." in after.content
