"""A memory that the user puts right: its words change, and all that follows from them; the history stays."""

import asyncio
import uuid

import pytest
from tests.fixtures.running import Running, Workers
from tests.fixtures.wire import Bot, Json, Reply, at, ids, said

from ricordo.clock import Clock
from ricordo.language.annotations import MemoryKind
from ricordo.memory.model import Memory, Source, derived_id
from ricordo.messages.ids import memory_id
from ricordo.store import derived_memories
from ricordo.store.curation_store import CurationRequest, CurationStore
from ricordo.store.database import Database
from ricordo.testing.clock import ManualClock
from ricordo.testing.eventually import eventually

pytestmark = pytest.mark.e2e

U = {"user_id": "u-1"}
WRONG, RIGHT = "Abito a Torino con mia sorella Nora.", "Abito a Trieste con mia sorella Nora."


def of(bot: Bot, message_id: str = "m-1") -> str:
    return str(memory_id(bot.tenant, message_id))


async def correct(bot: Bot, content: str, target: str | None = None, **fields: object) -> Reply:
    asked = U | {"memory_id": target or of(bot), "content": content} | fields
    return await bot.request("command.correct", asked)


async def known(bot: Bot, **request: object) -> list[tuple[object, object]]:
    facts = (await bot.ask("facts", **U | request))["facts"]
    return [(fact["predicate"], fact["object"]) for fact in facts]


async def recalled(bot: Bot, query: str) -> list[Json]:
    return list((await bot.recall(query))["memories"])


async def followed(bot: Bot, running: Running) -> None:
    """Wait until the memories are as their words are."""
    await running.everything_is_settled()
    stats = await bot.ask("stats", **U)
    assert stats["pending"] == 0


async def test_the_new_words_are_found_and_the_facts_are_theirs(bot: Bot, running: Running) -> None:
    await bot.remember(said("m-1", WRONG, importance=0.7, kind="note"), said("m-2", "Piove.", timestamp=at()))
    assert ("lives_in", "Torino") in await known(bot)
    async with bot.hearing("memory.remembered") as receipts:
        reply = await correct(bot, RIGHT)
        assert reply.body == {"ok": True, "memory_id": of(bot), "fact_id": None}
        await receipts.bodies_until(["m-1"])
    await followed(bot, running)
    (found,) = [one for one in await recalled(bot, "Trieste") if one["id"] == of(bot)]
    assert (found["content"], found["source"], found["confidence"]) == (RIGHT, "user_correction", 1)
    assert (found["importance"], found["kind"]) == (0.7, "note"), "what the bot stated stays"
    assert await known(bot, predicate="lives_in", history=True) == [("lives_in", "Trieste")]
    assert ("has_sibling", "Nora") in await known(bot)
    history = (await bot.ask("history", **U))["messages"]
    assert [line["content"] for line in history] == [WRONG, "Piove."]


async def test_the_message_that_comes_again_changes_nothing(bot: Bot, running: Running) -> None:
    message = said("m-1", WRONG)
    await bot.remember(message)
    await correct(bot, RIGHT)
    await followed(bot, running)
    async with bot.dead_letters() as dead:
        await bot.publish(message)
        await followed(bot, running)
        assert await dead.nothing_more()
    assert [one["content"] for one in await recalled(bot, "dove abito?")] == [RIGHT]
    assert await known(bot, predicate="lives_in") == [("lives_in", "Trieste")]


async def test_what_an_assistant_said_states_nothing_about_the_user_when_put_right(
    bot: Bot, running: Running
) -> None:
    await bot.remember(said("m-1", "Tu abiti a Torino.", role="assistant"))
    await correct(bot, "Abito a Trieste.")
    await followed(bot, running)
    assert await known(bot) == []
    assert [one["content"] for one in await recalled(bot, "Trieste")] == ["Abito a Trieste."]


async def test_a_correction_states_what_it_states_and_no_more(bot: Bot, running: Running) -> None:
    await bot.remember(said("m-1", WRONG))
    await correct(bot, "Oggi piove.")
    await followed(bot, running)
    assert await known(bot, history=True) == []
    await correct(bot, WRONG)
    await followed(bot, running)
    assert ("lives_in", "Torino") in await known(bot)


async def test_many_corrections_at_once_leave_one_of_them_with_its_facts(bot: Bot, running: Running) -> None:
    await bot.remember(said("m-1", "Abito a Torino."))
    cities = ["Trieste", "Lecce", "Bari", "Genova", "Pisa"]
    replies = await asyncio.gather(*(correct(bot, f"Abito a {city}.") for city in cities))
    assert all(reply.body["ok"] for reply in replies)
    await followed(bot, running)
    (memory,) = await recalled(bot, "dove abito?")
    city = memory["content"].removeprefix("Abito a ").removesuffix(".")
    assert city in cities
    assert await known(bot) == [("lives_in", city)]


