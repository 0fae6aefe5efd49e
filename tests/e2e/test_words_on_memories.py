"""A user's word on memories, over the wire: which recalls were of use, what stays, what is so."""

import asyncio
import json
import uuid

import pytest
from tests.e2e.test_use_and_time import change, rows
from tests.fixtures.running import Running
from tests.fixtures.wire import Bot, Json, Reply, ids, said

from ricordo.messages.ids import memory_id

pytestmark = pytest.mark.e2e

DOG = "Il mio cane si chiama Max."
USED = {"ok": True, "used": 1, "irrelevant": 0}
IRRELEVANT = {"ok": True, "used": 0, "irrelevant": 1}
NOTHING = {"ok": True, "used": 0, "irrelevant": 0}


def of(bot: Bot, message_id: str = "m-1") -> str:
    return str(memory_id(bot.tenant, message_id))


async def command(bot: Bot, name: str, **fields: object) -> Reply:
    return await bot.request(f"command.{name}", {"user_id": "u-1"} | fields)


async def feedback(bot: Bot, recall_id: object, **fields: object) -> Reply:
    return await command(bot, "feedback", recall_id=recall_id, **fields)


def strength(row: Json) -> tuple[int, float, float]:
    return row["access_count"], round(row["reinforcement"], 6), round(row["importance"], 6)


async def test_what_was_used_counts_where_the_recall_did_not(bot: Bot, running: Running) -> None:
    await bot.remember(said("m-1", DOG))
    before = strength((await rows(running, bot))["m-1"])
    recall = (await bot.recall("il mio cane", reinforce=False))["recall_id"]
    async with bot.hearing("memory.changed") as changes:
        assert (await feedback(bot, recall, used=[of(bot)])).body == USED
        told = json.loads((await changes.next()).data)
    assert (told["memory_ids"], told["user_id"]) == ([of(bot)], "u-1")
    assert (await feedback(bot, recall, used=[of(bot)])).body == NOTHING
    after = (await rows(running, bot))["m-1"]
    assert strength(after) == (1, 0.05, round(before[2] + 0.02, 6))
    recall = (await bot.recall("il mio cane", reinforce=True))["recall_id"]
    await running.everything_is_settled()
    assert (await feedback(bot, recall, used=[of(bot)])).body == NOTHING, "the recall had counted it"
    assert (await rows(running, bot))["m-1"]["access_count"] == 2


async def test_what_was_irrelevant_loses_what_that_recall_has_added(bot: Bot, running: Running) -> None:
    await bot.remember(said("m-1", DOG), said("m-2", "Piove."))
    before = await rows(running, bot)
    recall = (await bot.recall("il mio cane", limit=1, reinforce=True))["recall_id"]
    await running.everything_is_settled()
    assert (await feedback(bot, recall, irrelevant=[of(bot)])).body == IRRELEVANT
    assert (await feedback(bot, recall, irrelevant=[of(bot)])).body == NOTHING
    after = await rows(running, bot)
    assert strength(after["m-1"]) == strength(before["m-1"])
    assert after["m-2"] == before["m-2"]
    assert (await feedback(bot, recall, used=[of(bot)])).body == USED, "the last word holds"
    assert (await rows(running, bot))["m-1"]["access_count"] == 1


async def test_feedback_may_come_before_the_event_of_the_recall(bot: Bot, running: Running) -> None:
    await bot.remember(said("m-1", DOG), said("m-2", "Il cane Max dorme."))
    before = await rows(running, bot)
    async with bot.hearing("memory.accessed") as accesses:
        recall = (await bot.recall("il mio cane Max", reinforce=True))["recall_id"]
        access = await accesses.next()
    await running.everything_is_settled()
    late = json.loads(access.data) | {"recall_id": str(uuid.uuid4()), "id": str(uuid.uuid4())}
    judged = {"used": [of(bot, "m-1")], "irrelevant": [of(bot, "m-2")]}
    assert (await feedback(bot, late["recall_id"], **judged)).body == USED
    for _ in range(2):
        await bot.connection.jetstream().publish(access.subject, json.dumps(late).encode())
    await running.everything_is_settled()
    after = await rows(running, bot)
    assert recall != late["recall_id"]
    assert (after["m-1"]["access_count"], after["m-2"]["access_count"]) == (2, 1)
    assert after["m-1"]["importance"] == pytest.approx(before["m-1"]["importance"] + 0.04)


async def test_a_repeated_request_answers_the_same_and_changes_nothing(bot: Bot, running: Running) -> None:
    await bot.remember(said("m-1", DOG))
    recall, other = str(uuid.uuid4()), str(uuid.uuid4())
    asked = {"used": [of(bot)], "request_id": "r-1"}
    replies = await asyncio.gather(*(feedback(bot, recall, **asked) for _ in range(5)))
    assert [reply.body for reply in replies] == [USED] * 5
    await feedback(bot, recall, irrelevant=[of(bot)])
    assert (await feedback(bot, recall, **asked)).body == USED
    assert (await rows(running, bot))["m-1"]["access_count"] == 0
    assert (await feedback(bot, other, **asked)).error == ("invalid_request", "request_id")
    pinned = await command(bot, "pin", memory_id=of(bot), pinned=True, request_id="r-1")
    assert pinned.body["ok"], "another command is another request"


