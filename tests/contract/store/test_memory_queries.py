"""Queries return the rows of one user in their order; style is counted over the last messages."""

from datetime import timedelta
from uuid import uuid4

import pytest
from tests.contract.store.stores import STORED, Stores
from tests.support.factories import at

from ricordo.memory.style import StyleCounts, register_patterns
from ricordo.store.memory_queries import StyleDelta, StyleStats, UserCounts
from ricordo.store.recall_queries import UserProfile


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


async def test_memories_are_those_of_the_user(stores: Stores) -> None:
    await _converse(stores)
    found = await stores.found(stores.id("m-0"), stores.id("m-9"), uuid4())
    assert [one.message_id for one in found] == ["m-0"]
    assert list(await stores.found()) == []
    assert await stores.queries.status(stores.tenant, "unknown") == (None, None, False)


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
    assert counts == UserCounts(memories=5, history=6, pending=5)
    await stores.archive_faded(STORED + timedelta(days=3650))
    counts = await stores.queries.counts(stores.tenant, "u-1")
    assert (counts.memories, counts.archived) == (5, 0)
    assert await stores.queries.counts(stores.tenant, "nobody") == UserCounts()


async def test_an_uninformative_message_is_history_alone(stores: Stores) -> None:
    await _converse(stores)
    before = await stores.queries.timeline(stores.tenant, "u-1", at(-9), at(99), 9)
    counts, ids = await stores.queries.counts(stores.tenant, "u-1"), [one.id for one in before]
    idle = {stores.id("m-0"), stores.id("m-2")}
    await stores.enrich("m-0", "m-2", informative=0.0)
    shown = await stores.queries.timeline(stores.tenant, "u-1", at(-9), at(99), 9)
    assert [one.id for one in shown] == [one for one in ids if one not in idle]
    after = await stores.queries.counts(stores.tenant, "u-1")
    assert (after.memories, after.history) == (counts.memories - 2, counts.history)
    ranking = await stores.recalls.ranking_rows(stores.tenant, "u-1", ids, STORED)
    assert {one.id for one in ranking if not one.informative} == idle
    assert {one.id for one in await stores.found(*ids)} == set(ids)


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
    return await stores.style.stats(stores.tenant, user, before=at(minute), manners=register_patterns())


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
        return await stores.style.delta(stores.tenant, "u-1", since=at(minute), before=at(99), most=most)

    assert [await delta(1), await delta(1, most=2), await delta(4)] == [
        StyleDelta(3, 0),
        StyleDelta(2, 0),
        StyleDelta(0, 0),
    ]
    await stores.put_tombstone("conversation", "c-9")
    assert await delta(4) == StyleDelta(0, 1)
