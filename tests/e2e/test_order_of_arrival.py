"""What comes late finds its place at once; `test_delivered_thrice` compares all stores after any order."""

import json

from tests.fixtures.wire import Bot, ago, ids, msg

from ricordo.messages.ids import memory_id


async def test_a_late_message_finds_its_place_between_its_neighbours(bot: Bot) -> None:
    first, late, last = (msg(f"m-{n}", f"Parte {n}.", timestamp=ago(hours=9 - n)) for n in (1, 2, 3))
    await bot.remember(first, last)
    async with bot.subscribed("memory.enriched") as enriched:
        await bot.remember(late)
        follower = memory_id(bot.tenant, "m-3")  # its point contains the text before it
        while json.loads((await enriched.next()).data)["memory_id"] != str(follower):
            pass
    assert await bot.final_states(["m-3"], within=20) == {"m-3": "remembered"}
    history = await bot.query("history", user_id="u-1")
    assert [one["id"] for one in history["messages"]] == ["m-1", "m-2", "m-3"]
    line = await bot.query("timeline", user_id="u-1", start=ago(days=1), end=ago())
    assert ids(line["memories"]) == ["m-1", "m-2", "m-3"]


async def test_a_late_zone_moves_the_days_of_what_follows_it_at_once(bot: Bot) -> None:
    midnight = "2026-03-01T23:30:00Z"  # already the 2nd of March in Rome
    await bot.remember(msg("m-2", "Ho finito il libro.", timestamp=midnight))
    question = {"now": "2026-03-03T12:00:00Z", "user_id": "u-1"}
    await bot.remember(msg("m-1", "Sono a Roma.", timestamp=ago(days=40), timezone="Europe/Rome"))
    assert await bot.final_states(["m-2"], within=20) == {
        "m-2": "remembered"
    }  # no reconciliation is waited for
    assert ids((await bot.recall("Cosa ho fatto ieri?", **question))["memories"]) == ["m-2"]
