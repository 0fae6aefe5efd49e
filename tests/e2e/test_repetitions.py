"""What says the same is one result, with how often and when, in a recall as in a context."""

from collections.abc import Mapping

from tests.fixtures.sentence_tables import table
from tests.fixtures.wire import Bot, ago, msg

SAID = table(__file__, "said")
OTHERS: Mapping[str, str] = table(__file__, "others")


async def test_what_is_said_very_often_hides_nothing(bot: Bot) -> None:
    often = [msg(f"m-{n}", "The tram to Grado is late.", timestamp=ago(hours=200 - n)) for n in range(120)]
    once = [msg(f"o-{n}", f"A tram, {what}.") for n, what in enumerate(("a bus", "a boat", "a bike"))]
    await bot.remember(*often, *once)
    found = (await bot.recall("Is the tram to Grado late?", limit=4))["memories"]
    assert [one["times_said"] for one in found] == [120, 1, 1, 1]


async def test_what_is_said_often_is_one_result_and_pushes_nothing_out(bot: Bot) -> None:
    times = [ago(days=20 - n) for n in range(len(SAID))]
    said = [msg(f"m-{n}", text, timestamp=at) for n, (text, at) in enumerate(zip(SAID, times, strict=True))]
    others = [msg(name, text, timestamp=ago(days=30)) for name, text in OTHERS.items()]
    await bot.remember(*said, *others, msg("by-anna", SAID[0], speaker="Anna", timestamp=ago(days=40)))
    found = await bot.recall("Which train do I take to Pescara?", limit=5)
    repeated = [one for one in found["memories"] if one["times_said"] > 1]
    (train,) = repeated
    assert sorted(train["message_ids"]) == sorted(one["id"] for one in said)
    assert train["times_said"] == len(train["said_at"]) == len(SAID)
    assert train["said_at"] == sorted(train["said_at"], reverse=True)
    assert train["created_at"] in train["said_at"]
    rest = [one["message_ids"] for one in found["memories"] if one is not train]
    assert len(rest) == 4, "results are counted, and not what was said"
    assert all(len(ids) == 1 and ids[0] in {*OTHERS, "by-anna"} for ids in rest)
    context = await bot.query(
        "context", user_id="u-1", query="Which train do I take to Pescara?", now=ago(), recent_limit=0
    )
    assert f"(said {len(SAID)} times, last on " in context["context"]
    assert context["context"].casefold().count("train to pescara every thursday") == 3
