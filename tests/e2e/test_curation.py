"""What a user says about memories, over the wire: corrections.

The laws of these commands are tested on the store, in `tests/contract/store`.
"""

from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json, Reply, ago, msg, wait_for
from tests.support.manual_clock import ManualClock

from ricordo.language.annotations import MemoryKind, MemorySource
from ricordo.memory.model import Memory, derived_id
from ricordo.messages.ids import memory_id
from ricordo.store import derived_memories
from ricordo.store.database import Database

U = {"user_id": "u-1"}
WRONG, RIGHT = "Abito a Torino con mia sorella Nora.", "Abito a Trieste con mia sorella Nora."


def of(bot: Bot, message_id: str = "m-1") -> str:
    return str(memory_id(bot.tenant, message_id))


async def command(bot: Bot, name: str, **fields: object) -> Reply:
    return await bot.request(f"command.{name}", U | {"memory_id": of(bot)} | fields)


async def claims(bot: Bot, **request: object) -> list[tuple[object, object]]:
    return [(fact["predicate"], fact["object"]) for fact in await bot.facts(**request)]


async def recalled(bot: Bot, query: str = "dove abito?") -> list[Json]:
    return list((await bot.recall(query))["memories"])


async def wait_until_derived(bot: Bot, system: System) -> None:
    await system.wait_until_idle()
    assert (await bot.query("stats", **U))["pending"] == 0


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
        source=MemorySource.SLEEP_CONSOLIDATION,
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
