"""While the lane stands still behind a flood, what another user says is remembered before its turn."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest
from tests.fixtures.running import Running
from tests.fixtures.wire import Bot, said

from ricordo.testing.eventually import eventually

pytestmark = pytest.mark.e2e

MANY = 700
FLOODED = "noisy"


@asynccontextmanager
async def standing_still(running: Running, tenant: str) -> AsyncIterator[None]:
    """Hold the lock under which anything of the noisy user is recorded: who has it in a batch waits."""
    connection = await asyncpg.connect(running.settings.stores.postgres_dsn.get_secret_value())
    try:
        async with connection.transaction():
            locked = f"{tenant}/user/{FLOODED}"
            await connection.execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", locked)
            yield
    finally:
        await connection.close()


async def test_who_says_little_is_remembered_while_the_lane_stands_still(running: Running, bot: Bot) -> None:
    flood = [said(f"flood-{n}", f"Line {n}.", user_id=FLOODED, conversation_id="c-9") for n in range(MANY)]
    mine = [said(f"mine-{n}", f"I planted {n} beans.", user_id="quiet") for n in range(3)]
    await bot.remember(said("before", "The tenant is known.", user_id="somebody"))
    async with standing_still(running, bot.tenant):
        await bot.publish_all(flood)
        for one in mine:
            await bot.publish(one)
        assert set((await bot.settled(one["id"] for one in mine)).values()) == {"remembered"}
        assert (await bot.ask("history", user_id=FLOODED))["messages"] == []

    async def all_remembered() -> bool:
        stats = await bot.ask("stats", user_id=FLOODED)
        return bool(stats["history"] == MANY and stats["pending"] == 0)

    await eventually(all_remembered, within=120)
    stats = await bot.ask("stats", user_id="quiet")
    assert (stats["history"], stats["memories"], stats["pending"]) == (3, 3, 0)
