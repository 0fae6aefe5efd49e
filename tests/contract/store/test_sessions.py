"""Sessions of conversations: when they are over, and that each has one summary, however messages arrive."""

import random
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from tests.contract.store.passes import Emitted, run, total
from tests.contract.store.stores import MODEL, STORED, Stores
from tests.support.factories import at
from tests.support.manual_clock import ManualClock

from ricordo.memory.model import Memory, Successor
from ricordo.memory.summaries import MOST_TURNS, SILENCE, summarise
from ricordo.store.session_store import LoadedSessions, SessionStore, SummaryPlan, UnsummarizedConversation
from ricordo_services.lifecycle.condensing_passes import SessionSummaries

LATER = STORED + timedelta(hours=1)
EVER = STORED + timedelta(days=400)


class Conversation:
    """The sessions of one user in a tenant, in the conversation `c-1` unless another is named."""

    def __init__(self, stores: Stores, most_turns: int = MOST_TURNS) -> None:
        self.stores, self.store = stores, SessionStore(stores.database)
        self.store.most_turns = most_turns

    async def say(self, *minutes: float, conversation: str = "c-1", done: bool = True) -> None:
        """Record messages, named by their minutes, and set all their stages."""
        names = {minute: f"{conversation}-{minute}" for minute in minutes}
        await self.stores.record(
            *(
                self.stores.message(name, minute=minute, conversation_id=conversation)
                for minute, name in names.items()
            )
        )
        if done:
            await self.stores.set_stages(*names.values())

    async def end(self, minute: float, now: datetime = STORED, conversation: str = "c-1") -> None:
        await self.store.end(self.stores.tenant, "u-1", conversation, at(minute), now)

    async def due(self, now: datetime = LATER) -> Sequence[UnsummarizedConversation]:
        return await self.store.due(self.stores.tenant, now, SILENCE, user_id=None, limit=10)

    async def load(self, due: UnsummarizedConversation, now: datetime = LATER) -> LoadedSessions:
        return await self.store.load(self.stores.tenant, MODEL, due, now, SILENCE)

    async def loaded(self, now: datetime = LATER) -> LoadedSessions:
        (due,) = await self.due(now)
        return await self.load(due, now)

    async def summarise(self, now: datetime = LATER) -> list[Memory]:
        made: list[Memory] = []
        for due in await self.due(now):
            loaded = await self.load(due, now)
            fresh = [one for one in loaded.sessions if one.over and one.summary is None]
            summaries = [
                Successor(summarise(one.turns), tuple(former.id for former in one.former)) for one in fresh
            ]
            rest = next((one.place for one in loaded.sessions if not one.over), loaded.rest)
            plan = SummaryPlan(summaries, rest=rest)
            assert await self.store.summarise(self.stores.tenant, due, plan, STORED) is not None
            made += [one.memory for one in summaries]
        return made

    async def summarised(self) -> set[str]:
        """Return which messages each summary of the whole conversation stands for."""
        found: set[str] = set()
        await self.end(-1)
        while due := await self.due():
            loaded = await self.load(due[0])
            assert all(one.former == [] for one in loaded.sessions)
            ids = [one.summary.id for one in loaded.sessions if one.summary is not None]
            found |= {",".join(one.source_message_ids) for one in await self.stores.found(*ids)}
            await self.store.summarise(self.stores.tenant, due[0], SummaryPlan(rest=loaded.rest), STORED)
        return found


@pytest.fixture
def conversation(stores: Stores) -> Conversation:
    return Conversation(stores)


def _minutes(loaded: LoadedSessions) -> list[list[float]]:
    return [
        [(turn.created_at - at(0)) / timedelta(minutes=1) for turn in one.turns] for one in loaded.sessions
    ]


