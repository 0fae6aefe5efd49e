"""A user's word on a fact, over the wire: it settles what messages dispute."""

import asyncio
import uuid

import pytest
from tests.fixtures.wire import Bot, Json, Reply, at, said

pytestmark = pytest.mark.e2e

U = {"user_id": "u-1"}
ODD = (
    'Ca\' "Zorzi" di {Mestre}',
    "`}) MATCH (n) DETACH DELETE n //",
    "'; delete from facts; --",
    "$tenant \\u0000 %s",
    "مدينة 🏙 \U0001d54f",
    "\U0001f600" * 256,
)


async def known(bot: Bot, **request: object) -> list[Json]:
    facts = (await bot.ask("facts", **U | request))["facts"]
    assert isinstance(facts, list)
    return facts


async def lives_in(bot: Bot, *cities: str) -> Json:
    """Tell where the user lives, and return what is known of it."""
    days = len(cities)
    await bot.remember(
        *(said(f"m-{n}", f"Abito a {city}.", timestamp=at(days=days - n)) for n, city in enumerate(cities))
    )
    (fact,) = await known(bot, predicate="lives_in")
    return fact


async def settle(bot: Bot, command: str, fact: Json | str, **fields: object) -> Reply:
    fact_id = fact if isinstance(fact, str) else fact["id"]
    return await bot.request(f"command.{command}", U | {"fact_id": fact_id} | fields)


async def test_what_is_confirmed_is_disputed_and_not_overturned(bot: Bot) -> None:
    torino = await lives_in(bot, "Torino")
    assert (await settle(bot, "verify", torino, verified=True)).body == {"ok": True, "verified": True}
    assert await known(bot) == [torino | {"verified": True}]
    later = "2030-01-01T00:00:00Z"
    await bot.remember(*(said(f"l-{n}", "Abito a Lecce.", timestamp=later) for n in range(3)))
    (fact,) = await known(bot, predicate="lives_in")
    assert (fact["object"], fact["verified"], fact["disputed"]) == ("Torino", True, True)
    assert (await settle(bot, "verify", torino, verified=False)).body == {"ok": True, "verified": False}
    await bot.remember(said("l-9", "Abito a Lecce.", timestamp="2030-01-02T00:00:00Z"))
    (fact,) = await known(bot, predicate="lives_in")
    assert (fact["object"], fact["verified"]) == ("Lecce", False)


async def test_a_confirmation_that_is_taken_back_counts_as_never_said(bot: Bot) -> None:
    await bot.remember(
        said("m-1", "I live in Rome.", timestamp="2026-01-01T12:00:00Z"),
        said("m-2", "I live in Oslo.", timestamp="2026-02-01T12:00:00Z"),
        said("m-3", "I'm allergic to nuts.", timestamp="2026-01-01T12:00:00Z"),
    )
    before = await known(bot, history=True)
    rome = next(one for one in before if one["object"] == "Rome")
    nuts = next(one for one in before if one["predicate"] == "allergic_to")
    await settle(bot, "verify", rome, verified=True)
    await settle(bot, "verify", nuts, verified=True)
    assert [one["object"] for one in await known(bot, predicate="lives_in")] == ["Rome"]
    await settle(bot, "verify", rome, verified=False)
    await settle(bot, "verify", nuts, verified=False)
    assert await known(bot, history=True) == before
    await settle(bot, "verify", rome, verified=True)
    await settle(bot, "verify", nuts, verified=True)
    await bot.remember(
        said("m-4", "I moved to Bari.", timestamp="2030-01-01T12:00:00Z"),
        said("m-5", "I'm not allergic to nuts.", timestamp="2030-01-01T12:00:00Z"),
    )
    stands = {one["object"]: one["disputed"] for one in await known(bot)}
    assert stands == {"Rome": True, "nuts": True}
    await settle(bot, "verify", rome, verified=False)
    await settle(bot, "verify", nuts, verified=False)
    assert [(one["object"], one["disputed"]) for one in await known(bot)] == [("Bari", False)]


async def test_a_correction_that_is_taken_back_leaves_what_was(bot: Bot) -> None:
    torino = await lives_in(bot, "Torino")
    trino = (await settle(bot, "correct", torino, object="Trino", request_id="r-1")).body["fact_id"]
    for _ in range(2):
        reply = await settle(bot, "verify", trino, verified=False, request_id="r-2")
        assert reply.body == {"ok": True, "verified": False}
        assert await known(bot, history=True, min_confidence=0) == [torino]
    assert (await settle(bot, "verify", trino, verified=False)).error == ("not_found", "fact_id")
    again = await settle(bot, "correct", torino, object="Trino", request_id="r-1")
    assert again.body == {"ok": True, "memory_id": None, "fact_id": None}
    assert await known(bot) == [torino]


