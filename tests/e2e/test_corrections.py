"""Who puts right what they said is heard: the correction comes before what it corrects, and both say so."""

import json
from itertools import permutations

import pytest
from tests.fixtures.running import Running
from tests.fixtures.wire import Bot, Json, at, ids, said

pytestmark = pytest.mark.e2e

VISIT = said("m-1", "La visita oculistica di Ada è il 17 giugno, portare gli occhiali.", timestamp=at(days=9))
RIGHT = said("m-2", "Scusa, il 19 non il 17!", timestamp=at(days=9, minutes=-2))
OTHERS = [
    said(f"o-{n}", text, timestamp=at(days=8 - n), conversation_id="c-2")
    for n, text in enumerate(
        ("Ada porta gli occhiali da un anno.", "Abbiamo comprato un divano verde.", "Ieri pioveva forte.")
    )
]
ASKED = "Quando è la visita oculistica di Ada?"


async def shown(bot: Bot, query: str = ASKED, **fields: object) -> list[Json]:
    memories = (await bot.recall(query, reinforce=False, **fields))["memories"]
    assert isinstance(memories, list)
    return memories


@pytest.mark.parametrize("order", [(VISIT, RIGHT), (RIGHT, VISIT)])
async def test_a_correction_comes_before_what_it_corrects(bot: Bot, order: tuple[Json, ...]) -> None:
    await bot.remember(*OTHERS)
    for message in order:
        await bot.remember(message)
    found = await shown(bot)
    assert ids(found)[:2] == ["m-2", "m-1"]
    by_id = {one["message_ids"][0]: one for one in found}
    right, stale = by_id["m-2"], by_id["m-1"]
    assert (right["corrects"], right["corrected_by"]) == ([stale["id"]], [])
    assert (stale["corrects"], stale["corrected_by"]) == ([], [right["id"]])
    scores = [one["score"] for one in found]
    assert scores == sorted(scores, reverse=True)
    assert len(await shown(bot, limit=1)) == 1
    assert ids(await shown(bot, limit=1)) == ["m-2"]
    context = await bot.ask("context", user_id="u-1", query=ASKED, now=at(), reinforce=False)
    assert context["context"].index("il 19 non il 17") >= 0
    timeline = await bot.ask("timeline", user_id="u-1", start=at(days=10), end=at(days=9, minutes=-30))
    assert [len(one["corrected_by"]) for one in timeline["memories"]] == [1, 0]


async def test_a_correction_that_a_filter_leaves_out_stays_out(bot: Bot) -> None:
    await bot.remember(VISIT, RIGHT | {"tags": ["other"]}, *OTHERS)
    assert "m-2" in ids(await shown(bot))
    until = {"end": at(days=9, minutes=-1)}
    assert ids(await shown(bot, filters=until)) == ["m-1"]


async def test_once_the_correction_is_forgotten_nothing_was_corrected(bot: Bot) -> None:
    await bot.remember(VISIT, RIGHT)
    assert (await bot.request("command.forget", {"user_id": "u-1", "message_id": "m-2"})).body["ok"]
    (visit,) = await shown(bot)
    assert visit["corrected_by"] == []


async def test_a_correction_that_states_the_fact_supersedes_it(bot: Bot) -> None:
    await bot.remember(said("m-1", "Abito a Nuoro.", timestamp=at(days=2)))
    await bot.remember(
        said("m-2", "Scusa, volevo dire che abito a Olbia, non a Nuoro.", timestamp=at(days=2, minutes=-1))
    )
    (home,) = (await bot.ask("facts", user_id="u-1", predicate="lives_in"))["facts"]
    assert (home["object"], home["disputed"]) == ("Olbia", False)
    found = {one["message_ids"][0]: one for one in await shown(bot, "Dove abito?")}
    assert found["m-1"]["corrected_by"] == [found["m-2"]["id"]]


async def known(bot: Bot, predicate: str, **fields: object) -> list[Json]:
    facts = (await bot.ask("facts", user_id="u-1", predicate=predicate, **fields))["facts"]
    assert isinstance(facts, list)
    return facts


def told(*texts: str) -> list[Json]:
    return [said(f"m-{n}", text, timestamp=at(days=2, minutes=-n)) for n, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("wrong", "right", "predicate", "value"),
    [
        ("Vivo a Foggia.", "Scusa, volevo dire Barletta", "lives_in", "Barletta"),
        ("Il mio compleanno è il 12 marzo.", "Scusa, il 14 marzo, non il 12", "birthday", "14 marzo"),
        ("Ho 34 anni.", "Scusa, 35!", "age", "35"),
        ("Ho una gatta che si chiama Perla.", "mi correggo, si chiama Stella", "has_pet", "Stella"),
        ("I have a parrot called Kiwi.", "Sorry, I meant Coco", "has_pet", "Coco"),
        ("Sono allergico alle noci.", "Scusa, alle nocciole, non alle noci", "allergic_to", "nocciole"),
        ("I'm allergic to walnuts.", "Sorry, hazelnuts, not walnuts.", "allergic_to", "hazelnuts"),
        (
            "Lavoro come geometra.",
            "Scusa, lavoro come architetto, non come geometra.",
            "works_as",
            "architetto",
        ),
        (
            "I work as a surveyor.",
            "Sorry, I work as an architect, not as a surveyor.",
            "works_as",
            "architect",
        ),
    ],
)
async def test_a_correction_puts_the_fact_right(
    bot: Bot, wrong: str, right: str, predicate: str, value: str
) -> None:
    for message in told(wrong, right):
        await bot.remember(message)
    (fact,) = await known(bot, predicate)
    assert (fact["object"], fact["disputed"], fact["message_ids"]) == (value, False, ["m-1"])
    assert len(await known(bot, predicate, history=True)) == 2


