"""Facts that a bot's own language model has read: evidence of their messages, and erased with them."""

import asyncio

from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json, Reply, ago, msg

from ricordo.messages.ids import memory_id
from ricordo_services.app.jobs import run_backfill
from ricordo_services.job_progress import BackfillOrder

U = {"user_id": "u-1"}
TALK = "ugh the new place in fitzroy is freezing but zara's teaching me the ukulele so"
CITY = {"subject": "user", "predicate": "lives_in", "object": "Fitzroy"}
UKULELE = {"subject": "user", "predicate": "plays", "object": "ukulele"}


async def hand_in(bot: Bot, *facts: Json, **fields: object) -> Reply:
    return await bot.request("command.assert", U | {"facts": list(facts)} | fields)


def said(fact: Json, message_id: str = "m-1", **fields: object) -> Json:
    return fact | {"message_id": message_id} | fields


async def known(bot: Bot, **request: object) -> set[tuple[object, object]]:
    return {(one["predicate"], one["object"]) for one in await bot.facts(**request)}


async def test_facts_are_evidence_of_their_message_and_stay_when_it_is_read_again(
    bot: Bot, system: System
) -> None:
    await bot.remember(msg("m-1", TALK, timestamp=ago(days=1)))
    read = await known(bot)
    reply = (await hand_in(bot, said(CITY), said(UKULELE))).body
    assert [one["accepted"] for one in reply["facts"]] == [True, True]
    facts = {one["id"]: one for one in await bot.facts()}
    city, ukulele = (facts[one["fact_id"]] for one in reply["facts"])
    assert (city["object"], city["confidence"], city["message_ids"]) == ("fitzroy", 1, ["m-1"])
    assert (await hand_in(bot, said(CITY), said(UKULELE))).body == reply, "what is repeated counts once"
    assert {one["id"] for one in await bot.facts()} == facts.keys()
    await run_backfill(system.settings, BackfillOrder(tenant=bot.tenant), lambda _: None)
    await system.wait_until_idle()
    assert {city["id"], ukulele["id"]} <= {one["id"] for one in await bot.facts()}
    assert (await bot.request("command.forget", U | {"message_id": "m-1"})).body["ok"]
    assert (await known(bot, history=True), read - await known(bot)) == (set(), read)


async def test_what_cannot_be_right_or_the_message_does_not_support_is_refused_with_a_reason(
    bot: Bot,
) -> None:
    await bot.remember(
        msg("m-1", TALK),
        msg("m-2", TALK, user_id="u-2"),
        msg("q-1", "Should I live in Oslo?"),
        msg("a-1", "I live in Oslo.", role="assistant"),
    )
    await bot.publish(msg("h-1", TALK, memorize=False))
    await bot.wait_for_state("h-1", "remembered")
    for fact, reason in (
        (said(UKULELE | {"object": "violin"}), "no sentence of the message"),
        (said(UKULELE | {"subject": "Beatrice"}), "the subject"),
        (said(UKULELE | {"certainty": 0.2}), "certainty"),
        (said(CITY, "q-1", object="Oslo"), "asks, wishes, imagines"),
        (said(CITY, "a-1", object="Oslo"), "not the user's own"),
    ):
        (view,) = (await hand_in(bot, fact)).body["facts"]
        assert (view["accepted"], view["fact_id"], reason in view["reason"]) == (False, None, True), view
    for facts, error in (
        ([said(UKULELE, "h-1")], ("invalid_request", "facts.0.message_id")),
        ([said(UKULELE, "m-2")], ("not_found", "facts.0.message_id")),
        ([], ("invalid_request", "facts")),
        ([UKULELE | {"predicate": "strums"}], ("invalid_request", "facts[0].predicate")),
    ):
        assert (await hand_in(bot, *facts)).error == error


async def test_the_bots_own_word_counts_once_and_is_erased_with_the_user(bot: Bot) -> None:
    await bot.remember(msg("m-1", "Hello there!"))
    for city in ("Leeds", "Leeds", "York"):
        (view,) = (await hand_in(bot, CITY | {"object": city})).body["facts"]
        (fact,) = await bot.facts(predicate="lives_in")
        assert (fact["id"], fact["object"], fact["confidence"]) == (view["fact_id"], city, 1)
        assert fact["message_ids"] == []
    once = await hand_in(bot, CITY | {"object": "Hull"}, request_id="r-1")
    await hand_in(bot, CITY | {"object": "York"})
    assert (await hand_in(bot, CITY | {"object": "Hull"}, request_id="r-1")).body["ok"]
    assert (await hand_in(bot, UKULELE, request_id="r-1")).error == ("invalid_request", "request_id")
    assert once.body["ok"]
    assert {one["object"] for one in await bot.facts(predicate="lives_in")} == {"York"}
    assert (await bot.request("command.forget", U | {"message_id": "m-1"})).body["ok"]
    assert await known(bot) == {("lives_in", "York")}
    assert (await bot.request("command.forget", U)).body["ok"]
    assert await known(bot, history=True) == set()