async def test_what_is_corrected_never_held_whatever_comes_late(bot: Bot) -> None:
    await bot.remember(said("m-1", "I live in Rome.", timestamp="2026-01-01T12:00:00Z"))
    (rome,) = await known(bot)
    turin = (await settle(bot, "correct", rome, object="Turin")).body["fact_id"]
    await bot.remember(said("m-2", "I moved to Oslo.", timestamp="2026-02-01T12:00:00Z"))
    old = next(one for one in await known(bot, history=True) if one["object"] == "Rome")
    assert old["valid_from"] == old["valid_to"]
    assert [one["id"] for one in await known(bot, as_of="2026-01-15T00:00:00Z", min_confidence=0)] == [turin]
    await settle(bot, "verify", rome, verified=True)
    (stands,) = await known(bot)
    assert stands == rome | {"verified": True, "contradictions": 1}
    await settle(bot, "verify", rome, verified=False)
    (stands,) = await known(bot, min_confidence=0)
    assert (stands["id"], stands["verified"]) == (turin, True)
    await settle(bot, "verify", turin, verified=False)
    assert [one["object"] for one in await known(bot)] == ["Oslo"]


async def test_what_is_corrected_stands_and_the_old_is_history(bot: Bot) -> None:
    torino = await lives_in(bot, "Torino", "Torino")
    reply = (await settle(bot, "correct", torino, object="Trino")).body
    (trino,) = await known(bot, predicate="lives_in")
    assert reply == {"ok": True, "memory_id": None, "fact_id": trino["id"]}
    assert (trino["object"], trino["verified"], trino["disputed"]) == ("Trino", True, False)
    old = next(one for one in await known(bot, history=True) if one["id"] == torino["id"])
    assert (old["object"], old["confidence"], old["valid_to"]) == ("Torino", 2, old["valid_from"])
    assert "Trino" in (await bot.ask("context", query="Dove abito?", **U))["context"]
    assert [one["object"] for one in (await bot.recall("Che fai?"))["facts"]] == ["Trino"]


async def test_a_repeated_request_changes_nothing_and_answers_the_same(bot: Bot) -> None:
    torino = await lives_in(bot, "Torino")
    fields = {"object": "Trino", "request_id": "r-1"}
    replies = await asyncio.gather(*(settle(bot, "correct", torino, **fields) for _ in range(4)))
    (trino,) = await known(bot)
    assert [reply.body["fact_id"] for reply in replies] == [trino["id"]] * 4
    assert len(await known(bot, history=True)) == 2
    confirmed = await settle(bot, "verify", trino, verified=True, request_id="r-1")
    assert confirmed.body["ok"], "another command is another request"
    other = await settle(bot, "correct", torino, object="Lecce", request_id="r-1")
    assert other.error == ("invalid_request", "request_id")


async def test_without_request_id_each_is_a_new_one(bot: Bot) -> None:
    torino = await lives_in(bot, "Torino")
    await settle(bot, "correct", torino, object="Trino")
    again = await settle(bot, "correct", torino, object="Trino")
    assert again.error == ("not_found", "fact_id")
    (trino,) = await known(bot)
    assert "superseded or put right" in again.body["error"]["message"]
    assert trino["id"] in again.body["error"]["message"]


async def test_a_correction_by_mistake_is_taken_back(bot: Bot) -> None:
    torino = await lives_in(bot, "Torino", "Torino")
    trino = (await settle(bot, "correct", torino, object="Trino")).body["fact_id"]
    assert (await settle(bot, "correct", trino, object="Torino")).body["fact_id"] == torino["id"]
    assert await known(bot) == [torino | {"verified": True}]
    assert (await settle(bot, "correct", torino, object="Trino")).body["fact_id"] == trino
    assert (await settle(bot, "verify", torino, verified=True)).body["ok"], "so is by confirming it"
    assert await known(bot) == [torino | {"verified": True}]
    history = await known(bot, history=True, min_confidence=0)
    assert {one["id"] for one in history} == {torino["id"], trino}


