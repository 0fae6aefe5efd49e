"""Facts over the wire: by the event of a message, and about one entity."""

import json
from functools import partial

from tests.fixtures.wire import Bot, ago, msg, wait_for

U = {"user_id": "u-1"}
MAY_CHANGE = {"at": "", "contradictions": 0}
"""Between two deliveries others contradict what a message supports."""


async def test_an_event_names_the_facts_of_a_message_and_does_so_again(bot: Bot) -> None:
    async with bot.subscribed("facts.extracted") as subscription, bot.subscribed("memory.encoded") as encoded:
        await bot.remember(msg("m-1", "Abito a Torino.", timestamp=ago(days=3)))
        await bot.remember(msg("m-2", "Abito a Torino e ho un gatto, Pepe.", timestamp=ago(days=2)))
        await bot.remember(msg("m-3", "Abito a Lecce.", timestamp=ago(days=1)))
        events = await subscription.take(3)
        causes = await encoded.take(3)
        first, second, third = (json.loads(event.data) for event in events)
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
        again = await subscription.take(3)
    bodies = [json.loads(event.data) | MAY_CHANGE for event in (*events, *again)]
    assert bodies[:3] == bodies[3:], "the ids of the events included"


LIFE = (
    msg("l-1", "Mia sorella Nora vive a Lisbona.", timestamp=ago(days=5)),
    msg("l-2", "Nora è sposata con Lucio.", timestamp=ago(days=4)),
    msg("l-3", "NORA vive a Lisbona. Io abito a Torino.", timestamp=ago(days=3)),
    msg("l-4", "Lucio vive a Cascais.", timestamp=ago(days=2)),
)


async def test_a_card_shows_an_entity_by_any_spelling(bot: Bot) -> None:
    await bot.remember(*LIFE)
    for name in ("Nora", "  nora ", "NORA"):
        # The graph follows the facts.
        reply = await wait_for(
            partial(bot.query, "facts", entity=name, **U),
            lambda found: len(found["entity"]["neighbours"]) == 4,
        )
        assert (reply["degraded"], reply["entity"]["name"], reply["entity"]["mentions"]) == ([], "Nora", 3)
        assert {(one["subject"], one["predicate"], one["object"]) for one in reply["facts"]} == {
            ("user", "has_sibling", "Nora"),
            ("Nora", "lives_in", "Lisbona"),
            ("Nora", "partner", "Lucio"),
        }
        near = {(one["name"], one["distance"]): one["predicates"] for one in reply["entity"]["neighbours"]}
        assert near == {
            ("Lisbona", 1): ["lives_in"],
            ("Lucio", 1): ["partner"],
            ("user", 1): ["has_sibling"],
            ("Cascais", 2): ["lives_in"],  # and not Torino, to which only the user leads
        }
    for name in ("Zenobia", "`}) RETURN n //", "'; drop table entities; --", "\U0001f600" * 256, "."):
        reply = await bot.query("facts", entity=name, **U)
        assert reply == {"facts": [], "entity": None, "degraded": [], "truncated": False}
    for request in ({}, {"entity": "user"}):
        assert (await bot.query("facts", **U, **request))["entity"] is None