async def test_asserted_facts_are_corrected_confirmed_and_rejected_like_any_other(bot: Bot) -> None:
    await bot.remember(msg("m-1", TALK, timestamp=ago(days=1)))
    she = said({"subject": "Zara", "predicate": "skilled_in", "object": "ukulele"})
    (city, ukulele, hers) = (await hand_in(bot, said(CITY), said(UKULELE), she)).body["facts"]
    assert hers["accepted"], "names are typed in lower case"
    corrected = await bot.request("command.correct", U | {"fact_id": city["fact_id"], "object": "Carlton"})
    assert corrected.body["ok"]
    assert ("lives_in", "Carlton") in await known(bot)
    assert (await bot.request("command.reject", U | {"fact_id": ukulele["fact_id"]})).body["ok"]
    (view,) = (await hand_in(bot, said(UKULELE))).body["facts"]
    assert view == {"accepted": False, "fact_id": None, "reason": "the user has rejected it"}
    assert ("plays", "ukulele") not in await known(bot, history=True)


async def test_assertions_go_with_the_words_that_carried_them(bot: Bot, system: System) -> None:
    await bot.remember(msg("m-1", TALK, timestamp=ago(days=1)))
    twice = (await hand_in(bot, said(UKULELE), said(UKULELE | {"object": "Ukulele"}), said(CITY))).body[
        "facts"
    ]
    assert [one["accepted"] for one in twice] == [True] * 3
    assert twice[0]["fact_id"] == twice[1]["fact_id"]
    memory = str(memory_id(bot.tenant, "m-1"))
    content = "ugh the new place in fitzroy is freezing but zara's teaching me the cello so"
    assert (await bot.request("command.correct", U | {"memory_id": memory, "content": content})).body["ok"]
    await system.wait_until_idle()
    found = await known(bot)
    assert ("plays", "ukulele") not in found
    assert ("plays", "Ukulele") not in found


async def test_times_and_what_has_ended_are_taken_as_they_are_given(bot: Bot) -> None:
    await bot.remember(msg("m-1", "used to work at Greggs before the baby. now i work at Boots"))
    since, until = "2019-03-01T00:00:00Z", "2023-06-01T00:00:00Z"
    work = {"subject": "user", "predicate": "works_at"}
    greggs = work | {"object": "Greggs", "polarity": "past", "valid_from": since, "valid_to": until}
    reply = (await hand_in(bot, said(greggs), said(work | {"object": "Boots"}))).body
    assert [one["accepted"] for one in reply["facts"]] == [True, True]
    facts = {one["object"]: one for one in await bot.facts(predicate="works_at", history=True)}
    assert (facts["Greggs"]["valid_from"], facts["Greggs"]["valid_to"]) == (since, until)
    assert facts["Boots"]["valid_to"] is None


async def test_a_message_that_has_not_arrived_is_waited_for(bot: Bot) -> None:
    asking = asyncio.create_task(hand_in(bot, said(UKULELE)))
    await asyncio.sleep(0)
    await bot.publish(msg("m-1", TALK))
    assert (await asking).body["facts"][0]["accepted"]
    never = await hand_in(bot, UKULELE, said(UKULELE, "m-404"))
    assert never.error == ("unavailable", "facts.1.message_id")


async def test_a_request_about_several_messages_may_be_repeated(bot: Bot, system: System) -> None:
    """Also after one of them was read, and after it was read to say the same."""
    await bot.remember(msg("m-1", TALK), msg("m-2", "I live in Leeds and I play the cello."))
    facts = (said(UKULELE), said(UKULELE | {"object": "cello"}, "m-2"), CITY | {"object": "Hull"})
    first = (await hand_in(bot, *facts, request_id="r-1")).body
    assert [one["accepted"] for one in first["facts"]] == [True] * 3
    await run_backfill(system.settings, BackfillOrder(tenant=bot.tenant), lambda _: None)
    await system.wait_until_idle()
    assert (await hand_in(bot, *facts, request_id="r-1")).body == first
    other = await hand_in(bot, said(CITY), request_id="r-1")
    assert other.error == ("invalid_request", "request_id")


async def test_facts_of_one_message_contest_each_other_and_are_of_their_subject(bot: Bot) -> None:
    await bot.remember(
        msg("m-1", "Should I stay in Rome? I live in Rome now. Anna likes pizza and I like pizza.")
    )
    rome, milan = said(CITY | {"object": "Rome"}), said(CITY | {"object": "now"})
    own = said({"subject": "user", "predicate": "likes", "object": "pizza"})
    first, second, third = (await hand_in(bot, rome, milan, own)).body["facts"]
    assert (first["accepted"], second["accepted"]) == (True, False)
    likes = {one["id"]: one["subject"] for one in await bot.facts(predicate="likes")}
    assert likes[third["fact_id"]] == "user"


async def test_a_correction_keeps_its_assertions_when_what_it_corrects_is_forgotten(
    bot: Bot, system: System
) -> None:
    await bot.remember(msg("m-1", "I live in Leeds.", timestamp=ago(minutes=9)))
    await bot.remember(msg("m-2", "Sorry, I meant York, where I play the cello.", timestamp=ago(minutes=8)))
    assert (await hand_in(bot, said(UKULELE | {"object": "cello"}, "m-2"))).body["facts"][0]["accepted"]
    assert (await bot.request("command.forget", U | {"message_id": "m-1"})).body["ok"]
    await system.wait_until_idle()
    assert ("plays", "cello") in await known(bot)
    gone = await hand_in(bot, said(CITY, "m-1"))
    assert gone.error == ("not_found", "facts.0.message_id")
