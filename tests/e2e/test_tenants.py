"""Tenants share servers and nothing else."""

import asyncio

import pytest
from nats.aio.client import Client
from tests.fixtures.wire import Bot, Json, ago, ids, msg, new_tenant

QUESTION = "Where does my sister live?"


def life(town: str) -> list[Json]:
    return [
        msg("m-1", f"My sister Nora lives in {town}.", timestamp=ago(hours=3)),
        msg("m-2", f"Ieri siamo stati a {town}.", timestamp=ago(hours=2)),
        msg("m-3", f"Adoro {town}!", timestamp=ago(hours=1)),
    ]


async def seen_by(bot: Bot) -> str:
    line = await bot.query("timeline", user_id="u-1", start=ago(days=9), end=ago())
    replies = [
        line,
        await bot.query("history", user_id="u-1"),
        await bot.query("facts", user_id="u-1"),
        await bot.recall(QUESTION, limit=50),
        await bot.query("context", user_id="u-1", query=QUESTION, conversation_id="c-1", now=ago()),
        await bot.query("stats", user_id="u-1"),
        await bot.query("memories", user_id="u-1"),
        await bot.query("users"),
    ]
    return str(replies)


async def test_the_same_ids_in_two_tenants_stay_apart(client: Client) -> None:
    one, two = Bot(client, new_tenant()), Bot(client, new_tenant())
    await asyncio.gather(one.publish_all(life("Dublin")), two.publish_all(life("Lisbon")))
    for bot in (one, two):
        assert set((await bot.final_states(["m-1", "m-2", "m-3"])).values()) == {"remembered"}
    first, second = await seen_by(one), await seen_by(two)
    assert "Dublin" in first
    assert "Lisbon" in second
    assert "Lisbon" not in first
    assert "Dublin" not in second
    assert "'memories': 3" in first
    mine = await one.recall(QUESTION)
    theirs = await two.recall(QUESTION)
    assert ids(mine["memories"]) == ids(theirs["memories"])
    assert not {memory["id"] for memory in mine["memories"]} & {memory["id"] for memory in theirs["memories"]}


async def test_what_names_another_tenants_message_finds_nothing(client: Client) -> None:
    owner, stranger = Bot(client, new_tenant()), Bot(client, new_tenant())
    await owner.remember(msg("m-1", "Il mio segreto è Zanzibar."))
    memory = (await owner.recall("segreto"))["memories"][0]
    assert (await stranger.status("m-1"))["state"] == "unknown"
    assert await stranger.query("expand", user_id="u-1", memory_id=memory["id"]) == {"memories": []}
    refused = await stranger.request("query.memory", {"user_id": "u-1", "memory_id": memory["id"]})
    assert refused.error == ("not_found", "memory_id")
    forged = {"user_id": "u-1", "conversation_id": "c-1", "message_id": "m-1", "memory_id": memory["id"]}
    for name, more in (
        ("memory.created", {}),
        ("memory.encoded", {"model": "multilingual-e5-small"}),
        ("memory.enriched", {"version": "1"}),
        ("memory.accessed", {"recall_id": memory["id"], "memory_ids": [memory["id"]]}),
        ("memory.changed", {"memory_ids": [memory["id"]]}),
    ):
        await stranger.publish(forged | more | {"id": memory["id"], "at": ago()}, name=name)
    await stranger.remember(msg("m-2", "Io ho una bicicletta verde."))
    assert "Zanzibar" not in await seen_by(stranger)
    assert ids((await stranger.recall("Il mio segreto è Zanzibar."))["memories"]) == ["m-2"]
    assert (await owner.recall("segreto"))["memories"][0] == memory | {
        "score": pytest.approx(memory["score"])
    }