async def test_a_session_is_due_after_silence_or_at_its_end(conversation: Conversation) -> None:
    """Silence counts from when the last message came in; the end may be told before what came until then."""
    await conversation.say(0, 5)
    assert await conversation.due(STORED + timedelta(minutes=29)) == []
    (due,) = await conversation.due(STORED + timedelta(minutes=30))
    assert (due.user_id, due.conversation_id, due.since) == ("u-1", "c-1", (at(0), "c-1-0"))
    await conversation.end(6)
    assert len(await conversation.due(STORED)) == 1
    await conversation.end(6, conversation="c-2")
    await conversation.summarise(STORED)
    await conversation.say(3, conversation="c-2")
    assert [one.conversation_id for one in await conversation.due(STORED)] == ["c-2"]


async def test_messages_that_lack_a_stage_are_waited_for_unless_they_were_given_up(
    conversation: Conversation, stores: Stores
) -> None:
    """However long, as their weight is not known yet; and though many wait, more than are looked for."""
    for number in range(12):
        await conversation.say(0, conversation=f"imported-{number}", done=False)
        await conversation.end(1, conversation=f"imported-{number}")
    await conversation.say(0, done=False)
    await conversation.end(1)
    assert await conversation.due(EVER) == []
    await stores.record_dead_letter("c-1-0", consumer="enrichment")
    assert [one.conversation_id for one in await conversation.due(STORED)] == ["c-1"]


async def test_a_late_message_opens_its_session_again_and_no_other(
    conversation: Conversation, stores: Stores
) -> None:
    await conversation.say(0, 5, 90, 95)
    first, second = await conversation.summarise()
    await conversation.say(3)
    loaded = await conversation.loaded()
    assert _minutes(loaded) == [[0, 3, 5], [90, 95]]
    assert [one.id for one in loaded.sessions[0].former] == [first.id]
    assert [one.summary is None for one in loaded.sessions] == [True, False]
    (made,) = await conversation.summarise()
    assert {one.id for one in await stores.found(first.id, second.id, made.id)} == {second.id, made.id}


async def test_a_message_that_comes_while_it_is_summed_up_is_not_lost(
    conversation: Conversation, stores: Stores
) -> None:
    await conversation.say(0, 5)
    (due,) = await conversation.due()
    loaded = await conversation.load(due)
    await conversation.say(6)
    summary = summarise(loaded.sessions[0].turns)
    plan = SummaryPlan([Successor(summary)])
    assert await conversation.store.summarise(stores.tenant, due, plan, STORED) is None
    assert await stores.found(summary.id) == []
    assert _minutes(await conversation.loaded()) == [[0, 5, 6]]


async def test_an_end_in_the_future_ends_only_what_was_said(conversation: Conversation) -> None:
    """A bot whose clock is years ahead does not end every session to come."""
    await conversation.say(0)
    await conversation.end(10**7, at(1))
    await conversation.summarise(STORED)
    await conversation.say(2, 3)
    assert await conversation.due(STORED) == []


async def test_each_user_has_sessions_of_their_own_and_the_forgotten_none(
    conversation: Conversation, stores: Stores
) -> None:
    await conversation.say(0, 5)
    await stores.record(stores.message("other", minute=2, user_id="u-2"))
    (mine,) = await conversation.due()  # the other waits to be enriched, which keeps nobody else
    assert mine.user_id == "u-1"
    assert _minutes(await conversation.load(mine)) == [[0, 5]]
    here = Conversation(stores.another_tenant())
    await here.stores.put_tombstone("user", "u-1")
    await here.end(6)
    assert await here.due(EVER) == []
    assert await here.stores.fetch("select count(*) from session_ends") == [(0,)]


async def test_summaries_are_the_same_in_any_order_of_arrival(stores: Stores) -> None:
    minutes = [0, 10, 20, 55, 60, 95, 200, 229, 231, 262]
    chance = random.Random(7)
    results: list[set[str]] = []
    for _ in range(4):
        here = Conversation(stores.another_tenant())
        steps: list[float | str] = [*minutes, "end"]
        chance.shuffle(steps)
        for step in steps:
            await (here.end(58) if step == "end" else here.say(float(step)))
            if chance.random() < 0.5:
                await here.summarise()
        await here.summarise()
        results.append(await here.summarised())
    assert results[0]
    assert all(one == results[0] for one in results)


