"""What is recalled gets stronger, and what is left alone fades."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest
from tests.fixtures.running import Running
from tests.fixtures.wire import Bot, Json, ids, said

from ricordo.testing.eventually import eventually
from ricordo_services.app.passes import run_pass

pytestmark = pytest.mark.e2e

STRENGTH = """
select message_id, access_count, reinforcement, importance, decay_factor, last_accessed, archived_at
from memories
"""


async def rows(running: Running, bot: Bot) -> dict[str, Json]:
    """Read the tenant's rows, by message id."""
    connection = await asyncpg.connect(running.endpoints.postgres_dsn)
    try:
        await connection.execute("select set_config('app.tenant', $1, false)", bot.tenant)
        return {row["message_id"]: dict(row) for row in await connection.fetch(STRENGTH)}
    finally:
        await connection.close()


async def change(running: Running, bot: Bot, statement: str) -> None:
    """Change the tenant's rows, as time would."""
    connection = await asyncpg.connect(running.endpoints.postgres_dsn)
    try:
        await connection.execute("select set_config('app.tenant', $1, false)", bot.tenant)
        await connection.execute(statement)
    finally:
        await connection.close()


async def test_a_recall_strengthens_each_memory_it_returns_exactly_once(bot: Bot, running: Running) -> None:
    await bot.remember(said("m-1", "Il mio cane si chiama Max."), said("m-2", "Piove."))
    before = await rows(running, bot)
    async with bot.hearing("memory.accessed") as accesses, bot.hearing("memory.changed") as changes:
        reply = await bot.recall("Come si chiama il mio cane?", limit=1, reinforce=True)
        access = await accesses.next()
        await changes.next()
    assert ids(reply["memories"]) == ["m-1"]
    told = json.loads(access.data)
    assert told["recall_id"] == reply["recall_id"]
    assert told["memory_ids"] == [memory["id"] for memory in reply["memories"]]
    await bot.connection.jetstream().publish(access.subject, access.data)  # delivered once more
    await running.everything_is_settled()
    after = await rows(running, bot)
    assert after["m-2"] == before["m-2"]
    used = after["m-1"]
    assert (used["access_count"], used["decay_factor"]) == (1, 1)
    assert used["reinforcement"] == pytest.approx(0.05)
    assert used["importance"] == pytest.approx(before["m-1"]["importance"] + 0.02)
    assert used["last_accessed"] > datetime.now(UTC) - timedelta(minutes=5)


async def test_many_recalls_at_once_lose_no_reinforcement(bot: Bot, running: Running) -> None:
    await bot.remember(said("m-1", "Il mio cane si chiama Max."))
    await asyncio.gather(*(bot.recall("il mio cane", reinforce=True) for _ in range(40)))
    found: dict[str, Json] = {}

    async def counted() -> bool:
        nonlocal found
        found = await rows(running, bot)
        return bool(found["m-1"]["access_count"] == 40)

    await eventually(counted, within=20)
    assert found["m-1"]["reinforcement"] == pytest.approx(40 * 0.05)
    assert found["m-1"]["importance"] == pytest.approx(0.95)  # and not beyond


async def test_a_recall_that_asks_for_it_leaves_no_trace(bot: Bot, running: Running) -> None:
    await bot.remember(said("m-1", "Il mio cane si chiama Max."))
    before = await rows(running, bot)
    async with bot.hearing("memory.accessed") as accesses:
        assert ids((await bot.recall("il mio cane", reinforce=False))["memories"]) == ["m-1"]
        assert (await bot.recall("il mio cane", user_id="nobody", reinforce=True))["memories"] == []
        assert await accesses.nothing_more()
    assert await rows(running, bot) == before


async def test_what_is_left_alone_fades_and_what_is_weak_is_archived(bot: Bot, running: Running) -> None:
    await bot.remember(
        *(said(name, f"Messaggio {name}.", importance=0.1) for name in ("weak", "used", "pinned", "fresh")),
        said("mattered", "Il giorno del matrimonio.", importance=1.0),
    )
    await change(
        running,
        bot,
        "update memories set arousal = 0, stored_at = now() - interval '400 days' "
        "where message_id <> 'fresh';"
        "update memories set access_count = 5 where message_id = 'used';"
        "update memories set pinned = true where message_id = 'pinned'",
    )
    async with bot.hearing("memory.archived") as archived:
        await run_pass(running.settings, "decay", user_id="u-1", tenant=bot.tenant)
        told = json.loads((await archived.next()).data)
    found = await rows(running, bot)
    faded = 0.95 ** (400 // 7)
    assert found["fresh"]["decay_factor"] == found["pinned"]["decay_factor"] == 1
    assert found["used"]["decay_factor"] == pytest.approx(max(faded + 0.02, 0.2 + 0.7 * 0.1))  # its floor
    assert found["mattered"]["decay_factor"] == pytest.approx(0.9)  # S4: whatever its age
    assert [name for name, row in found.items() if row["archived_at"] is not None] == ["weak"]
    assert told["reason"] == "decay"
    await running.everything_is_settled()
    assert "weak" not in ids((await bot.recall("Messaggio weak."))["memories"])
    asked_for = await bot.recall("Messaggio weak.", filters={"include_archived": True})
    (archived_memory,) = [one for one in asked_for["memories"] if one["message_ids"] == ["weak"]]
    assert archived_memory["archived"] is True
    stats = await bot.ask("stats", user_id="u-1")
    assert (stats["memories"], stats["archived"]) == (5, 1)


async def test_what_is_used_again_comes_back_from_the_archive(bot: Bot, running: Running) -> None:
    await bot.remember(said("m-1", "La password del cancello è sotto il vaso."))
    await change(running, bot, "update memories set archived_at = now()")
    await bot.recall("cancello", reinforce=True, filters={"include_archived": True})
    await running.everything_is_settled()
    again = await bot.recall("cancello", reinforce=True, filters={"include_archived": True})
    assert ids(again["memories"]) == ["m-1"]

    async def back() -> bool:
        await running.everything_is_settled()
        return ids((await bot.recall("cancello"))["memories"]) == ["m-1"]

    await eventually(back)
    assert (await rows(running, bot))["m-1"]["archived_at"] is None


async def test_what_is_past_its_time_is_archived_until_it_is_used(bot: Bot, running: Running) -> None:
    soon = datetime.now(UTC) + timedelta(days=2)
    await bot.remember(
        said("m-1", "Il codice della festa è girasole.", expires_at=soon.isoformat()),
        said("m-2", "La festa è in giardino."),
    )
    done = await run_pass(running.settings, "expire", tenant=bot.tenant)
    assert (done.examined, done.archived) == (0, 0)
    async with bot.hearing("memory.archived") as archived:
        later = soon + timedelta(minutes=1)
        done = await run_pass(running.settings, "expire", now=later, tenant=bot.tenant)
        assert (done.examined, done.archived) == (1, 1)
        assert json.loads((await archived.next()).data)["reason"] == "expiry"
    await running.everything_is_settled()
    assert ids((await bot.recall("codice della festa"))["memories"]) == ["m-2"]
    for question in ("codice della festa", "girasole"):
        asked_for = await bot.recall(question, filters={"include_archived": True})
        assert "m-1" in ids(asked_for["memories"])
    await bot.recall("girasole", reinforce=True, filters={"include_archived": True})

    async def back() -> bool:
        await running.everything_is_settled()
        return "m-1" in ids((await bot.recall("codice della festa"))["memories"])

    await eventually(back)