async def test_what_is_pinned_stays_and_comes_back(bot: Bot, running: Running) -> None:
    await bot.remember(said("m-1", "La password del cancello è sotto il vaso."))
    await change(running, bot, "update memories set archived_at = now()")
    async with bot.hearing("memory.changed") as changes:
        for _ in range(2):
            reply = await command(bot, "pin", memory_id=of(bot), pinned=True, request_id="r-1")
            assert reply.body == {"ok": True, "pinned": True}
        first, again = [json.loads(one.data) for one in await changes.take(2)]
        assert first["fields"] == ["pinned", "archived_at"]
        assert first["id"] == again["id"], "the same event, said once more"
        assert (await command(bot, "pin", memory_id=of(bot), pinned=True)).body["pinned"]
        assert await changes.nothing_more()
    assert (await rows(running, bot))["m-1"]["archived_at"] is None
    await running.everything_is_settled()
    assert ids((await bot.recall("cancello", reinforce=False))["memories"]) == ["m-1"]
    assert (await command(bot, "pin", memory_id=of(bot), pinned=False)).body == {"ok": True, "pinned": False}


async def test_a_memory_is_confirmed_where_facts_are(bot: Bot) -> None:
    await bot.remember(said("m-1", "Abito a Torino."))
    async with bot.hearing("memory.changed") as changes:
        for verified in (True, False):
            reply = await command(bot, "verify", memory_id=of(bot), verified=verified)
            assert reply.body == {"ok": True, "verified": verified}
            assert json.loads((await changes.next()).data)["fields"] == ["verified"]
        (fact,) = (await bot.ask("facts", user_id="u-1"))["facts"]
        assert (await command(bot, "verify", fact_id=fact["id"], verified=True, request_id="r-1")).body["ok"]
    both = await command(bot, "verify", memory_id=of(bot), verified=True, request_id="r-1")
    assert both.error == ("invalid_request", "request_id"), "that was of a fact"
    assert (await command(bot, "verify", memory_id=of(bot), verified=True, request_id="r-2")).body["ok"]
    both = await command(bot, "verify", fact_id=fact["id"], verified=True, request_id="r-2")
    assert both.error == ("invalid_request", "request_id"), "that was of a memory"


async def test_memories_of_nobody_of_others_and_of_other_tenants_are_not_found(
    bot: Bot, running: Running
) -> None:
    await bot.remember(said("m-1", DOG))
    before = await rows(running, bot)
    nobody, recall = str(uuid.uuid4()), str(uuid.uuid4())

    async def refused(**fields: object) -> None:
        target = {"memory_id": of_first} | fields
        for name, word in (("pin", {"pinned": True}), ("verify", {"verified": True})):
            reply = await command(bot, name, **word, **target)
            assert reply.error == ("not_found", "memory_id")
            assert "query.recall" in reply.body["error"]["message"]
        named = {"user_id": target.get("user_id", "u-1"), "recall_id": recall}
        for field in ("used", "irrelevant"):
            reply = await command(bot, "feedback", **named | {field: [target["memory_id"]]})
            assert reply.error == ("not_found", field)

    of_first = of(bot)
    await refused(memory_id=nobody)
    await refused(user_id="u-2")
    tenant, bot.tenant = bot.tenant, f"{bot.tenant}-b"
    await refused()
    bot.tenant = tenant
    some = await feedback(bot, recall, used=[of(bot)], irrelevant=[nobody])
    assert some.error == ("not_found", "irrelevant")
    assert await rows(running, bot) == before


@pytest.mark.parametrize(
    ("name", "fields", "field"),
    [
        ("pin", {"pinned": True}, "memory_id"),
        ("pin", {"memory_id": "m-1", "pinned": True}, "memory_id"),
        ("pin", {"memory_id": str(uuid.uuid4()), "pinned": "yes"}, "pinned"),
        ("verify", {"memory_id": str(uuid.uuid4())}, "verified"),
        ("feedback", {"recall_id": str(uuid.uuid4())}, "used"),
        ("feedback", {"recall_id": 5, "used": [str(uuid.uuid4())]}, "recall_id"),
        (
            "feedback",
            {"recall_id": str(uuid.uuid4()), "used": [str(uuid.uuid4()) for _ in range(201)]},
            "used",
        ),
    ],
)
async def test_bad_input_is_refused(bot: Bot, name: str, fields: Json, field: str) -> None:
    assert (await command(bot, name, **fields)).error == ("invalid_request", field)