async def test_facts_that_were_put_right_are_the_same_in_any_order_of_arrival(
    bot: Bot, running: Running
) -> None:
    story = told("Vivo a Foggia con mia sorella Ines.", "Scusa, volevo dire Barletta", "no anzi, Bisceglie")
    tenant, found = bot.tenant, []
    for place, order in enumerate(permutations(story)):
        bot.tenant = f"{tenant}-{place}"
        for message in order:
            await bot.remember(message)
    await running.everything_is_settled()
    for place, _ in enumerate(permutations(story)):
        bot.tenant = f"{tenant}-{place}"
        facts = await known(bot, "lives_in", history=True)
        found.append([(one["object"], one["valid_from"], one["valid_to"]) for one in facts])
        assert [one["object"] for one in await known(bot, "has_sibling")] == ["Ines"]
        assert [one["object"] for one in await known(bot, "lives_in")] == ["Bisceglie"]
    assert found == [found[0]] * len(found)


async def test_who_forgets_the_correction_or_what_it_corrects_leaves_the_other(
    bot: Bot, running: Running
) -> None:
    tenant = bot.tenant
    for message_id, left in (("m-1", ["Foggia"]), ("m-0", [])):
        bot.tenant = f"{tenant}-{message_id}"
        for message in told("Vivo a Foggia.", "Scusa, volevo dire Barletta"):
            await bot.remember(message)
        assert (await bot.request("command.forget", {"user_id": "u-1", "message_id": message_id})).body["ok"]
        await running.everything_is_settled()
        assert [one["object"] for one in await known(bot, "lives_in", history=True)] == left


async def test_a_correction_follows_when_what_it_corrects_says_something_else(
    bot: Bot, running: Running
) -> None:
    for message in told("Vivo a Foggia da tre anni.", "Scusa, volevo dire Barletta"):
        await bot.remember(message)
    assert [one["object"] for one in await known(bot, "lives_in")] == ["Barletta"]
    by_id = {one["message_ids"][0]: one["id"] for one in await shown(bot, "Vivo a Foggia")}
    wish = {"user_id": "u-1", "memory_id": by_id["m-0"], "content": "A Foggia piove."}
    assert (await bot.request("command.correct", wish)).body["ok"]
    await running.everything_is_settled()
    assert await known(bot, "lives_in", history=True) == []


async def test_a_correction_that_does_not_say_what_was_wrong_leaves_the_facts(
    bot: Bot, running: Running
) -> None:
    for message in told("Mi chiamo Anna, vivo a Foggia e ho un figlio Luca.", "Scusa, volevo dire Marco"):
        await bot.remember(message)
    await running.everything_is_settled()
    for predicate, value in (("name", "Anna"), ("lives_in", "Foggia"), ("has_child", "Luca")):
        (fact,) = await known(bot, predicate, history=True)
        assert (fact["object"], fact["disputed"], fact["valid_to"]) == (value, False, None)


async def test_a_correction_that_is_none_any_more_leaves_the_facts(bot: Bot, running: Running) -> None:
    for message in told("Vivo a Foggia.", "Scusa, volevo dire Barletta"):
        await bot.remember(message)
    await running.everything_is_settled()
    by_id = {one["message_ids"][0]: one["id"] for one in await shown(bot, "Foggia o Barletta?")}
    wish = {"user_id": "u-1", "memory_id": by_id["m-1"], "content": "Oggi piove."}
    assert (await bot.request("command.correct", wish)).body["ok"]
    await running.everything_is_settled()
    (home,) = await known(bot, "lives_in", history=True)
    assert (home["object"], home["valid_to"]) == ("Foggia", None)


async def test_facts_of_a_correction_that_comes_along_are_told_of(bot: Bot, running: Running) -> None:
    for message in told("Vivo a Foggia da tre anni.", "Scusa, volevo dire Barletta"):
        await bot.remember(message)
    await running.everything_is_settled()
    by_id = {one["message_ids"][0]: one["id"] for one in await shown(bot, "Vivo a Foggia")}
    wish = {"user_id": "u-1", "memory_id": by_id["m-0"], "content": "Vivo a Foggia da due anni."}
    async with bot.hearing("facts.extracted") as extracted:
        assert (await bot.request("command.correct", wish)).body["ok"]
        heard = await extracted.take(2)
    assert {json.loads(one.data)["message_id"] for one in heard} == {"m-0", "m-1"}


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("The meeting is on Tuesday.", "I was wrong, the meeting is on Wednesday"),
        ("Lavoro come geometra.", "Scusa, lavoro come architetto, non come geometra."),
    ],
)
async def test_whole_sentences_that_put_right_are_linked(bot: Bot, wrong: str, right: str) -> None:
    await bot.remember(*told(wrong, right))
    found = {one["message_ids"][0]: one for one in await shown(bot, wrong)}
    assert found["m-0"]["corrected_by"] == [found["m-1"]["id"]]