async def test_a_repeated_request_corrects_once(bot: Bot, running: Running) -> None:
    await bot.remember(said("m-1", WRONG))
    first = await correct(bot, RIGHT, request_id="r-1")
    await correct(bot, "Abito a Lecce.")
    assert (await correct(bot, RIGHT, request_id="r-1")).body == first.body
    await followed(bot, running)
    assert [one["content"] for one in await recalled(bot, "dove abito?")] == ["Abito a Lecce."]
    other = await correct(bot, "Abito a Bari.", request_id="r-1")
    assert other.error == ("invalid_request", "request_id")


async def test_what_was_recalled_into_a_correction_is_dropped(bot: Bot, running: Running) -> None:
    await bot.remember(said("m-1", WRONG))
    await correct(bot, f'<recalled id="x">Abito a Lecce.</recalled> {RIGHT}')
    await followed(bot, running)
    assert [one["content"] for one in await recalled(bot, "dove abito?")] == [RIGHT]
    nothing = await correct(bot, "<recalled>Abito a Lecce.</recalled>")
    assert nothing.error == ("invalid_request", "content")


@pytest.mark.parametrize("content", ["", "  ", "a\0", "x" * 32_769, 5, None])
async def test_what_is_no_content_is_refused(bot: Bot, content: object) -> None:
    reply = await bot.request("command.correct", U | {"memory_id": of(bot), "content": content})
    assert reply.error == ("invalid_request", "content")


async def test_memories_of_nobody_of_others_and_of_other_tenants_are_not_found(bot: Bot) -> None:
    await bot.remember(said("m-1", WRONG))
    first = of(bot)
    assert (await correct(bot, RIGHT, str(uuid.uuid4()))).error == ("not_found", "memory_id")
    assert (await correct(bot, RIGHT, user_id="u-2")).error == ("not_found", "memory_id")
    tenant, bot.tenant = bot.tenant, f"{bot.tenant}-b"
    assert (await correct(bot, RIGHT, first)).error == ("not_found", "memory_id")
    bot.tenant = tenant
    assert [one["content"] for one in await recalled(bot, "dove abito?")] == [WRONG]


async def test_a_correction_whose_events_were_lost_is_picked_up(bot: Bot, running: Running) -> None:
    await bot.remember(said("m-1", WRONG))
    clock: Clock = ManualClock()
    async with Database.connect(running.endpoints.postgres_dsn, size=1) as database:
        await CurationStore(database).correct(  # as by a process that ends before it says so
            bot.tenant,
            CurationRequest("u-1", None, b""),
            memory_id(bot.tenant, "m-1"),
            content=RIGHT,
            language="it",
            at=clock.now(),
        )
    async with running.reconciling():
        assert await bot.settled(["m-1"]) == {"m-1": "remembered"}
    await followed(bot, running)
    assert await known(bot, predicate="lives_in") == [("lives_in", "Trieste")]


async def test_what_no_message_is_behind_is_put_right_too(bot: Bot, running: Running) -> None:
    await bot.remember(said("m-1", WRONG))
    summary = _summary(bot)
    async with (
        Database.connect(running.endpoints.postgres_dsn, size=1) as database,
        database.transaction(bot.tenant) as connection,
    ):
        await derived_memories.lock_users(connection, bot.tenant, ["u-1"])
        await derived_memories.write(connection, bot.tenant, [summary], summary.created_at, finished=True)
    reply = await correct(bot, "Davide abita a Trieste.", str(summary.id))
    assert reply.body["memory_id"] == str(summary.id)
    found: list[Json] = []

    async def corrected() -> bool:
        nonlocal found
        asked = await bot.recall("Trieste", filters={"kinds": ["summary"]})
        found = asked["memories"]
        return bool(found)

    await eventually(corrected, within=20)
    assert [(one["content"], one["title"]) for one in found] == [("Davide abita a Trieste.", "Torino")]
    await followed(bot, running)
    assert ("lives_in", "Trieste") not in await known(bot), "its sources are where facts are read"


def _summary(bot: Bot) -> Memory:
    sources = [memory_id(bot.tenant, "m-1")]
    return Memory(
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


async def test_knowledge_alone_takes_the_word_on_memories_as_on_facts(bot: Bot, running: Running) -> None:
    await bot.remember(said("m-1", "Abito a Torino."))
    (fact,) = (await bot.ask("facts", **U))["facts"]
    alone = Workers(running.settings, ["knowledge"])
    async with running.workers.stopped():
        await asyncio.to_thread(alone.start)
        try:
            for target in ({"memory_id": of(bot)}, {"fact_id": fact["id"]}):
                reply = await bot.request("command.verify", U | target | {"verified": True})
                assert reply.body["ok"]
            assert (await correct(bot, RIGHT)).body["ok"]
        finally:
            await asyncio.to_thread(alone.close)
    await followed(bot, running)
    assert ids(await recalled(bot, "Trieste")) == ["m-1"]
