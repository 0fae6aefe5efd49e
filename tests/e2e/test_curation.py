"""What a user says about memories, over the wire: feedback, pins, confirmations and corrections.

The laws of these commands are tested on the store, in `tests/contract/store`.
"""

import asyncio
import json
import uuid

import pytest
from tests.fixtures.system import System, Workers
from tests.fixtures.wire import Bot, Json, Reply, ago, ids, msg, wait_for
from tests.support.manual_clock import ManualClock

from ricordo.language.annotations import MemoryKind
from ricordo.memory.model import Memory, Source, derived_id
from ricordo.messages.ids import memory_id
from ricordo.store import derived_memories
from ricordo.store.database import Database

U = {"user_id": "u-1"}
DOG = "Il mio cane si chiama Max."
WRONG, RIGHT = "Abito a Torino con mia sorella Nora.", "Abito a Trieste con mia sorella Nora."
STRENGTH = (
    "select access_count, reinforcement, importance, archived_at from memories where message_id = 'm-1'"
)
USED = {"ok": True, "used": 1, "irrelevant": 0}
NOTHING = {"ok": True, "used": 0, "irrelevant": 0}


def of(bot: Bot, message_id: str = "m-1") -> str:
    return str(memory_id(bot.tenant, message_id))


async def command(bot: Bot, name: str, **fields: object) -> Reply:
    return await bot.request(f"command.{name}", U | {"memory_id": of(bot)} | fields)


async def feedback(bot: Bot, recall_id: object, **fields: object) -> Reply:
    return await bot.request("command.feedback", U | {"recall_id": recall_id} | fields)


async def claims(bot: Bot, **request: object) -> list[tuple[object, object]]:
    return [(fact["predicate"], fact["object"]) for fact in await bot.facts(**request)]


async def recalled(bot: Bot, query: str = "dove abito?") -> list[Json]:
    return list((await bot.recall(query))["memories"])


async def wait_until_derived(bot: Bot, system: System) -> None:
    await system.wait_until_idle()
    assert (await bot.query("stats", **U))["pending"] == 0


async def test_feedback_counts_once_and_takes_back_what_the_recall_added(bot: Bot, system: System) -> None:
    await bot.remember(msg("m-1", DOG))
    (before,) = await system.rows(bot.tenant, STRENGTH)
    recall = (await bot.recall("il mio cane", reinforce=False))["recall_id"]
    async with bot.subscribed("memory.changed") as changes:
        replies = await asyncio.gather(
            *(feedback(bot, recall, used=[of(bot)], request_id="r-1") for _ in range(5))
        )
        assert [reply.body for reply in replies] == [USED] * 5
        event = json.loads((await changes.next()).data)
    assert (event["memory_ids"], event["user_id"]) == ([of(bot)], "u-1")
    assert (await feedback(bot, recall, used=[of(bot)])).body == NOTHING
    (after,) = await system.rows(bot.tenant, STRENGTH)
    assert (after["access_count"], after["reinforcement"]) == (1, pytest.approx(0.05))
    assert after["importance"] == pytest.approx(before["importance"] + 0.02)
    recall = (await bot.recall("il mio cane", reinforce=True))["recall_id"]
    await system.wait_until_idle()
    assert (await feedback(bot, recall, used=[of(bot)])).body == NOTHING, "the recall had counted it"
    assert (await feedback(bot, recall, irrelevant=[of(bot)])).body["irrelevant"] == 1
    (again,) = await system.rows(bot.tenant, STRENGTH)
    assert again == after | {name: pytest.approx(after[name]) for name in ("reinforcement", "importance")}
    other = await feedback(bot, str(uuid.uuid4()), used=[of(bot)], request_id="r-1")
    assert other.error == ("invalid_request", "request_id")


async def test_a_corrected_memory_is_found_by_its_new_words_and_the_facts_follow(
    bot: Bot, system: System
) -> None:
    message = msg("m-1", WRONG, importance=0.7, kind="note")
    await bot.remember(message, msg("m-2", "Piove.", timestamp=ago()))
    async with bot.subscribed("memory.remembered") as receipts:
        reply = await command(bot, "correct", content=f'<recalled id="x">Abito a Lecce.</recalled> {RIGHT}')
        assert reply.body == {"ok": True, "memory_id": of(bot), "fact_id": None}
        await receipts.bodies_until(["m-1"])
    await wait_until_derived(bot, system)
    (found,) = [one for one in await recalled(bot, "Trieste") if one["id"] == of(bot)]
    assert (found["content"], found["source"], found["confidence"]) == (RIGHT, "user_correction", 1)
    assert (found["importance"], found["kind"]) == (0.7, "note"), "what the bot stated stays"
    assert await claims(bot, predicate="lives_in", history=True) == [("lives_in", "Trieste")]
    assert ("has_sibling", "Nora") in await claims(bot)
    async with bot.dead_letters() as dead:
        await bot.publish(message)
        await wait_until_derived(bot, system)
        assert await dead.is_silent()
    history = (await bot.query("history", **U))["messages"]
    assert [line["content"] for line in history] == [WRONG, "Piove."]
    assert await claims(bot, predicate="lives_in") == [("lives_in", "Trieste")]


async def test_a_derived_memory_and_an_assistants_message_are_corrected_without_facts(
    bot: Bot, system: System
) -> None:
    await bot.remember(msg("m-1", "Tu abiti a Torino.", role="assistant"))
    sources = [memory_id(bot.tenant, "m-1")]
    summary = Memory(
        id=derived_id(bot.tenant, MemoryKind.SUMMARY, sources),
        tenant=bot.tenant,
        user_id="u-1",
        conversation_id="c-1",
        kind=MemoryKind.SUMMARY,
        title="Torino",
        content="Davide abita a Torino.",
        language="it",
        created_at=ManualClock().now(),
        source=Source.SLEEP_CONSOLIDATION,
        source_ids=tuple(sources),
    )
    async with (
        Database.connect(system.endpoints.postgres_dsn, size=1) as database,
        database.transaction(bot.tenant) as connection,
    ):
        await derived_memories.lock_users(connection, bot.tenant, ["u-1"])
        await derived_memories.write(connection, bot.tenant, [summary], summary.created_at, finished=True)
    await command(bot, "correct", content="Abito a Trieste.")
    reply = await command(bot, "correct", content="Davide abita a Trieste.", memory_id=str(summary.id))
    assert reply.body["memory_id"] == str(summary.id)

    async def summaries() -> list[Json]:
        return list((await bot.recall("Trieste", filters={"kinds": ["summary"]}))["memories"])

    (found,) = await wait_for(summaries)
    assert (found["content"], found["title"]) == ("Davide abita a Trieste.", "Torino")
    await wait_until_derived(bot, system)
    assert await claims(bot) == []
    assert "Abito a Trieste." in [one["content"] for one in await recalled(bot, "Trieste")]


async def test_the_knowledge_worker_alone_answers_commands_on_memories_and_facts(
    bot: Bot, system: System
) -> None:
    await bot.remember(msg("m-1", "Abito a Torino."))
    (fact,) = await bot.facts()
    async with system.workers.stopped(), Workers(system.settings, ["knowledge"]).started():
        for target in ({"memory_id": of(bot)}, {"fact_id": fact["id"]}):
            reply = await bot.request("command.verify", U | target | {"verified": True})
            assert reply.body["ok"]
        assert (await command(bot, "correct", content=RIGHT)).body["ok"]
    await wait_until_derived(bot, system)
    assert ids(await recalled(bot, "Trieste")) == ["m-1"]
