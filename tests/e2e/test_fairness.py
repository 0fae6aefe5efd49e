"""A user who publishes very much delays nobody else in either lane, loses nothing, and has a quota."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Final

import pytest
from tests.fixtures.system import System, changed
from tests.fixtures.wire import Bot, Json, ago, msg, wait_for

from ricordo.settings import QuotaSettings

pytestmark = pytest.mark.slow

MANY: Final = 150
NARROW: Final[Mapping[str, int]] = {"live_burst": 16, "slots": 16, "batch": 8}
"""However fast the machine is, no more of the flood is before the workers."""


def flood(count: int = MANY) -> list[Json]:
    return [
        msg(
            f"old-{n}",
            f"Nel diario del {1900 + n % 100} sta scritto: pagina {n}.",
            user_id="importer",
            conversation_id=f"diary-{n // 50}",
            timestamp=ago(days=400, minutes=-n),
        )
        for n in range(count)
    ]


async def stats_of(bot: Bot, user: str) -> tuple[int, int, int]:
    stats = await bot.query("stats", user_id=user)
    return stats["memories"], stats["history"], stats["pending"]


@pytest.fixture
async def narrow(system: System) -> AsyncIterator[None]:
    """Run all workers with little room for a flood."""
    async with system.restarted(changed(system.settings, "worker", **NARROW)):
        yield


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("lane", ["message.imported", "message.received"])
async def test_another_users_message_is_remembered_while_most_of_a_flood_waits(bot: Bot, lane: str) -> None:
    await asyncio.gather(*(bot.publish(one, name=lane) for one in flood()))
    await bot.remember(msg("live", "Domani parto per Trieste.", user_id="talker"))
    memories, _, pending = await stats_of(bot, "importer")
    assert memories - pending < MANY / 2
    last = flood()[-1]["id"]  # waits for room, in the history with its status
    status = await wait_for(lambda: bot.status(last), lambda found: found["stages"]["ingested"], within=60)
    assert (status["state"], status["stages"]["encoded"], status["error"]) == ("received", None, None)
    history = await bot.query("history", user_id="importer", limit=1)
    assert [one["id"] for one in history["messages"]] == [last]
    states = await bot.final_states([one["id"] for one in flood()], within=120)
    assert set(states.values()) == {"remembered"}
    assert await stats_of(bot, "importer") == (MANY, MANY, 0)


async def test_a_message_beyond_the_quota_is_refused_with_a_reason(bot: Bot, system: System) -> None:
    settings = system.settings.model_copy(update={"quotas": QuotaSettings(messages=3)})
    async with system.restarted(settings):
        for one in flood(5):
            await bot.publish(one)
        states = await bot.final_states(f"old-{n}" for n in range(5))
        assert list(states.values()) == ["remembered"] * 3 + ["failed"] * 2
        error = (await bot.status("old-3"))["error"]
        assert error.startswith("quota_exceeded: its user has as many messages as are kept")
        await bot.remember(msg("other", "Anch'io ho una barca.", user_id="u-2"))