async def test_an_endless_session_is_cut_into_parts_whatever_comes_late(stores: Stores) -> None:
    short, other = Conversation(stores, most_turns=4), Conversation(stores.another_tenant(), most_turns=4)
    minutes = list(range(0, 22, 2))
    for one, times in ((short, minutes), (short, [11]), (other, sorted([*minutes, 11]))):
        await one.say(*times)
        for _ in range(4):
            await one.summarise()
        assert await one.due(EVER) == []
    assert await short.summarised() == await other.summarised() != set()


async def test_turns_of_one_instant_are_read_once_each(stores: Stores) -> None:
    """Clocks may be coarse."""
    short = Conversation(stores, most_turns=4)
    names = [f"m-{n:02}" for n in range(14)]
    await stores.record(*(stores.message(name, minute=n // 6) for n, name in enumerate(names)))
    await stores.set_stages(*names)
    made = [one for _ in range(5) for one in await short.summarise()]
    assert await short.due(EVER) == []
    assert [len(one.source_ids) for one in made] == [4, 4, 4, 2]


@pytest.mark.parametrize("verified", [False, True])
async def test_a_summary_hands_on_its_use_and_pin_or_stays_where_it_was_verified(
    conversation: Conversation, stores: Stores, *, verified: bool
) -> None:
    """Also what happened after the session was read; importance is that of so many uses of the new one."""
    await conversation.say(0, 5)
    (first,) = await conversation.summarise()
    await conversation.say(3)
    (due,) = await conversation.due()
    (session,) = (await conversation.load(due)).sessions
    successor = Successor(summarise(session.turns), (first.id,))
    if verified:
        await stores.mark(first.id, "verified")
    else:
        await stores.mark(first.id, "pinned")
        await stores.use(*[first.id] * 3)
    done = await conversation.store.summarise(stores.tenant, due, SummaryPlan([successor]), STORED)
    assert done is not None
    (found,) = await stores.found(first.id, successor.memory.id)
    if verified:
        assert (list(done.written), list(done.withdrawn), found.id) == ([], [], first.id)
    else:
        assert (list(done.withdrawn), found.id) == ([first.id], successor.memory.id)
        assert (found.pinned, found.access_count) == (True, 3)
        assert found.importance == pytest.approx(successor.memory.importance + 0.06)


async def test_a_corrected_message_is_in_no_summary_as_it_was(
    conversation: Conversation, stores: Stores
) -> None:
    await conversation.say(0, 5)
    (before,) = await conversation.summarise()
    corrected = await stores.correct(stores.id("c-1-5"), "We moved to Milan.")
    assert corrected.withdrawn == (before.id,)
    assert await stores.found(before.id) == []
    await stores.set_stages("c-1-5")
    (after,) = await conversation.summarise()
    assert "We moved to Milan." in after.content


async def test_one_run_finishes_more_long_conversations_than_it_reads_at_a_time(stores: Stores) -> None:
    """Each is due again after each part of it, and before those whose turn has not come."""
    names = [f"c-{number:02}" for number in range(60)]
    messages = {
        f"{name}-{minute}": stores.message(f"{name}-{minute}", minute=minute, conversation_id=name)
        for name in names
        for minute in range(5)
    }
    await stores.record(*messages.values())
    await stores.set_stages(*messages)
    store = SessionStore(stores.database)
    store.most_turns = 2
    work = SessionSummaries(store, Emitted(), ManualClock(LATER), stores.executor, MODEL)
    assert total(await run(work, stores.tenant, LATER), "failed") == (0,)
    assert await store.due(stores.tenant, EVER, SILENCE, user_id=None, limit=100) == []
    covered = await stores.fetch("select cardinality(source_ids) from memories where kind = 'summary'")
    assert len(covered) == len(names) * 2
