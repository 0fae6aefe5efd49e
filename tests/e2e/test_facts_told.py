"""What is told of facts over the wire: by the event of a message, beside a recall, and about one entity."""

import json

import pytest
from tests.fixtures.wire import Bot, Json, at, said

pytestmark = pytest.mark.e2e

U = {"user_id": "u-1"}
MAY_CHANGE = {
    "at": "",
    "contradictions": 0,
}  # between two deliveries others contradict what a message supports


async def known(bot: Bot, **request: object) -> list[Json]:
    facts = (await bot.ask("facts", **U | request))["facts"]
    assert isinstance(facts, list)
    return facts


async def test_an_event_tells_what_a_message_did_and_tells_it_again(bot: Bot) -> None:
    async with bot.hearing("facts.extracted") as heard, bot.hearing("memory.created") as created:
        await bot.remember(said("m-1", "Abito a Torino.", timestamp=at(days=3)))
        await bot.remember(said("m-2", "Abito a Torino e ho un gatto, Pepe.", timestamp=at(days=2)))
        await bot.remember(said("m-3", "Abito a Lecce.", timestamp=at(days=1)))
        events = await heard.take(3)
        causes = await created.take(3)
        first, second, third = (json.loads(event.data) for event in events)
        ids = {one["object"]: one["id"] for one in await known(bot, history=True)}
        assert (first["new"], first["reinforced"]) == ([ids["Torino"]], [])
        assert second["reinforced"] == [ids["Torino"]]
        assert ids["Pepe"] in second["new"]
        assert (third["new"], third["superseded"], third["disputed"]) == ([ids["Lecce"]], [ids["Torino"]], [])
        for event in (first, second, third):
            assert set(event["fact_ids"]) == {*event["new"], *event["reinforced"]}
            assert event["facts"] == len(event["fact_ids"])
        for cause in causes:
            await bot.publish(cause.data, name="memory.created")
        again = await heard.take(3)
    told = [json.loads(event.data) | MAY_CHANGE for event in (*events, *again)]
    assert told[:3] == told[3:], "the ids of the events included"


async def test_since_when_is_told_by_the_calendar_of_the_user(bot: Bot) -> None:
    rome = {"timezone": "Europe/Rome", "language": "it"}
    await bot.remember(said("m-1", "Da marzo 2024 abito a Bitonto.", timestamp=at(days=3), **rome))
    context = await bot.ask("context", query="Dove abito?", now=at(), **U)
    assert "Vivi a Bitonto, da marzo 2024." in context["context"]


async def test_a_denial_disputes_what_is_known_and_states_nothing(bot: Bot) -> None:
    await bot.remember(
        *(said(f"a-{n}", "I'm allergic to nuts.", timestamp=at(days=9 - n)) for n in range(6)),
        said("p-1", "My dog Admiral snores.", timestamp=at(days=3)),
    )
    (nuts,) = await known(bot, predicate="allergic_to")
    async with bot.hearing("facts.extracted") as heard:
        await bot.remember(said("d-1", "I'm not allergic to nuts.", timestamp=at(days=2)))
        (event,) = await heard.take(1)
    assert json.loads(event.data)["disputed"] == [nuts["id"]]
    assert json.loads(event.data)["facts"] == 0
    (nuts,) = await known(bot, predicate="allergic_to")
    assert (nuts["disputed"], nuts["contradictions"], nuts["confidence"]) == (True, 1, 6)
    await bot.remember(
        said("d-2", "I'm not allergic to nuts at all, not allergic to cats either.", timestamp=at(days=1)),
        said("d-3", "Admiral died yesterday.", timestamp=at(days=1)),
        said("d-4", "I don't live in Rome, and I sold the Vespa.", timestamp=at(days=1)),
    )
    assert await known(bot) == []
    over = {one["object"]: one["valid_to"] is not None for one in await known(bot, history=True)}
    assert over == {"nuts": True, "Admiral": True}


