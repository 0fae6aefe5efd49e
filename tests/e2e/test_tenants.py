"""Tenants share servers and nothing else."""

import pytest
from nats.aio.client import Client
from tests.fixtures.wire import Bot, ago, msg, new_tenant

QUESTION = "Qual è il mio segreto?"


async def seen_by(bot: Bot) -> str:
    line = await bot.query("timeline", user_id="u-1", start=ago(days=9), end=ago())
    replies = [
        line,
        await bot.query("history", user_id="u-1"),
        await bot.query("facts", user_id="u-1"),
        await bot.recall(QUESTION, limit=50),
        await bot.query(
            "context", user_id="u-1", query=QUESTION, conversation_id="c-1", now=ago(), reinforce=False
        ),
        await bot.query("stats", user_id="u-1"),
        await bot.query("memories", user_id="u-1"),
        await bot.query("users"),
    ]
    return str(replies)


async def test_what_names_another_tenants_message_finds_nothing_also_by_the_same_ids(client: Client) -> None:
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
    await stranger.remember(msg("m-1", "Io ho una bicicletta verde."))
    assert "Zanzibar" not in await seen_by(stranger)
    assert "bicicletta" not in await seen_by(owner)
    (own,) = (await stranger.recall(QUESTION))["memories"]
    assert (own["message_ids"], own["id"] != memory["id"]) == (["m-1"], True)
    assert (await owner.recall("segreto"))["memories"][0] == memory | {
        "score": pytest.approx(memory["score"])
    }
