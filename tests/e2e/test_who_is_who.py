"""Who is meant by a name, over the wire: from the messages, and by the user's word."""

import asyncio

import pytest
from tests.fixtures.wire import Bot, Json, Reply, at, said

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
    "name",
    [
        'Ca\' "Zorzi" {x}',
        "`}) MATCH (n) DETACH DELETE n //",
        "'; drop table facts; --",
        "🦊",
        "a\x1b[2J\nb",
        "x" * 256,
    ],
)
async def test_odd_names_are_nobodys_and_do_no_harm(bot: Bot, name: str) -> None:
    await tell(bot, "My friend Nicola lives in Bari.")
    before = await known(bot)
    reply = await bot.request("command.identify", U | {"names": [name, "Nicola"]})
    assert reply.error == ("not_found", "names")
    assert reply.body["error"]["message"].isprintable()
    assert await known(bot) == before


async def test_who_is_unknown_is_named_with_who_may_be_meant(bot: Bot) -> None:
    await tell(bot, "My friend Nicola lives in Bari.", "Nico is a nurse.")
    before = await known(bot)
    for names, told in {
        ("Nico", "Nicloa"): ['"Nicloa": did you mean "Nicola"?'],
        ("Bari", "Nicola"): ['no person or animal is known by "Bari"'],
        ("Nikola", "Xanthippe"): ['by "Nikola": did you mean "Nicola"?', 'by "Xanthippe"'],
    }.items():
        for same in (True, False, None):
            request = {"names": names, "same": same, "request_id": "r-1"}
            reply = await bot.request("command.identify", U | request)
            assert reply.error == ("not_found", "names")
            assert all(one in reply.body["error"]["message"] for one in told), reply.body
    assert await known(bot) == before
    reply = await bot.request("command.identify", U | {"names": ["Nico", "Nicola"], "request_id": "r-1"})
    assert reply.body == {"ok": True, "same": True}, "what was refused has not counted"


async def test_a_repeated_request_tells_what_holds_by_then(bot: Bot) -> None:
    await tell(bot, "My friend Nicola lives in Bari.", "Nico is a nurse.")

    async def identify(request_id: str, **fields: object) -> Reply:
        request = {"names": ["Nico", "Nicola"], "request_id": request_id} | fields
        return await bot.request("command.identify", U | request)

    replies = await asyncio.gather(*(identify("r-1") for _ in range(4)))
    assert [reply.body for reply in replies] == [{"ok": True, "same": True}] * 4
    assert (await identify("r-2", same=False)).body == {"ok": True, "same": False}
    assert (await identify("r-1")).body == {"ok": True, "same": False}
    assert ("Nico", "works_as", "nurse") in await known(bot)
    assert (await identify("r-2", same=True)).error == ("invalid_request", "request_id")


async def test_a_nickname_is_joined_to_its_name(bot: Bot) -> None:
    await tell(bot, "Seun lives in Lagos.", "My friend Oluwaseun is a doctor.")
    before = await known(bot)
    assert ("Oluwaseun", "works_as", "doctor") in before
    assert ("Seun", "lives_in", "Lagos") not in before
    names = {"names": ["Seun", "Oluwaseun"]}
    assert (await bot.request("command.identify", U | names)).body["ok"]
    assert await known(bot) == {*before, ("Oluwaseun", "lives_in", "Lagos")}
    await bot.remember(said("m-9", "Seun plays chess."))
    assert ("Oluwaseun", "plays", "chess") in await known(bot)
    assert (await bot.request("command.identify", U | names | {"same": None})).body["ok"]
    assert await known(bot) & {("Oluwaseun", "lives_in", "Lagos"), ("Seun", "lives_in", "Lagos")} == set()


async def test_what_was_said_of_a_stranger_counts_once_the_user_knows_them(bot: Bot) -> None:
    await tell(bot, "Biscuit lives in Turin.", "Messi lives in Miami.")
    assert await known(bot) == set()
    await bot.remember(said("m-9", "My dog Biscuit loves carrots."))
    assert await known(bot, predicate="lives_in") == {("Biscuit", "lives_in", "Turin")}