async def test_times_that_are_told_are_in_the_zone_of_who_tells_them(bot: Bot) -> None:
    when = {"timestamp": "2026-02-15T12:00:00+01:00", "timezone": "Europe/Rome"}
    await bot.remember(said("m-1", "Abito a Torino dal 2021.", **when))
    # The zone is the user's last one; what is told last was over long ago, and what is to come is no fact.
    later = {"timestamp": "2026-02-16T12:00:00+01:00"}
    await bot.remember(
        said("m-2", "Ho vissuto a Roma dal 2010 al 2015.", **later),
        said("m-3", "Da domani lavoro alla Coop.", **later),
    )
    facts = {
        one["object"]: (one["valid_from"], one["valid_to"], one["first_seen"])
        for one in await known(bot, history=True)
    }
    assert facts == {
        "Torino": ("2020-12-31T23:00:00Z", None, "2026-02-15T11:00:00Z"),
        "Roma": ("2009-12-31T23:00:00Z", "2015-12-31T23:00:00Z", "2026-02-16T11:00:00Z"),
    }
    for instant, city in (("2012-06-01", ["Roma"]), ("2018-06-01", []), ("2022-06-01", ["Torino"])):
        held = await known(bot, predicate="lives_in", as_of=f"{instant}T00:00:00Z")
        assert [one["object"] for one in held] == city
    assert [one["object"] for one in await known(bot)] == ["Torino"]


async def test_facts_join_a_context_when_they_are_sure_verified_or_named(bot: Bot) -> None:
    await bot.remember(
        *(said(f"f-{n}", "Abito a Torino.", timestamp=at(days=9 - n)) for n in range(3)),
        said("n-1", "Mia sorella Nora vive a Lisbona.", timestamp=at(days=2)),
        said("v-1", "Lavoro alla Lavazza.", timestamp=at(days=2)),
    )
    question = {"query": "Che tempo fa?", "now": at(), "reinforce": False, **U}
    told = await bot.ask("context", **question)
    assert [one["object"] for one in told["facts"]] == ["Torino"]
    assert "Torino" in told["context"]
    (work,) = await known(bot, predicate="works_at")
    reply = await bot.request("command.verify", U | {"fact_id": work["id"], "verified": True})
    assert reply.body["ok"]
    assert {one["object"] for one in (await bot.ask("context", **question))["facts"]} == {"Torino", "Lavazza"}
    named = await bot.ask("context", **question | {"query": "Cosa sai di Nora?"})
    assert {"Nora", "Lisbona"} <= {one["object"] for one in named["facts"]}
    assert "Lisbona" in named["context"]


async def test_of_many_facts_a_context_shows_ten(bot: Bot) -> None:
    cities = (
        "Bari",
        "Lecce",
        "Trento",
        "Pisa",
        "Siena",
        "Asti",
        "Como",
        "Lodi",
        "Enna",
        "Nuoro",
        "Rieti",
        "Massa",
    )
    await bot.remember(
        *(
            said(f"m-{n}", f"La mia amica Nora ha visitato {city}.", timestamp=at(hours=n + 2))
            for n, city in enumerate(cities)
        )
    )
    assert len(await known(bot, entity="Nora")) > 10
    reply = await bot.ask("context", query="Cosa sai di Nora?", now=at(), reinforce=False, **U)
    assert len(reply["facts"]) == 10


LIFE = (
    said("l-1", "Mia sorella Nora vive a Lisbona.", timestamp=at(days=5)),
    said("l-2", "Nora è amica di Lucia.", timestamp=at(days=4)),
    said("l-3", "NORA vive a Lisbona. Io abito a Torino.", timestamp=at(days=3)),
    said("l-4", "Lucia vive a Cascais.", timestamp=at(days=2)),
)


