"""What a user says about facts, over the wire: confirmed, corrected, rejected, and who is who.

The laws of these commands are tested on the store, in `tests/contract/store`.
"""

import pytest
from tests.e2e.test_exporting import exported, of
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json, Reply, ago, msg

from ricordo_services.app.jobs import run_backfill
from ricordo_services.job_progress import BackfillOrder

U = {"user_id": "u-1"}


async def home(bot: Bot, *cities: str) -> Json:
    """Tell where the user lives, and return the fact."""
    await bot.remember(
        *(msg(f"m-{n}", f"Abito a {city}.", timestamp=ago(days=9 - n)) for n, city in enumerate(cities))
    )
    (fact,) = await bot.facts(predicate="lives_in")
    return fact


async def command(bot: Bot, name: str, fact: Json | str, **fields: object) -> Reply:
    fact_id = fact if isinstance(fact, str) else fact["id"]
    return await bot.request(f"command.{name}", U | {"fact_id": fact_id} | fields)


async def test_a_corrected_fact_holds_everywhere_and_the_old_one_is_history(bot: Bot) -> None:
    torino = await home(bot, "Torino", "Torino")
    reply = (await command(bot, "correct", torino, object="Trino")).body
    (trino,) = await bot.facts(predicate="lives_in")
    assert reply == {"ok": True, "memory_id": None, "fact_id": trino["id"]}
    assert (trino["object"], trino["verified"], trino["disputed"]) == ("Trino", True, False)
    old = next(one for one in await bot.facts(history=True) if one["id"] == torino["id"])
    assert (old["object"], old["confidence"], old["valid_to"]) == ("Torino", 2, old["valid_from"])
    assert "Trino" in (await bot.query("context", query="Dove abito?", **U))["context"]
    assert [one["object"] for one in (await bot.recall("Che fai?"))["facts"]] == ["Trino"]
    again = await command(bot, "correct", torino, object="Trino")
    assert again.error == ("not_found", "fact_id")
    assert "superseded or put right" in again.body["error"]["message"]
    assert trino["id"] in again.body["error"]["message"]
    assert (await command(bot, "correct", trino, object="Torino")).body["fact_id"] == torino["id"]
    assert await bot.facts() == [torino | {"verified": True}], "a correction by mistake is taken back"


async def test_a_rejected_fact_stays_away_whatever_is_delivered_or_derived_again(
    bot: Bot, system: System
) -> None:
    first = msg("m-1", "Sono allergica alle noci e vivo a Bari.", timestamp=ago(days=2))
    async with bot.subscribed("memory.encoded") as encoded:
        await bot.remember(first)
        (cause,) = await encoded.take(1)
    (nuts,) = await bot.facts(predicate="allergic_to")
    for _ in range(2):
        assert (await command(bot, "reject", nuts, request_id="r-1")).body == {"ok": True}
        assert await bot.facts(predicate="allergic_to", history=True) == []
    assert (await command(bot, "reject", nuts, request_id="r-2")).error == ("not_found", "fact_id")
    async with bot.subscribed("facts.extracted") as subscription:
        await bot.publish(cause.data, name="memory.encoded")
        await subscription.take(1)
    await bot.publish(first)
    await system.wait_until_idle()
    await run_backfill(system.settings, BackfillOrder(tenant=bot.tenant), lambda _: None)
    await system.wait_until_idle()
    assert {one["predicate"] for one in await bot.facts(history=True)} == {"lives_in"}
    assert [one["message_id"] for one in of(await exported(bot), "rejection")] == ["m-1"]
    await bot.remember(msg("m-2", "Sono allergica alle noci.", timestamp=ago(days=1)))
    (again,) = await bot.facts(predicate="allergic_to")
    assert (again["id"], again["message_ids"]) == (nuts["id"], ["m-2"])
    assert (await bot.request("command.forget", U | {"message_id": "m-1"})).body["ok"]
    assert of(await exported(bot), "rejection") == [], "it is forgotten with its message"


@pytest.mark.parametrize("scope", [{"message_id": "m-0"}, {"conversation_id": "c-1"}])
@pytest.mark.parametrize("said", [("verify", {"verified": True}), ("correct", {"object": "Trino"})])
async def test_what_was_asserted_of_a_fact_is_forgotten_with_the_last_message_that_states_it(
    bot: Bot, said: tuple[str, Json], scope: Json
) -> None:
    torino, (name, fields) = await home(bot, "Torino"), said
    await command(bot, name, torino, **fields)
    if name == "correct":  # and what was corrected is confirmed
        (trino,) = await bot.facts()
        await command(bot, "verify", trino, verified=True)
    assert (await bot.request("command.forget", U | scope)).body["ok"]
    assert await bot.facts(min_confidence=0, history=True) == []
    assert of(await exported(bot), "word") == []


async def test_what_was_asserted_of_a_fact_stays_while_a_message_states_it(bot: Bot) -> None:
    torino = await home(bot, "Torino", "Torino")
    await command(bot, "verify", torino, verified=True)
    assert (await bot.request("command.forget", U | {"message_id": "m-0"})).body["ok"]
    (left,) = await bot.facts()
    assert (left["object"], left["verified"], left["message_ids"]) == ("Torino", True, ["m-1"])
