"""What is about the same thing shows each other, also what came late; small talk shows nobody."""

from tests.fixtures.wire import Bot, Json, ago, msg

DOG = (
    msg("m-1", "I adopted a dog yesterday, a golden retriever.", timestamp=ago(days=9)),
    msg("m-2", "The dog that I adopted is a golden retriever.", timestamp=ago(days=2)),
)
LATE = msg("m-0", "Tomorrow I adopt a golden retriever dog.", timestamp=ago(days=20))
REST = (
    msg("m-3", "Thanks, that's so kind of you!", timestamp=ago(days=2, minutes=-1)),
    msg("m-4", "Thanks, that's so kind of you!", timestamp=ago(days=1)),
    msg("m-5", "The invoice of the plumber is due on Friday.", timestamp=ago(days=1, minutes=-1)),
)
OF_ANOTHER = msg(
    "m-6", "I adopted a dog yesterday, a golden retriever.", user_id="u-2", timestamp=ago(days=9)
)


async def _related(bot: Bot) -> dict[str, set[str]]:
    """Return whom each of the user's memories is related to, by the bot's ids."""
    found: list[Json] = (await bot.recall("golden retriever", limit=50))["memories"]
    names = {memory["id"]: memory["message_ids"][0] for memory in found}
    return {names[memory["id"]]: {names[one] for one in memory["related"]} for memory in found}


async def test_memories_about_the_same_thing_are_related_both_ways_whenever_they_come(bot: Bot) -> None:
    await bot.remember(*REST, OF_ANOTHER)
    await bot.remember(*DOG)
    related = await _related(bot)
    assert {name: related[name] for name in ("m-1", "m-2")} == {"m-1": {"m-2"}, "m-2": {"m-1"}}
    await bot.remember(LATE)
    related = await _related(bot)
    assert related["m-0"] == {"m-1", "m-2"}
    assert {name for name, others in related.items() if "m-0" in others} == {"m-1", "m-2"}
    assert [related.get(name, set()) for name in ("m-3", "m-4", "m-5")] == [set()] * 3
    assert "m-6" not in related
