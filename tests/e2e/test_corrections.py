"""A message that corrects an earlier one is ranked before it, both say so, and the facts follow.

The rules by which a correction finds what it corrects are tested in `tests/unit` and `tests/contract/store`.
"""

import pytest
from tests.fixtures.wire import Bot, Json, ago, ids, msg

VISIT = msg("m-1", "La visita oculistica di Ada è il 17 giugno, portare gli occhiali.", timestamp=ago(days=9))
RIGHT = msg("m-2", "Scusa, il 19 non il 17!", timestamp=ago(days=9, minutes=-2))
OTHERS = [
    msg(f"o-{n}", text, timestamp=ago(days=8 - n), conversation_id="c-2")
    for n, text in enumerate(
        ("Ada porta gli occhiali da un anno.", "Abbiamo comprato un divano verde.", "Ieri pioveva forte.")
    )
]
QUESTION = "Quando è la visita oculistica di Ada?"


async def recalled(bot: Bot, query: str = QUESTION, **fields: object) -> list[Json]:
    memories: list[Json] = (await bot.recall(query, **fields))["memories"]
    return memories


def numbered(*texts: str) -> list[Json]:
    return [msg(f"m-{n}", text, timestamp=ago(days=2, minutes=-n)) for n, text in enumerate(texts)]


async def remember_in_turn(bot: Bot, *messages: Json) -> None:
    for message in messages:
        await bot.remember(message)


@pytest.mark.parametrize("order", [(VISIT, RIGHT), (RIGHT, VISIT)])
async def test_a_correction_comes_before_what_it_corrects(bot: Bot, order: tuple[Json, ...]) -> None:
    await bot.remember(*OTHERS)
    await remember_in_turn(bot, *order)
    found = await recalled(bot)
    assert ids(found)[:2] == ["m-2", "m-1"]
    right, stale = found[:2]
    assert (right["corrects"], right["corrected_by"]) == ([stale["id"]], [])
    assert (stale["corrects"], stale["corrected_by"]) == ([], [right["id"]])
    scores = [one["score"] for one in found]
    assert scores == sorted(scores, reverse=True)
    assert ids(await recalled(bot, limit=1)) == ["m-2"]
    assert ids(await recalled(bot, filters={"end": ago(days=9, minutes=-1)})) == ["m-1"], "filters hold"
    context = await bot.query("context", user_id="u-1", query=QUESTION, now=ago(), reinforce=False)
    assert "il 19 non il 17" in context["context"]
    timeline = await bot.query("timeline", user_id="u-1", start=ago(days=10), end=ago(days=9, minutes=-30))
    assert [len(one["corrected_by"]) for one in timeline["memories"]] == [1, 0]
    assert (await bot.request("command.forget", {"user_id": "u-1", "message_id": "m-2"})).body["ok"]
    assert [one["corrected_by"] for one in await recalled(bot, limit=1)] == [[]], "it is forgotten"