async def test_what_was_said_since_a_wrong_correction_counts_when_it_is_taken_back(bot: Bot) -> None:
    torino = await lives_in(bot, "Torino", "Torino")
    trino = (await settle(bot, "correct", torino, object="Trino")).body["fact_id"]
    later = "2030-01-01T00:00:00Z"
    await bot.remember(said("l-1", "Abito a Torino.", timestamp=later))
    disputed = next(one for one in await known(bot, history=True) if one["message_ids"] == ["l-1"])
    assert (disputed["object"], disputed["disputed"]) == ("Torino", True)
    await bot.remember(said("l-2", "Abito a Lecce.", timestamp=later))
    assert (await settle(bot, "correct", trino, object="Torino")).body["fact_id"] == torino["id"]
    (fact,) = await known(bot)
    assert fact == torino | {
        "verified": True,
        "confidence": 3,
        "message_ids": ["m-0", "m-1", "l-1"],
        "last_reinforced": later,
    }
    history = {one["object"]: one for one in await known(bot, history=True, min_confidence=0)}
    assert set(history) == {"Torino", "Trino", "Lecce"}
    assert len(await known(bot, history=True, min_confidence=0)) == 3, "of each value there is one"
    card = await bot.ask("facts", **U, entity="Torino")
    assert [one["id"] for one in card["facts"]] == [torino["id"]]


async def test_every_id_that_is_told_is_one_that_can_be_named(bot: Bot) -> None:
    torino = await lives_in(bot, "Torino")
    await settle(bot, "verify", torino, verified=True)
    await bot.remember(
        said("e-1", "Abito a Torino.", timestamp=at(days=30)),
        said("e-2", "Abito a Lecce.", timestamp=at(days=20)),
    )
    told = await known(bot, history=True) + await known(bot, as_of=at(days=25))
    assert torino["id"] in {one["id"] for one in told if one["valid_to"]}, "the first period has its number"
    stands = next(one for one in told if one["valid_to"] is None)
    for one in told:
        reply = await settle(bot, "correct", one, object="Bari")
        if one["object"] == "Lecce":
            assert reply.error == ("not_found", "fact_id")
            assert stands["id"] in reply.body["error"]["message"]
        else:
            (bari,) = await known(bot)
            assert (bari["id"], bari["object"]) == (reply.body["fact_id"], "Bari")
            assert (await settle(bot, "correct", bari, object="Torino")).body["fact_id"] == stands["id"]
        assert await known(bot) == [stands]
    for one in told:
        assert (await settle(bot, "verify", one, verified=True)).body["ok"]
        assert [fact["object"] for fact in await known(bot)] == [one["object"]]


async def test_a_fact_of_nobody_and_of_somebody_else_is_not_found(bot: Bot) -> None:
    torino = await lives_in(bot, "Torino")
    for fields in ({"fact_id": str(uuid.uuid4())}, {"user_id": "u-2"}):
        for command, word in (("verify", {"verified": True}), ("correct", {"object": "Lecce"})):
            reply = await settle(bot, command, torino, **word | fields)
            assert reply.error == ("not_found", "fact_id")
    bot.tenant = f"{bot.tenant}-b"
    assert (await settle(bot, "verify", torino, verified=True)).error == ("not_found", "fact_id")
    bot.tenant = bot.tenant.removesuffix("-b")
    assert await known(bot) == [torino]


@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
async def test_an_odd_value_is_a_value_and_nothing_else(bot: Bot, value: str) -> None:
    torino = await lives_in(bot, "Torino")
    await settle(bot, "correct", torino, object=value)
    (fact,) = await known(bot)
    assert (fact["object"], fact["verified"]) == (value, True)
    await bot.remember(said("m-9", "Mia sorella Nora vive a Lisbona."))
    assert len(await known(bot)) == 3
    assert (await settle(bot, "correct", fact, object="Torino")).body["ok"]
    assert "Torino" in {one["object"] for one in await known(bot)}


@pytest.mark.parametrize("value", ["", "  ", "\x07", "\u0301", "a\0", "x" * 257, "\ufdfa" * 256, 5, None])
async def test_what_is_no_value_is_refused(bot: Bot, value: object) -> None:
    reply = await bot.request("command.correct", U | {"fact_id": str(uuid.uuid4()), "object": value})
    assert reply.error == ("invalid_request", "object")


async def test_control_characters_are_no_part_of_a_value(bot: Bot) -> None:
    torino = await lives_in(bot, "Torino")
    await settle(bot, "correct", torino, object="San\tDonà\x1b[2J\ndi Piave ")
    assert [one["object"] for one in await known(bot)] == ["San Donà [2J di Piave"]


async def test_what_was_said_before_a_word_and_comes_after_it_takes_its_place(bot: Bot) -> None:
    torino = await lives_in(bot, "Torino")
    await settle(bot, "correct", torino, object="Trino")
    await bot.remember(said("m-late", "Abito a Torino.", timestamp=at(days=3)))
    (fact,) = await known(bot)
    assert (fact["object"], fact["verified"]) == ("Trino", True)
