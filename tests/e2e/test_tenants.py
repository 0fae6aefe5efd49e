"""Tenants share servers and nothing else."""

import asyncio

import pytest
from nats.aio.client import Client
from tests.fixtures.wire import Bot, Json, at, ids, new_tenant, said

pytestmark = pytest.mark.e2e

QUESTION = "Where does my sister live?"


def life(town: str) -> list[Json]:
    return [
        said("m-1", f"My sister Nora lives in {town}.", timestamp=at(hours=3)),
        said("m-2", f"Ieri siamo stati a {town}.", timestamp=at(hours=2)),
        said("m-3", f"Adoro {town}!", timestamp=at(hours=1)),
    ]


async def seen_by(bot: Bot) -> str:
    """Return all that a bot can read about its user."""
    line = await bot.ask("timeline", user_id="u-1", start=at(days=9), end=at())
    replies = [
        line,
        await bot.ask("history", user_id="u-1"),
        await bot.ask("facts", user_id="u-1"),
        await bot.recall(QUESTION, limit=50),
        await bot.ask("context", user_id="u-1", query=QUESTION, conversation_id="c-1", now=at()),
        await bot.ask("stats", user_id="u-1"),
    ]
    return str(replies)


async def test_the_same_ids_in_two_tenants_stay_apart(wire: Client) -> None:
    one, two = Bot(wire, new_tenant()), Bot(wire, new_tenant())
    await asyncio.gather(one.publish_all(life("Dublin")), two.publish_all(life("Lisbon")))
    for bot in (one, two):
        assert set((await bot.settled(["m-1", "m-2", "m-3"])).values()) == {"remembered"}
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


async def test_what_names_another_tenants_message_finds_nothing(wire: Client) -> None:
    owner, stranger = Bot(wire, new_tenant()), Bot(wire, new_tenant())
    await owner.remember(said("m-1", "Il mio segreto è Zanzibar."))
    memory = (await owner.recall("segreto"))["memories"][0]
    assert (await stranger.status("m-1"))["state"] == "unknown"
    assert await stranger.ask("expand", user_id="u-1", memory_id=memory["id"]) == {"memories": []}
    forged = {"user_id": "u-1", "conversation_id": "c-1", "message_id": "m-1", "memory_id": memory["id"]}
    for name, more in (
        ("memory.created", {}),
        ("memory.encoded", {"model": "all-MiniLM-L6-v2"}),
        ("memory.enriched", {"version": "1"}),
        ("memory.accessed", {"recall_id": memory["id"], "memory_ids": [memory["id"]]}),
        ("memory.changed", {"memory_ids": [memory["id"]]}),
    ):
        await stranger.publish(forged | more | {"id": memory["id"], "at": at()}, name=name)
    await stranger.remember(said("m-2", "Io ho una bicicletta verde."))
    assert "Zanzibar" not in await seen_by(stranger)
    assert ids((await stranger.recall("Il mio segreto è Zanzibar."))["memories"]) == ["m-2"]
    assert (await owner.recall("segreto"))["memories"][0] == memory | {
        "score": pytest.approx(memory["score"])
    }


async def test_users_of_one_tenant_see_their_own_memories_only(bot: Bot) -> None:
    await bot.remember(
        said("m-1", "Mia sorella Nora vive a Dublino.", user_id="u-1"),
        said("m-2", "Mia sorella Nora vive a Lisbona.", user_id="u-2"),
        said("m-3", "Ci vediamo domani!", user_id="u-2", conversation_id="c-1"),
    )
    for user, mine, message in (("u-1", "Dublino", "m-1"), ("u-2", "Lisbona", "m-2")):
        assert ids((await bot.recall("Dove vive Nora?", user_id=user))["memories"])[0] == message
        facts = (await bot.ask("facts", user_id=user, entity="Nora"))["facts"]
        assert mine in {fact["object"] for fact in facts}
        assert {"Dublino", "Lisbona"} - {fact["object"] for fact in facts} == {"Dublino", "Lisbona"} - {mine}
    recalled = await bot.recall("Dove vive Nora?", user_id="u-1", limit=50)
    assert ids(recalled["memories"]) == ["m-1"]


async def test_a_message_id_is_one_tenants_even_with_the_same_deduplication_header(wire: Client) -> None:
    """A `Nats-Msg-Id` counts for the whole stream: bots put their tenant into it, as our client does."""
    bots = [Bot(wire, new_tenant()) for _ in range(4)]
    for bot in bots:
        await bot.publish(said("m-1", "ciao"), headers={"Nats-Msg-Id": f"{bot.tenant}/m-1"})
    for bot in bots:
        assert await bot.settled(["m-1"]) == {"m-1": "remembered"}
