"""Who is meant by a name, over the wire: from the messages, and by the user's word."""

import pytest
from tests.fixtures.wire import Bot, Json, at, said

pytestmark = pytest.mark.e2e

U = {"user_id": "u-1"}


async def known(bot: Bot, **request: object) -> set[tuple[object, ...]]:
    facts: list[Json] = (await bot.ask("facts", **U | request))["facts"]
    return {(one["subject"], one["predicate"], one["object"]) for one in facts}


async def tell(bot: Bot, *messages: str) -> None:
    await bot.remember(*(said(f"m-{n}", text, timestamp=at(days=9 - n)) for n, text in enumerate(messages)))


async def test_my_brother_marco_and_marco_r_are_one(bot: Bot) -> None:
    await tell(
        bot, "My brother lives in Turin.", "I had lunch with my brother Marco.", "Marco R. plays the cello."
    )
    assert {("Marco", "lives_in", "Turin"), ("Marco", "plays", "cello")} <= await known(bot)
    assert (
        await known(bot, entity="brother")
        == await known(bot, entity="marco r.")
        == await known(bot, entity="Marco")
    )


async def test_a_brother_and_a_colleague_of_one_name_live_in_two_places(bot: Bot) -> None:
    await tell(bot, "My brother Marco lives in Turin.", "My colleague Marco lives in Bari.")
    assert {
        ("Marco (brother)", "lives_in", "Turin"),
        ("Marco (colleague)", "lives_in", "Bari"),
    } <= await known(bot, entity="marco")


async def test_the_users_word_says_who_is_who_and_can_be_taken_back(bot: Bot) -> None:
    await tell(bot, "My friend Nicola lives in Bari.", "Nico is a nurse.")
    names = {"names": ["nico", "Nicola"]}
    for _ in range(2):
        assert (await bot.request("command.identify", U | names)).body == {"ok": True, "same": True}
        assert ("Nicola", "works_as", "nurse") in await known(bot)
    assert (await bot.request("command.identify", U | names | {"same": None})).body == {
        "ok": True,
        "same": None,
    }
    assert ("Nico", "works_as", "nurse") in await known(bot)


@pytest.mark.parametrize(
    "names", [["Nico"], ["Nico", "NICO"], ["Nico", ""], ["", ""], "Nico", ["a", "b", "c"], ["Nico", 1], None]
)
async def test_names_that_are_not_two_are_refused(bot: Bot, names: object) -> None:
    reply = await bot.request("command.identify", U | {"names": names})
    assert reply.body["error"]["code"] == "invalid_request"
    assert str(reply.body["error"]["field"]).startswith("names")


@pytest.mark.parametrize(
    "name", ['Ca\' "Zorzi" {x}', "`}) MATCH (n) DETACH DELETE n //", "'; drop table facts; --", "🦊"]
)
async def test_odd_names_do_no_harm(bot: Bot, name: str) -> None:
    await tell(bot, "My friend Nicola lives in Bari.")
    before = await known(bot)
    assert (await bot.request("command.identify", U | {"names": [name, "Zeno"]})).body == {
        "ok": True,
        "same": True,
    }
    assert await known(bot) == before


async def test_what_was_said_of_a_stranger_counts_once_the_user_knows_them(bot: Bot) -> None:
    await tell(bot, "Biscuit lives in Turin.", "Messi lives in Miami.")
    assert await known(bot) == set()
    await bot.remember(said("m-9", "My dog Biscuit loves carrots."))
    assert await known(bot, predicate="lives_in") == {("Biscuit", "lives_in", "Turin")}
