"""Queries return the rows of one user in their order, and one memory with all that belongs to it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from tests.contract.store.evidence import claim, extracted, learn
from tests.contract.store.stores import MODEL, STORED, Stores, request, summary
from tests.contract.store.test_correction_links import link
from tests.support.factories import DIMENSIONS, at, point, unit_vector
from tests.support.manual_clock import ManualClock
from tests.support.memory_index import MemoryVectorIndex

from ricordo.index.port import Point
from ricordo.memory.style import StyleCounts, register_patterns
from ricordo.messages.enumerations import ChangeKind, Degradation
from ricordo.messages.errors import ErrorCode
from ricordo.messages.listings import MemoryReply, MemoryRequest
from ricordo.messages.queries import StatsReply
from ricordo.runtime.handling import RequestError
from ricordo.store.memory_queries import StyleDelta, StyleStats
from ricordo.store.recall_queries import UserProfile
from ricordo_services.retrieval.lookups import MemoryBrowser
from ricordo_services.retrieval.related_memories import RelatedMemories


async def _converse(stores: Stores) -> None:
    """Record six messages: two conversations, two at the same moment, one of another user."""
    await stores.record(
        *(
            stores.message(
                f"m-{n}",
                conversation_id=f"c-{n % 2}",
                minute=n if n != 3 else 2,
                participants=("Anna",) if n == 4 else (),
            )
            for n in range(5)
        ),
        stores.message("m-9", user_id="u-2", minute=9),
    )


async def test_history_is_the_last_turns_oldest_first_page_by_page(stores: Stores) -> None:
    await _converse(stores)
    history = stores.queries.history
    turns = await history(stores.tenant, "u-1", conversation_id=None, before=None, limit=3)
    assert [turn.message_id for turn in turns] == ["m-2", "m-3", "m-4"]
    assert [turn.participants for turn in turns] == [(), (), ("Anna",)]
    assert turns[0].memory_id == stores.id("m-2")
    pages, before = [], None
    while turns := await history(stores.tenant, "u-1", conversation_id=None, before=before, limit=2):
        pages.append([turn.message_id for turn in turns])
        before = (turns[0].timestamp, turns[0].message_id)
    assert pages == [["m-3", "m-4"], ["m-1", "m-2"], ["m-0"]]
    turns = await history(stores.tenant, "u-1", conversation_id="c-1", before=(at(2), ""), limit=9)
    assert [turn.message_id for turn in turns] == ["m-1"]


async def test_a_timeline_is_half_open_and_oldest_first(stores: Stores) -> None:
    await _converse(stores)
    for limit, names in ((9, ["m-1", "m-2", "m-3"]), (1, ["m-1"])):
        found = await stores.queries.timeline(stores.tenant, "u-1", at(1), at(4), limit)
        assert [one.message_id for one in found] == names


async def test_memories_history_and_what_is_pending_are_counted(stores: Stores) -> None:
    await _converse(stores)
    await stores.record(stores.message("m-10", minute=10, memorable=False))
    counts = await stores.queries.counts(stores.tenant, "u-1")
    assert counts == StatsReply(memories=5, history=6, pending=5)
    await stores.archive_faded(STORED + timedelta(days=3650))
    counts = await stores.queries.counts(stores.tenant, "u-1")
    assert (counts.memories, counts.archived) == (5, 0)
    assert await stores.queries.counts(stores.tenant, "nobody") == StatsReply()


async def test_the_profile_has_the_last_zone_and_the_names_of_speakers_and_participants(
    stores: Stores,
) -> None:
    asked = stores.recalls.facts_of_question
    assert await asked(stores.tenant, "u-1", threshold=3, limit=9) == (UserProfile(), [], [], [])
    for minute, zone in ((2, "Asia/Tokyo"), (1, "Europe/Rome"), (3, None)):
        fields = {"participants": ("Ada", "DAVIDE"), "speaker": "Davide"}
        await stores.record(stores.message(f"m-{minute}", minute=minute, timezone=zone, **fields))
    await stores.record(stores.message("m-9", user_id="u-2", minute=2, speaker="Bruno"))
    profile = (await asked(stores.tenant, "u-1", threshold=3, limit=9)).profile
    assert profile.timezone == "Asia/Tokyo"
    assert sorted(name.casefold() for name in profile.names) == ["ada", "davide"]
    assert profile.speakers == ("Davide",)


async def _say(stores: Stores, *contents: str, every: float = 1.0, name: str = "m", **fields: str) -> None:
    await stores.record(
        *(
            stores.message(f"{name}-{n}", content=content, minute=n * every, **fields)
            for n, content in enumerate(contents)
        )
    )


async def _stats(stores: Stores, user: str = "u-1", minute: float = 10**6) -> StyleStats:
    return await stores.queries.style(stores.tenant, user, before=at(minute), manners=register_patterns())


async def test_what_the_user_says_is_counted_and_nobody_elses_words(stores: Stores) -> None:
    assert (await _stats(stores)).talk == StyleCounts()
    await _say(stores, "Ciao, come stai?", "Buongiorno, mi scusi.", "x" * 100, "Che bello \U0001f389!")
    await _say(stores, "Ciao! Come posso aiutarti?", name="a", role="assistant")
    talk = (await _stats(stores)).talk
    assert (talk.messages, talk.questions, talk.emoji) == (4, 1, 1)
    assert (talk.informal, talk.formal) == (1, 1)
    assert (talk.lengths[1], talk.sessions) == (18.5, 1)
    assert (await _stats(stores, minute=1.5)).talk.messages == 2, "of the time to come nothing is counted"
    assert await _stats(stores, "u-2") == StyleStats(StyleCounts())


async def test_manners_are_known_by_whole_words_in_both_languages(stores: Stores) -> None:
    await _say(
        stores,
        *("Potrebbe dirmi l'orario?", "Mi può aiutare, per favore", "Could you tell me the time"),
        *("CIAO", "I don't know", "Ti chiamo io"),
        *("Ho preso la macchina", "The chair is heavy", "Buongiorno, ciao"),
    )
    talk = (await _stats(stores)).talk
    assert (talk.formal, talk.informal) == (3, 3)


@pytest.mark.parametrize(("every", "sessions"), [(29, 1), (31, 4)])
async def test_half_an_hour_of_silence_ends_a_session(stores: Stores, every: float, sessions: int) -> None:
    await _say(stores, *"abcd", every=every)
    assert (await _stats(stores)).talk.sessions == sessions


async def test_the_last_third_and_at_most_two_hundred_messages_count(stores: Stores) -> None:
    await _say(stores, *["x" * 90] * 8, *["x" * 10] * 4)
    talk = (await _stats(stores)).talk
    assert (talk.earlier, talk.lately) == (90, 10)
    for start in range(0, 300, 100):
        await _say(stores, *["x"] * 100, name=f"m{start}", every=0.001)
    assert (await _stats(stores)).talk.messages == 200


async def test_the_forgotten_counts_no_more_even_before_it_is_erased(stores: Stores) -> None:
    await _say(stores, "ciao", "ciao", "buongiorno")
    await stores.put_tombstone("message", "m-2")
    stats = await _stats(stores)
    assert (stats.talk.messages, stats.talk.formal) == (2, 0)
    assert (stats.until, stats.forgotten) == (at(1), 1)
    await stores.put_tombstone("user", "u-1")
    assert await _stats(stores) == StyleStats(StyleCounts(), None, 2)


async def test_a_delta_is_what_was_said_and_forgotten_since(stores: Stores) -> None:
    await _say(stores, *"abcde")
    await _say(stores, "x", every=3, name="a", role="assistant")

    async def delta(minute: float, most: int = 9) -> StyleDelta:
        return await stores.queries.style_delta(
            stores.tenant, "u-1", since=at(minute), before=at(99), most=most
        )

    assert [await delta(1), await delta(1, most=2), await delta(4)] == [
        StyleDelta(3, 0),
        StyleDelta(2, 0),
        StyleDelta(0, 0),
    ]
    await stores.put_tombstone("conversation", "c-9")
    assert await delta(4) == StyleDelta(0, 1)


METADATA = {"channel": "telegram", "nested": {"n": [1, 2.5, None]}}


async def browse(
    stores: Stores,
    memory_id: UUID,
    user_id: str = "u-1",
    points: Sequence[Point] = (),
    *,
    away: bool = False,
    now: datetime = STORED,
) -> MemoryReply:
    index = MemoryVectorIndex()
    await index.prepare(MODEL, DIMENSIONS)
    await index.upsert(stores.tenant, MODEL, points)
    index.away = away
    related = RelatedMemories(index, (MODEL,))
    browser = MemoryBrowser(stores.queries, related, ManualClock(now))
    return await browser.memory(stores.tenant, MemoryRequest(user_id=user_id, memory_id=memory_id))


async def test_a_memory_is_shown_with_its_neighbours_of_the_user(stores: Stores) -> None:
    await stores.record(
        *(stores.message(f"m-{n}", minute=n, content=f"Walk {n}") for n in range(3)),
        stores.message("m-3", minute=3, user_id="u-2", content="Of another user in a group"),
        stores.message("m-4", minute=4, content="x" * 400, metadata=METADATA),
    )
    reply = await browse(stores, stores.id("m-1"))
    assert (reply.memory.content, reply.memory.stored_at) == ("Walk 1", STORED)
    assert reply.preceding is not None
    assert reply.following is not None
    assert (reply.preceding.content, reply.following.content) == ("Walk 0", "Walk 2")
    assert reply.memory.day_of_week == f"{at(1):%A}".lower()
    assert (reply.facts, reply.history, reply.related) == ((), (), ())
    assert (await browse(stores, stores.id("m-2"))).following is None
    last = await browse(stores, stores.id("m-4"))
    assert (last.preceding, last.memory.metadata) == (None, METADATA)
    made = summary(stores, [stores.id("m-4")], "y" * 301)
    await stores.write_derived(made)
    derived = (await browse(stores, made.id)).memory
    assert (derived.sources, derived.meaningfulness) == ((stores.id("m-4"),), 4.0)
    assert [one.topic for one in derived.key_topics] == ["sea"]


async def test_related_memories_are_shown_in_both_directions_and_in_short(stores: Stores) -> None:
    await stores.record(*(stores.message(f"m-{n}", minute=n, content=f"{n}" * 400) for n in range(2)))
    both = [stores.id("m-0"), stores.id("m-1")]
    ids = [*both, uuid4()]  # an erased memory, whose point is not deleted yet
    points = [
        replace(item, facets=replace(item.facets, id=memory_id))
        for item, memory_id in ((point("p", vector=unit_vector(1)), memory_id) for memory_id in ids)
    ]
    for one, other in (both, both[::-1]):
        reply = await browse(stores, one, points=points)
        (related,) = reply.related
        assert (related.id, len(related.content), related.truncated) == (other, 300, True)
        assert (reply.memory.related, reply.degraded) == ((other,), ())


async def test_without_the_index_a_memory_is_shown_without_related_ones(stores: Stores) -> None:
    await stores.say("m-1")
    reply = await browse(stores, stores.id("m-1"), away=True)
    assert (reply.related, reply.degraded) == ((), (Degradation.VECTORS,))
    assert reply.memory.id == stores.id("m-1")


async def test_the_facts_of_a_memory_are_those_that_its_message_supports(stores: Stores) -> None:
    await stores.say("m-1", "m-2", "m-3")
    await learn(stores, extracted(stores, "m-1", claim("lives_in", "Rome"), claim("has_pet", "Rex")))
    await learn(stores, extracted(stores, "m-2", claim("has_pet", "Rex")))
    await learn(stores, extracted(stores, "m-3", claim("lives_in", "Bari")))
    found = {
        name: [(one.object, one.confidence) for one in (await browse(stores, stores.id(name))).facts]
        for name in ("m-1", "m-2", "m-3")
    }
    assert found == {"m-1": [("Rex", 2), ("Rome", 1)], "m-2": [("Rex", 2)], "m-3": [("Bari", 1)]}


async def test_a_fact_of_more_than_a_hundred_messages_is_shown_with_the_first_too(stores: Stores) -> None:
    names = [f"m-{n}" for n in range(102)]
    await stores.say(*names)
    said = [extracted(stores, name, claim("likes", "tea", minute=n)) for n, name in enumerate(names)]
    supported, _ = await learn(stores, *said)
    assert set(supported) == set(names)
    for name in ("m-0", "m-101"):
        (fact,) = (await browse(stores, stores.id(name))).facts
        assert (fact.object, fact.confidence, fact.message_ids) == ("tea", 10, tuple(names[2:]))


async def test_the_history_tells_what_changed_a_memory_oldest_first(stores: Stores) -> None:
    await stores.record(stores.message("m-1", content="See you on the 3rd"))
    await stores.record(stores.message("m-2", minute=1, content="Sorry, the 4th, not the 3rd"))
    await link(stores, ["m-2"])
    recall, memory_id = uuid4(), stores.id("m-1")
    await stores.use(memory_id, at=STORED + timedelta(days=1), recall=recall)
    feedback = stores.curation.feedback(
        stores.tenant, request(), recall, used=[], irrelevant=[memory_id], at=STORED + timedelta(days=1)
    )
    await feedback
    await stores.correct(memory_id, "See you on Friday")
    await stores.execute(
        "update memories set archived_at = $2, archive_reason = 'expiry', "
        "synthesis_id = $3 where tenant = $1 and message_id = 'm-1'",
        stores.tenant,
        STORED + timedelta(days=29),
        stores.id("m-2"),
    )
    reply = await browse(stores, memory_id)
    told = [
        (one.change, one.memory_id or one.recall_id or one.content or one.reason) for one in reply.history
    ]
    assert told == [
        (ChangeKind.CORRECTED, stores.id("m-2")),
        (ChangeKind.COMPRESSED, stores.id("m-2")),
        (ChangeKind.USED, recall),
        (ChangeKind.ARCHIVED, "expiry"),
        (ChangeKind.CORRECTED, "See you on the 3rd"),
    ]
    assert reply.history[2].verdict == "irrelevant"
    assert [one.at is None for one in reply.history] == [False] * 4 + [True]
    assert reply.memory.access_count == 0
    assert reply.memory.decay_factor == 1, "the user said what it says"


async def test_what_is_left_of_a_memory_follows_from_the_time_of_the_question(stores: Stores) -> None:
    (memory_id,) = await stores.say("m-1", importance=0.5)
    fresh = await browse(stores, memory_id, now=STORED + timedelta(days=7))
    assert (fresh.memory.decay_factor, fresh.history) == (1, ())
    for days, weeks in ((28, 4), (365, 52), (28, 4)):
        faded = await browse(stores, memory_id, now=STORED + timedelta(days=days))
        assert faded.memory.decay_factor == pytest.approx(max(0.95**weeks + 0.1, 0.55))
        (change,) = faded.history
        assert (change.change, change.at) == (ChangeKind.DECAYED, None)
        assert change.decay_factor == faded.memory.decay_factor
    await stores.execute("update memories set archived_at = $1", STORED + timedelta(days=28))
    kept = await browse(stores, memory_id, now=STORED + timedelta(days=900))
    assert kept.memory.decay_factor == pytest.approx(0.95**4 + 0.1)


@pytest.mark.parametrize("of", ["unknown", "another user", "another tenant"])
async def test_what_is_not_the_users_is_not_found(stores: Stores, of: str) -> None:
    await stores.say("m-1")
    tenant = stores.another_tenant() if of == "another tenant" else stores
    memory_id = uuid4() if of == "unknown" else stores.id("m-1")
    with pytest.raises(RequestError) as refused:
        await browse(tenant, memory_id, "u-2" if of == "another user" else "u-1")
    error = refused.value.body.error
    assert (error.code, error.field) == (ErrorCode.NOT_FOUND, "memory_id")
