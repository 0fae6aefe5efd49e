"""Facts over the wire: by the event of a message, beside a recall, and about one entity."""

import json
from functools import partial

from nats.aio.client import Client
from tests.fixtures.wire import Bot, Json, ago, msg, new_tenant, wait_for

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


async def test_facts_join_a_context_when_they_are_sure_verified_or_named(bot: Bot) -> None:
    languages = (
        *("russo", "arabo", "greco", "turco", "polacco", "danese"),
        *("ceco", "tedesco", "cinese", "rumeno", "svedese"),
    )
    await bot.remember(
        *(msg(f"f-{n}", "Abito a Torino.", timestamp=ago(days=9 - n)) for n in range(3)),
        msg("n-1", "Mia sorella Nora vive a Lisbona.", timestamp=ago(days=2)),
        msg("v-1", "Lavoro alla Lavazza.", timestamp=ago(days=2)),
    )
    question = {"query": "Che tempo fa?", "now": ago(), "reinforce": False, **U}
    reply = await bot.query("context", **question)
    assert [one["object"] for one in reply["facts"]] == ["Torino"]
    assert "Torino" in reply["context"]
    (work,) = await bot.facts(predicate="works_at")
    verified = await bot.request("command.verify", U | {"fact_id": work["id"], "verified": True})
    assert verified.body["ok"]
    reply = await bot.query("context", **question)
    assert {one["object"] for one in reply["facts"]} == {"Torino", "Lavazza"}
    reply = await bot.query("context", **question | {"query": "Cosa sai di Nora?"})
    assert {"Nora", "Lisbona"} <= {one["object"] for one in reply["facts"]}
    assert "Lisbona" in reply["context"]
    await bot.remember(
        *(
            msg(f"m-{n}", f"La mia amica Marta parla {language}.", timestamp=ago(hours=n + 2))
            for n, language in enumerate(languages)
        ),
    )
    reply = await bot.query("context", **question | {"query": "Cosa sai di Marta?"})
    assert len(reply["facts"]) == 10, "of many"


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


async def test_a_card_shows_the_past_when_that_is_asked_for(bot: Bot) -> None:
    await bot.remember(
        msg("p-1", "Mia sorella Nora vive a Lisbona.", timestamp=ago(days=5)),
        msg("p-2", "Nora vive a Porto.", timestamp=ago(days=1)),
    )
    for request, cities in (
        ({}, ["Porto"]),
        ({"as_of": ago(days=3)}, ["Lisbona"]),
        ({"history": True}, ["Lisbona", "Porto"]),
        ({"min_confidence": 2}, []),
    ):
        reply = await bot.query("facts", **U, entity="Nora", predicate="lives_in", **request)
        assert sorted(one["object"] for one in reply["facts"]) == cities
        assert reply["entity"]["name"] == "Nora"


async def test_entities_are_listed_page_by_page_with_what_they_are(bot: Bot) -> None:
    await bot.remember(*LIFE, msg("l-5", "Ho un cane, si chiama Max.", timestamp=ago(days=1)))
    page = await bot.query("entities", limit=2, **U)
    rest = await bot.query("entities", limit=200, cursor=page["next"], **U)
    cards = {one["name"]: one for one in page["entities"] + rest["entities"]}
    assert (page["total"], rest["total"], rest["next"]) == (len(cards), len(cards), None)
    assert [one["name"] for one in page["entities"]] == ["Nora", "Lisbona"]
    assert {name: (one["kind"], one["ties"]) for name, one in cards.items()} == {
        "Nora": ("person", ["has_sibling"]),
        "Lisbona": ("place", []),
        "Lucio": ("person", []),
        "Torino": ("place", ["lives_in"]),
        "Cascais": ("place", []),
        "Max": ("animal", ["has_pet"]),
    }
    assert cards["Nora"]["mentions"] == 3
    home = cards["Nora"]["facts"][0]
    assert (home["predicate"], home["object"], home["message_ids"]) == ("lives_in", "Lisbona", ["l-1", "l-3"])
    assert cards["Nora"]["first_seen"] < cards["Nora"]["last_seen"]
    animals = await bot.query("entities", kind="animal", **U)
    assert [one["name"] for one in animals["entities"]] == ["Max"]
    nobody = await bot.query("entities", user_id="u-2")
    assert nobody == {"entities": [], "next": None, "total": 0}


async def test_the_graph_tells_what_is_around_an_entity_and_what_connects_two(
    bot: Bot, client: Client
) -> None:
    await bot.remember(*LIFE)

    async def graph(**fields: object) -> Json:
        return await bot.query("graph", **U | {"min_confidence": 1, **fields})

    async def names(**fields: object) -> dict[str, int]:
        return {one["name"]: one["distance"] for one in (await graph(**fields))["nodes"]}

    around = {"Nora": 0, "Lisbona": 1, "Lucio": 1, "user": 1}
    await wait_for(lambda: names(entity="nora", depth=1), lambda found: found == around)
    assert await names(entity="NORA") == around | {"Cascais": 2}, "and not Torino, past the user"
    assert await names(entity="user", depth=1) == {"user": 0, "Nora": 1, "Torino": 1}
    sure = await graph(entity="Nora", min_confidence=2)
    (edge,) = sure["edges"]
    (home,) = await bot.facts(entity="Nora", predicate="lives_in")
    assert edge == {name: home[name] for name in edge}
    between = await graph(**{"from": "torino", "to": "Cascais", "depth": 3})
    assert between["paths"] == between["edges"] == [], "four facts away"
    between = await graph(**{"from": "user", "to": "cascais", "depth": 3})
    (path,) = between["paths"]
    assert (path["nodes"], path["strength"]) == (["user", "Nora", "Lucio", "Cascais"], 0.001)
    assert path["facts"] == [one["id"] for one in between["edges"]]
    empty = {"nodes": [], "edges": [], "paths": [], "truncated": False, "degraded": []}
    assert await graph(entity="Zenobia") == await graph(**{"from": "Nora", "to": "Zenobia"}) == empty
    assert await graph(user_id="u-2", entity="Nora") == empty
    stranger = Bot(client, new_tenant())
    assert await stranger.query("graph", entity="Nora", min_confidence=0, **U) == empty
    assert (await stranger.query("entities", **U))["entities"] == []
