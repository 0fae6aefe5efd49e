"""Recalled memories are reinforced, and those that are left alone decay."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json, ids, msg, wait_for

from ricordo.messages.ids import memory_id
from ricordo_services.app.passes import run_pass

STRENGTH = """
select message_id, access_count, reinforcement, importance, last_accessed
from memories
"""
DOG = "Il mio cane si chiama Max."


async def strengths(system: System, bot: Bot) -> dict[str, Json]:
    return {row["message_id"]: row for row in await system.rows(bot.tenant, STRENGTH)}


async def test_a_recall_reinforces_each_memory_it_returns_exactly_once(bot: Bot, system: System) -> None:
    await bot.remember(msg("m-1", DOG), msg("m-2", "Piove."))
    before = await strengths(system, bot)
    async with bot.subscribed("memory.accessed") as accesses, bot.subscribed("memory.changed") as changes:
        assert (await bot.recall("il mio cane", user_id="nobody", reinforce=True))["memories"] == []
        assert ids((await bot.recall("il mio cane", limit=1, reinforce=False))["memories"]) == ["m-1"]
        assert await accesses.is_silent(), "a recall that asks for it leaves no trace"
        reply = await bot.recall("Come si chiama il mio cane?", limit=1, reinforce=True)
        access = await accesses.next()
        await changes.next()
    items = [(one["recall_id"], one["memory_id"]) for one in json.loads(access.data)["items"]]
    assert items == [(reply["recall_id"], memory["id"]) for memory in reply["memories"]]
    await bot.connection.jetstream().publish(access.subject, access.data)  # delivered once more
    await system.wait_until_idle()
    after = await strengths(system, bot)
    assert after["m-2"] == before["m-2"]
    used = after["m-1"]
    assert used["access_count"] == 1
    assert used["reinforcement"] == pytest.approx(0.05)
    assert used["importance"] == pytest.approx(before["m-1"]["importance"] + 0.02)
    assert used["last_accessed"] > datetime.now(UTC) - timedelta(minutes=5)


async def test_what_is_not_used_is_archived_until_it_is(bot: Bot, system: System) -> None:
    """By how much it fades is told in `tests/contract/store/test_formulas_in_sql.py`."""
    await bot.remember(*(msg(name, f"Messaggio {name}.", importance=0.1) for name in ("weak", "fresh")))
    aged = "set arousal = 0, stored_at = now() - interval '400 days' where message_id = 'weak'"
    await system.rows(bot.tenant, f"update memories {aged}")
    async with bot.subscribed("memory.archived") as archived, bot.subscribed("memory.decayed") as decayed:
        await run_pass(system.settings, "decay", user_id="u-1", tenant=bot.tenant)
        (moved,) = json.loads((await archived.next()).data)["items"]
        (counted,) = json.loads((await decayed.next()).data)["items"]
    assert (moved["reason"], counted["archived"]) == ("decay", 1)
    assert moved["memory_id"] == str(memory_id(bot.tenant, "weak"))
    await system.wait_until_idle()
    assert ids((await bot.recall("Messaggio weak."))["memories"]) == ["fresh"]
    archive = {"include_archived": True}
    reply = await bot.recall("Messaggio weak.", limit=1, reinforce=True, filters=archive, explain=True)
    (weak,) = reply["memories"]
    shown = await bot.query("memory", user_id="u-1", memory_id=weak["id"])
    assert weak["signals"]["decay_factor"] == pytest.approx(shown["memory"]["decay_factor"])
    await wait_for(lambda: bot.recall("Messaggio weak."), lambda reply: "weak" in ids(reply["memories"]))