@pytest.mark.parametrize("name", ["Nora", "  nora ", "NORA"])
async def test_a_card_tells_of_an_entity_by_any_spelling(bot: Bot, name: str) -> None:
    await bot.remember(*LIFE)
    reply = await bot.ask("facts", entity=name, **U)
    assert reply["degraded"] == []
    assert reply["entity"]["name"] == "Nora"
    assert reply["entity"]["mentions"] == 3
    assert {(one["subject"], one["predicate"], one["object"]) for one in reply["facts"]} == {
        ("user", "has_sibling", "Nora"),
        ("Nora", "lives_in", "Lisbona"),
        ("Nora", "friend", "Lucia"),
    }
    near = {(one["name"], one["distance"]): one["predicates"] for one in reply["entity"]["neighbours"]}
    assert near == {
        ("Lisbona", 1): ["lives_in"],
        ("Lucia", 1): ["friend"],
        ("user", 1): ["has_sibling"],
        ("Cascais", 2): ["lives_in"],  # and not Torino, to which only the user leads
    }


async def test_a_card_is_found_by_what_else_somebody_is_called(bot: Bot) -> None:
    await bot.remember(
        said("b-1", "My brother Marco lives in Turin.", timestamp=at(days=3)),
        said("b-2", "My brother works at Lavazza.", timestamp=at(days=2)),
    )
    by_name = await bot.ask("facts", entity="marco", **U)
    assert by_name["entity"]["name"] == "Marco"
    assert {one["object"] for one in by_name["facts"]} == {"Marco", "Turin", "Lavazza"}
    for alias in by_name["entity"]["aliases"]:
        assert await bot.ask("facts", entity=alias, **U) == by_name
    assert by_name["entity"]["aliases"] != []
    near = {one["name"] for one in by_name["entity"]["neighbours"]}
    assert near == {"Turin", "Lavazza", "user"}
    work = next(one for one in by_name["facts"] if one["object"] == "Lavazza")
    reply = await bot.request("command.correct", U | {"fact_id": work["id"], "object": "Illy"})
    assert reply.body["ok"]
    facts = await known(bot, entity="marco")
    assert {one["object"] for one in facts if one["predicate"] == "works_at"} == {"Illy"}


async def test_of_somebody_unknown_there_is_no_card(bot: Bot) -> None:
    await bot.remember(*LIFE)
    for name in ("Zenobia", "`}) RETURN n //", "'; drop table entities; --", "\U0001f600" * 256, "."):
        assert await bot.ask("facts", entity=name, **U) == {
            "facts": [],
            "entity": None,
            "degraded": [],
            "truncated": False,
        }
    for asked in ({}, {"entity": "user"}):
        assert (await bot.ask("facts", **U, **asked))["entity"] is None


async def test_a_card_asks_the_past_and_shows_what_was(bot: Bot) -> None:
    await bot.remember(
        said("p-1", "Mia sorella Nora vive a Lisbona.", timestamp=at(days=5)),
        said("p-2", "Nora vive a Porto.", timestamp=at(days=1)),
    )
    question = U | {"entity": "Nora", "predicate": "lives_in"}
    for asked, cities in (
        ({}, ["Porto"]),
        ({"as_of": at(days=3)}, ["Lisbona"]),
        ({"history": True}, ["Lisbona", "Porto"]),
        ({"min_confidence": 2}, []),
    ):
        reply = await bot.ask("facts", **question, **asked)
        assert sorted(one["object"] for one in reply["facts"]) == cities
        assert reply["entity"]["name"] == "Nora"


async def test_a_card_shows_twenty_neighbours_at_most(bot: Bot) -> None:
    names = [
        f"{first}{last}"
        for first in ("Al", "Be", "Ce", "Do", "El")
        for last in ("ina", "tta", "lia", "nna", "ssa")
    ]
    await bot.remember(*(said(f"m-{n}", f"Nora è amica di {name}.") for n, name in enumerate(names)))
    neighbours = (await bot.ask("facts", entity="Nora", **U))["entity"]["neighbours"]
    assert len(neighbours) == 20
