"""Facts over the wire, by the event of a message."""

import json

from tests.fixtures.wire import Bot, EventSubscription, Json, ago, msg

MAY_CHANGE = {"contradictions": 0}
"""Between two deliveries others contradict what a message supports."""


async def items_of(subscription: EventSubscription, count: int) -> list[Json]:
    """Take events until they have so many items."""
    items: list[Json] = []
    while len(items) < count:
        items += json.loads((await subscription.next()).data)["items"]
    return items


async def test_an_event_names_the_facts_of_a_message_and_does_so_again(bot: Bot) -> None:
    async with bot.subscribed("facts.extracted") as subscription, bot.subscribed("memory.encoded") as encoded:
        await bot.remember(msg("m-1", "Abito a Torino.", timestamp=ago(days=3)))
        await bot.remember(msg("m-2", "Abito a Torino e ho un gatto, Pepe.", timestamp=ago(days=2)))
        await bot.remember(msg("m-3", "Abito a Lecce.", timestamp=ago(days=1)))
        events = await items_of(subscription, 3)
        causes = await encoded.take(3)
        first, second, third = events
        ids = {one["object"]: one["id"] for one in await bot.facts(history=True)}
        assert (first["new"], first["reinforced"]) == ([ids["Torino"]], [])
        assert second["reinforced"] == [ids["Torino"]]
        assert ids["Pepe"] in second["new"]
        assert (third["new"], third["superseded"], third["disputed"]) == ([ids["Lecce"]], [ids["Torino"]], [])
        for event in (first, second, third):
            assert set(event["fact_ids"]) == {*event["new"], *event["reinforced"]}
            assert event["facts"] == len(event["fact_ids"])
        for cause in causes:
            await bot.publish(cause.data, name="memory.encoded")
        again = await items_of(subscription, 3)
    bodies = [event | MAY_CHANGE for event in (*events, *again)]
    assert bodies[:3] == bodies[3:]
