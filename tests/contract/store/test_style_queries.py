"""Contract of `StyleQueries`: counts over the last messages that a user has said, and nobody else."""

import pytest
from tests.contract.store.stores import Stores

from ricordo.memory.style import StyleCounts, register_patterns
from ricordo.store.memory_queries import StyleDelta, StyleStats
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

_DAY = 24 * 60


async def _say(
    stores: Stores, *contents: str, every: float = 1.0, name: str = "m", role: str = "user"
) -> None:
    await stores.record(
        *(
            new_message(
                f"{name}-{n}", tenant=stores.tenant, content=content, timestamp=at(n * every), role=role
            )
            for n, content in enumerate(contents)
        )
    )


async def _talk(stores: Stores, *, minute: float = 1_000_000) -> StyleCounts:
    heard = await stores.habits.stats(stores.tenant, "u-1", before=at(minute), manners=register_patterns())
    return heard.talk


async def test_of_the_unknown_nothing_is_counted(stores: Stores) -> None:
    assert await _talk(stores) == StyleCounts()


async def test_what_the_user_says_is_counted(stores: Stores) -> None:
    await _say(stores, "Ciao, come stai?", "Buongiorno, mi scusi.", "x" * 100, "Che bello \U0001f389!")
    await _say(stores, "Ciao! Come posso aiutarti?", name="a", role="assistant")
    talk = await _talk(stores)
    assert (talk.messages, talk.questions, talk.emoji) == (4, 1, 1)
    assert (talk.informal, talk.formal) == (1, 1)
    assert (talk.lengths[1], talk.sessions) == (18.5, 1)


async def test_of_others_and_of_the_time_to_come_nothing_is_counted(stores: Stores) -> None:
    await _say(stores, "uno", "due", "tre")
    assert (await _talk(stores, minute=1.5)).messages == 2
    other = await stores.habits.stats(stores.tenant, "u-2", before=at(99), manners=register_patterns())
    assert other == StyleStats(StyleCounts())
    assert await _talk(stores.elsewhere()) == StyleCounts()


async def test_manners_are_told_by_whole_words_in_both_languages(stores: Stores) -> None:
    said = {
        "Potrebbe dirmi l'orario?": "formal",
        "Mi può aiutare, per favore": "formal",
        "Could you tell me the time": "formal",
        "CIAO": "informal",
        "I don't know": "informal",
        "Ti chiamo io": "informal",
        "Ho preso la macchina": "",
        "The chair is heavy": "",
        "Buongiorno, ciao": "",
    }
    await _say(stores, *said)
    talk = await _talk(stores)
    assert (talk.formal, talk.informal) == (3, 3)


async def test_half_an_hour_of_silence_ends_a_session(stores: Stores) -> None:
    await _say(stores, *"abcd", every=29)
    assert (await _talk(stores)).sessions == 1
    there = stores.elsewhere()
    await _say(there, *"abcd", every=31)
    assert (await _talk(there)).sessions == 4


async def test_the_last_third_is_told_from_what_was_said_before(stores: Stores) -> None:
    await _say(stores, *["x" * 90] * 8, *["x" * 10] * 4)
    talk = await _talk(stores)
    assert (talk.earlier, talk.lately) == (90, 10)


async def test_what_was_forgotten_counts_no_more_before_it_is_erased_even(stores: Stores) -> None:
    await _say(stores, "ciao", "ciao", "buongiorno")
    await stores.entomb(stores.tenant, "message", "m-2", "u-1")
    heard = await stores.habits.stats(stores.tenant, "u-1", before=at(99), manners=register_patterns())
    assert (heard.talk.messages, heard.talk.formal) == (2, 0)
    assert (heard.until, heard.forgotten) == (at(1), 1)
    await stores.entomb(stores.tenant, "user", "u-1", "u-1")
    heard = await stores.habits.stats(stores.tenant, "u-1", before=at(99), manners=register_patterns())
    assert heard == StyleStats(StyleCounts(), None, 2)


async def test_news_are_what_was_said_since_and_what_was_forgotten(stores: Stores) -> None:
    await _say(stores, *"abcde")
    await _say(stores, "x", every=3, name="a", role="assistant")

    async def news(minute: float, most: int = 9) -> StyleDelta:
        return await stores.habits.delta(stores.tenant, "u-1", since=at(minute), before=at(99), most=most)

    assert await news(1) == StyleDelta(3, 0)
    assert await news(1, most=2) == StyleDelta(2, 0)
    assert await news(4) == StyleDelta(0, 0)
    await stores.entomb(stores.tenant, "conversation", "c-9", "u-1")
    assert await news(4) == StyleDelta(0, 1)


async def test_of_a_long_history_the_last_messages_count(stores: Stores) -> None:
    for start in range(0, 700, 100):
        await _say(stores, *["x" * (start + 1)] * 100, name=f"m{start}", every=0.001)
    assert (await _talk(stores)).messages == 200
