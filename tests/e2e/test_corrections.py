"""Who puts right what they said is heard: the correction comes before what it corrects, and both say so."""

import pytest
from tests.fixtures.wire import Bot, Json, at, ids, said

pytestmark = pytest.mark.e2e

VISIT = said("m-1", "La visita oculistica di Ada è il 17 giugno, portare gli occhiali.", timestamp=at(days=9))
RIGHT = said("m-2", "Scusa, il 19 non il 17!", timestamp=at(days=9, minutes=-2))
OTHERS = [
    said(f"o-{n}", text, timestamp=at(days=8 - n), conversation_id="c-2")
    for n, text in enumerate(
        ("Ada porta gli occhiali da un anno.", "Abbiamo comprato un divano verde.", "Ieri pioveva forte.")
    )
]
ASKED = "Quando è la visita oculistica di Ada?"


async def shown(bot: Bot, query: str = ASKED, **fields: object) -> list[Json]:
    memories = (await bot.recall(query, reinforce=False, **fields))["memories"]
    assert isinstance(memories, list)
    return memories


@pytest.mark.parametrize("order", [(VISIT, RIGHT), (RIGHT, VISIT)])
async def test_a_correction_comes_before_what_it_corrects(bot: Bot, order: tuple[Json, ...]) -> None:
    await bot.remember(*OTHERS)
    for message in order:
        await bot.remember(message)
    found = await shown(bot)
    assert ids(found)[:2] == ["m-2", "m-1"]
    by_id = {one["message_ids"][0]: one for one in found}
    right, stale = by_id["m-2"], by_id["m-1"]
    assert (right["corrects"], right["corrected_by"]) == ([stale["id"]], [])
    assert (stale["corrects"], stale["corrected_by"]) == ([], [right["id"]])
    scores = [one["score"] for one in found]
    assert scores == sorted(scores, reverse=True)
    assert len(await shown(bot, limit=1)) == 1
    assert ids(await shown(bot, limit=1)) == ["m-2"]
    context = await bot.ask("context", user_id="u-1", query=ASKED, now=at(), reinforce=False)
    assert context["context"].index("il 19 non il 17") >= 0
    timeline = await bot.ask("timeline", user_id="u-1", start=at(days=10), end=at(days=9, minutes=-30))
    assert [len(one["corrected_by"]) for one in timeline["memories"]] == [1, 0]


async def test_a_correction_that_a_filter_leaves_out_stays_out(bot: Bot) -> None:
    await bot.remember(VISIT, RIGHT | {"tags": ["other"]}, *OTHERS)
    assert "m-2" in ids(await shown(bot))
    until = {"end": at(days=9, minutes=-1)}
    assert ids(await shown(bot, filters=until)) == ["m-1"]


async def test_once_the_correction_is_forgotten_nothing_was_corrected(bot: Bot) -> None:
    await bot.remember(VISIT, RIGHT)
    assert (await bot.request("command.forget", {"user_id": "u-1", "message_id": "m-2"})).body["ok"]
    (visit,) = await shown(bot)
    assert visit["corrected_by"] == []


async def test_a_correction_that_states_the_fact_supersedes_it(bot: Bot) -> None:
    await bot.remember(said("m-1", "Abito a Nuoro.", timestamp=at(days=2)))
    await bot.remember(
        said("m-2", "Scusa, volevo dire che abito a Olbia, non a Nuoro.", timestamp=at(days=2, minutes=-1))
    )
    (home,) = (await bot.ask("facts", user_id="u-1", predicate="lives_in"))["facts"]
    assert (home["object"], home["disputed"]) == ("Olbia", False)
    found = {one["message_ids"][0]: one for one in await shown(bot, "Dove abito?")}
    assert found["m-1"]["corrected_by"] == [found["m-2"]["id"]]
