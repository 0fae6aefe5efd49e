"""`ricordo backfill` beside a running system: what is old is raised, and all that depends on it follows."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Final

import pytest
from tests.fixtures.commands import start_command
from tests.fixtures.ollama_stand_in import OllamaStandIn, ollama_stand_in
from tests.fixtures.ollama_system import with_llm
from tests.fixtures.system import System
from tests.fixtures.talking import TalkingModel
from tests.fixtures.wire import Bot, Json, ids, msg, new_tenant

from ricordo.memory.enrichment import VERSION
from ricordo.settings import Settings
from ricordo_services.app.jobs import run_backfill
from ricordo_services.job_progress import BackfillOrder

MODEL: Final = "hermes3:8b"
BY_MODEL: Final = f"{VERSION}+{MODEL}"
DERIVED = """
select message_id, importance, access_count, reinforcement, kind, type, title, topics, participants, valence,
       primary_emotion, derived_by, rated_by, informative
from memories order by message_id
"""
AGE = """
update memories set derived_by = 'rules-0', rated_by = '', importance = 0.01, valence = 0, topics = '{}',
                    participants = '{}', title = '', kind = 'message', informative = 1 - informative
"""
STORY: Final = (
    msg("m-1", "Che gioia, ieri ho adottato un cane, si chiama Max!"),
    msg("m-2", "Abbiamo deciso: vendiamo la barca.", participants=["Anna"]),
    msg("m-3", "Piove da tre giorni.", importance=0.9, kind="note"),
)


async def aged(system: System, bot: Bot, *messages: Json) -> list[Json]:
    """Remember messages, make their rows those of a former version; return the rows of the present one."""
    await bot.remember(*messages)
    await system.wait_until_idle()
    present = await system.rows(bot.tenant, DERIVED)
    await system.rows(bot.tenant, AGE)
    await system.rows(bot.tenant, "update vectors set reading = null, read_by = null, read_previous = null")
    await system.rows(
        bot.tenant,
        "update memories set importance = stated_importance, kind = stated_kind "
        "where stated_importance is not null",
    )
    return present


def with_model(system: System, server: OllamaStandIn, **changes: object) -> Settings:
    return with_llm(system.settings, server.url, MODEL, "enrichment", **{"batch": 2, **changes})


@pytest.fixture
async def server() -> AsyncIterator[OllamaStandIn]:
    async with ollama_stand_in([MODEL]) as system:
        yield system


async def test_what_a_former_version_derived_is_derived_again_and_points_follow(
    bot: Bot, system: System
) -> None:
    present = await aged(system, bot, *STORY)
    told: list[int] = []
    async with bot.subscribed("index.requested.bulk") as subscription:
        done = await run_backfill(
            system.settings,
            BackfillOrder(tenant=bot.tenant),
            lambda so_far: told.append(so_far.examined),
        )
        assert len(json.loads((await subscription.next()).data)["items"]) == 3
    assert (done.outdated, done.changed, done.raised, done.left) == (3, 3, 3, 0)
    assert done.by_version == {"rules-0": 3}
    assert told == [0, 3]
    await system.wait_until_idle()
    assert await system.rows(bot.tenant, DERIVED) == present
    assert (await run_backfill(system.settings, BackfillOrder(tenant=bot.tenant))).outdated == 0
    for filters in ({"participants": ["Max"]}, {"topics": ["cane"]}):
        found = await bot.recall("cane", filters=filters)
        assert ids(found["memories"]) == ["m-1"], filters
    felt = ids((await bot.recall("cane", filters={"emotion": "positive"}))["memories"])
    assert felt[0] == "m-1"
    assert "m-3" not in felt  # the second is at the edge
    for message in STORY:
        assert (await bot.status(message["id"]))["state"] == "remembered"


async def test_where_the_model_is_away_the_rules_are_raised_and_the_rest_is_left(
    bot: Bot, system: System, server: OllamaStandIn
) -> None:
    present = await aged(system, bot, *STORY)
    server.behaviour.status = 500
    settings = with_model(system, server, open_s=0.05)
    done = await run_backfill(settings, BackfillOrder(tenant=bot.tenant))
    assert (done.outdated, done.changed, done.raised, done.left) == (3, 3, 0, 3)
    await system.wait_until_idle()
    assert await system.rows(bot.tenant, DERIVED) == present
    again = await run_backfill(settings, BackfillOrder(tenant=bot.tenant))
    assert (again.changed, again.left) == (0, 3)


async def killed_in_the_middle(settings: Settings, tenant: str, server: OllamaStandIn) -> None:
    """Run the command in a process of its own, and kill it while it waits for the model."""
    asked = 0
    talking = server.behaviour.chat

    def talk(request: object) -> str:
        nonlocal asked
        asked += 1
        server.behaviour.hang = asked >= 5
        return talking(request)  # type: ignore[arg-type]  # handed on as it came

    server.behaviour.chat = talk
    before = len(server.requests)
    process = await start_command(settings, "backfill", "--tenant", tenant)
    async with asyncio.timeout(90):
        await server.received(before + 2 + 6)  # looked for, loaded, and asked six times
    process.kill()
    await process.wait()
    server.behaviour.hang = False
    server.behaviour.chat = talking


@pytest.mark.slow
async def test_a_run_that_was_killed_is_finished_by_the_next(
    bot: Bot, system: System, server: OllamaStandIn
) -> None:
    server.behaviour.chat = TalkingModel(rate=lambda text: float(1 + len(text) % 10))
    story = [msg(f"m-{n}", f"Oggi ho contato {n} barche nel porto di Chioggia.") for n in range(10)]
    unharmed = Bot(bot.connection, new_tenant())
    settings = with_model(system, server)
    for one in (bot, unharmed):
        await aged(system, one, *story)
    await run_backfill(settings, BackfillOrder(tenant=unharmed.tenant))
    await killed_in_the_middle(settings, bot.tenant, server)
    half = [row["derived_by"] for row in await system.rows(bot.tenant, DERIVED)]
    assert 0 < half.count(BY_MODEL) < len(story)
    done = await run_backfill(settings, BackfillOrder(tenant=bot.tenant))
    assert done.outdated == len(story) - half.count(BY_MODEL)
    async with system.fast_reconciler():
        for message in story:
            await bot.final_states([message["id"]])
    await system.wait_until_idle()
    assert await system.rows(bot.tenant, DERIVED) == await system.rows(unharmed.tenant, DERIVED)
    for one in (bot, unharmed):
        rated = (await one.recall("barche", limit=20, filters={"min_importance": 0.5}))["memories"]
        assert sorted(ids(rated)) == sorted(
            row["message_id"] for row in await system.rows(one.tenant, DERIVED) if row["importance"] >= 0.5
        )
