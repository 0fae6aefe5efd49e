"""What a bot says of a message can be filtered by."""

from collections.abc import Mapping, Sequence

from tests.fixtures.sentence_tables import table
from tests.fixtures.wire import Bot, Json, ids, msg

TOLD: Mapping[str, Json] = table(__file__, "told")
EXPECTED: Sequence[tuple[Json, tuple[str, ...]]] = table(__file__, "found_by")


async def test_memories_are_found_by_what_the_bot_said_of_them(bot: Bot) -> None:
    await bot.remember(*(msg(name, timezone="Europe/Rome", **told) for name, told in TOLD.items()))
    for filters, names in EXPECTED:
        expected = set(names)
        recalled = await bot.recall("What about the office?", user_id="u-1", filters=filters)
        assert (recalled["degraded"], set(ids(recalled["memories"]))) == ([], expected), filters
        listed = await bot.query("memories", user_id="u-1", filters=filters)
        assert set(ids(listed["memories"])) == expected, filters
        assert listed["total"] == len(expected), filters
    (oven,) = (await bot.recall("oven", user_id="u-1", filters={"locations": ["Èze"]}))["memories"]
    for name in ("refs", "tags"):
        assert oven[name] == list(TOLD["oven"][name])
    assert oven["location"] == TOLD["oven"]["location"]
